package apptest

import (
	"fmt"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/internal/stattest"
	"gonextdoor/gonextdoor/rng"
)

// Sampler draws one sample: the Sample of an app, or a mutant of it.
type Sampler func(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row

// Check compares the samples of an app with their exact distribution.
type Check struct {
	Name  string
	App   app.App // bound to the graph
	Graph *graph.Graph
	Roots []uint32
	Draws int

	// Together is the number of successive samples in one outcome. More than 1 tests that they are independent.
	Together int
	// Keys returns the key of sample i: by id, by seed, or with chosen words.
	Keys func(i uint64) rng.Key

	exact   stattest.Distribution
	outcome func(g *graph.Graph, row app.Row, out []byte) []byte
	// leaps: vertices may be reached without an edge.
	leaps bool
	// possible: only check that no outcome has probability 0, because the keys are not random.
	possible bool
}

// Run draws with the sampler and compares. A panic counts as an outcome of probability 0.
func (c Check) Run(sample Sampler) (r stattest.Result) {
	defer func() {
		if p := recover(); p != nil {
			r = stattest.Result{Draws: c.Draws, Impossible: fmt.Sprint("panic: ", p)}
		}
	}()
	var row app.Row
	draw := func(i int, out []byte) []byte {
		for j := range c.Together {
			id := uint64(i*c.Together + j)
			row = sample(c.Graph, c.Keys(id), c.Roots, row.Reset(id))
			if fault := c.fault(row); fault != "" {
				return append(out, fault...)
			}
			out = append(c.outcome(c.Graph, row, out), "| "...)
		}
		return out
	}
	if !c.possible {
		return stattest.Compare(c.exact, c.Draws, draw)
	}
	r = stattest.Result{Draws: c.Draws, Cells: len(c.exact), Detects: 1}
	for i := range c.Draws {
		if out := draw(i, nil); c.exact[string(out)] == 0 {
			r.Impossible = string(out)
		}
	}
	return r
}

// fault describes what is invalid for samples of every app, such as different roots, or a vertex that is not the end of its
// edge. It returns "" for a valid sample.
func (c Check) fault(row app.Row) string {
	behind := len(row.Vertices) - len(c.Roots)
	if behind != len(row.Edges) {
		return fmt.Sprintf("%d roots, %d vertices, %d edges", len(c.Roots), len(row.Vertices), len(row.Edges))
	}
	for i, v := range c.Roots {
		if row.Vertices[i] != v {
			return fmt.Sprintf("root %d in place of %d", row.Vertices[i], v)
		}
	}
	if w := c.App.Width(len(c.Roots)); w != 0 && w != len(row.Vertices) {
		return fmt.Sprintf("%d vertices in a row of %d", len(row.Vertices), w)
	}
	layered := app.ShapeOf(c.App, len(c.Roots)).Layered
	for i, e := range row.Edges {
		want := graph.None
		switch {
		case e != graph.NoEdge:
			want = c.Graph.Indices[e]
		case c.leaps || layered:
			continue // no edge led to the vertex
		}
		if row.Vertices[len(c.Roots)+i] != want {
			return fmt.Sprintf("edge %d leads to vertex %d", int64(e), int32(row.Vertices[len(c.Roots)+i]))
		}
	}
	if layered {
		return layeredFault(c.Graph, row)
	}
	return ""
}

// edgesOf writes the whole row as its outcome.
func edgesOf(_ *graph.Graph, row app.Row, out []byte) []byte {
	for _, e := range row.Edges {
		out = appendPosition(out, e)
	}
	return out
}

func byID(seed uint64) func(i uint64) rng.Key { return rng.NewStream(seed, rng.Choices).Key }

func bySeed(id uint64) func(i uint64) rng.Key {
	return func(i uint64) rng.Key { return rng.NewStream(i, rng.Choices).Key(id) }
}
