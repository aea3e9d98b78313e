package walk_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/cpu/internal/cputest"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/serial"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// result is a result of either kind, row by row.
type result struct {
	rows  [][]uint32
	edges [][]int64
}

func sample(t *testing.T, e engine.Engine, p plan.Plan, g *graph.Graph, b plan.Batch) (r result) {
	t.Helper()
	n := b.Roots.Samples()
	if p.Width == 0 {
		got, err := e.Ragged(p, g, b, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			lo, hi := got.Offsets[i], got.Offsets[i+1]
			r.rows = append(r.rows, slices.Clone(got.Vertices[lo:hi]))
			if b.Edges {
				r.edges = append(r.edges, slices.Clone(got.Edges[lo:hi]))
			}
		}
		if got.Offsets[0] != 0 || int(got.Offsets[n]) != len(got.Vertices) {
			t.Fatalf("offsets from %d to %d, %d vertices", got.Offsets[0], got.Offsets[n], len(got.Vertices))
		}
		got.Return()
		return r
	}
	out := output.Matrix{Vertices: make([]uint32, n*p.Width), Width: p.Width, Roots: b.Roots.Width}
	if b.Edges {
		out.Edges = make([]int64, n*(p.Width-b.Roots.Width))
	}
	if err := e.Matrix(p, g, b, out, nil); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		r.rows = append(r.rows, out.Vertices[i*p.Width:][:p.Width])
		if b.Edges {
			r.edges = append(r.edges, out.Edges[i*(p.Width-b.Roots.Width):][:p.Width-b.Roots.Width])
		}
	}
	return r
}

var walks = []app.App{
	&apps.DeepWalk{Length: 0}, &apps.DeepWalk{Length: 1}, &apps.DeepWalk{Length: 13}, &apps.DeepWalk{Length: 40, Weighted: app.No},
	&apps.PPR{Stop: 0.2}, &apps.PPR{Stop: 1}, &apps.PPR{Stop: 0.01}, &apps.PPR{Stop: 0.3, MaxLength: 1, Weighted: app.No},
	&apps.PPR{Stop: 0.1, MaxLength: 16}, &apps.PPR{Stop: 0.02, MaxLength: 41}, &apps.PPR{Stop: 0.3, MaxLength: 5},
	&apps.PPR{Stop: 0.01, MaxLength: 700},
	&apps.Node2Vec{P: 2, Q: 0.5, Length: 20}, &apps.Node2Vec{P: 0.25, Q: 4, Length: 20}, &apps.Node2Vec{P: 1, Q: 1, Length: 9},
	&apps.NonBacktracking{Length: 30}, &apps.NonBacktracking{Length: 12, Weighted: app.No},
	&apps.Node2Vec{P: 1e6, Q: 1, Length: 30}, &apps.Node2Vec{P: 1, Q: 1e6, Length: 30, Weighted: app.No},
	&apps.Node2Vec{P: 1e-6, Q: 1, Length: 12}, &apps.Node2Vec{P: 0.3, Q: 7.5, Length: 20},
	&apps.Node2Vec{P: 0.25, Q: 0.5, Length: 9, Weighted: app.No}, &apps.Node2Vec{P: 3, Q: 3, Length: 1}, &apps.Node2Vec{P: 3, Q: 2, Length: 0},
}

// A short run has one pair of a graph and an app in three.
func TestEqualsSerial(t *testing.T) {
	cputest.NoLeak(t)
	share := enginetest.NewShare(t, 3)
	graphs := walkable()
	for _, name := range slices.Sorted(maps.Keys(graphs)) {
		g := graphs[name]
		for _, a := range walks {
			if a, ok := a.(*apps.PPR); ok && a.Stop < 0.02 && g.NumVertices() > 10 {
				continue // long walks are covered on the smaller graphs
			}
			if !share.Takes() {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s%+v", name, a.Name(), a), func(t *testing.T) { equalsSerial(t, a, g) })
		}
		g.Close()
	}
}

// A Next hook that is a uniform choice is not called.
func TestUniformNextEqualsSerial(t *testing.T) {
	cputest.NoLeak(t)
	word := 5
	for name, g := range walkable() {
		a := &program.Custom{UniformWord: &word, StepProgram: program.StepProgram{Steps: 20, Next: func(c *program.Ctx) uint32 {
			first, end := c.Graph.Row(c.Transit)
			if first == end {
				return graph.None
			}
			return c.Graph.Indices[first+c.Below(word, end-first)]
		}}}
		t.Run(name, func(t *testing.T) { equalsSerial(t, a, g) })
		g.Close()
	}
}

// equalsSerial compares the samples of an app with those of the serial engine: with and without assembly and packed records,
// for several numbers of threads, and in parts.
func equalsSerial(t *testing.T, a app.App, g *graph.Graph) {
	p, err := plan.New(a, g, 1)
	if err != nil {
		t.Fatal(err)
	}
	g = p.Graph // a view, of some apps
	roots := plan.Roots{Count: g.NumVertices(), Width: 1, Repeat: 1 + 600/g.NumVertices()}
	full := plan.Batch{Roots: roots, Seed: 7, First: 11, Edges: true}
	want := sample(t, serial.Engine{}, p, g, full)
	for _, pure := range []bool{true, false} {
		for _, packed := range []bool{true, false} {
			for _, threads := range []int{1, 2, 5} {
				p, b := p, full
				p.Packed, b.Threads, b.Edges = packed, threads, threads != 2
				got := sample(t, cpu.Engine{Pure: pure}, p, g, b)
				compare(t, fmt.Sprintf("pure %v, packed %v, threads %d", pure, packed, threads), got, want)
			}
		}
	}
	splits(t, p, g, full, want)
}

// splits runs a batch in two parts with stored roots, and compares the result.
func splits(t *testing.T, p plan.Plan, g *graph.Graph, b plan.Batch, want result) {
	all := make([]uint32, b.Roots.Samples())
	for i := range all {
		all[i] = b.Roots.Of(i, all[i:i+1])[0]
	}
	b.Threads = 2
	for _, at := range []int{0, 1, len(all) / 3} {
		b := b
		b.Roots = plan.Roots{Vertices: all[:at], Count: at, Width: 1, Repeat: 1}
		got := sample(t, cpu.Engine{}, p, g, b)
		b.First += uint64(at)
		b.Roots = plan.Roots{Vertices: all[at:], Count: len(all) - at, Width: 1, Repeat: 1}
		rest := sample(t, cpu.Engine{}, p, g, b)
		got = result{append(got.rows, rest.rows...), append(got.edges, rest.edges...)}
		compare(t, fmt.Sprintf("split at %d", at), got, want)
	}
}

func compare(t *testing.T, how string, got, want result) {
	t.Helper()
	for i, row := range want.rows {
		if !slices.Equal(got.rows[i], row) {
			t.Fatalf("%s: row %d is %v, expected %v", how, i, got.rows[i], row)
		}
		if got.edges != nil && !slices.Equal(got.edges[i], want.edges[i]) {
			t.Fatalf("%s: edges of row %d are %v, expected %v", how, i, got.edges[i], want.edges[i])
		}
	}
}

// walkable is the corpus of this package's tests, and graphs with many triangles.
func walkable() map[string]*graph.Graph {
	gs := map[string]*graph.Graph{}
	for _, weighted := range []bool{false, true} {
		for name, g := range cputest.Corpus(weighted) {
			if name != "hub" {
				gs[fmt.Sprint(name, " ", weighted)] = g
			}
		}
		gs[fmt.Sprint("near ", weighted)] = near(300, weighted)
		gs[fmt.Sprint("small hub ", weighted)] = graphtest.Hub(weighted)
	}
	return gs
}

// near returns an undirected graph that joins each vertex to some with similar numbers, so that there are many triangles, and
// to a hub.
func near(n uint32, weighted bool) *graph.Graph {
	var list []graphtest.Edge
	key := rng.NewStream(3, rng.Edges).Key(uint64(n))
	for u := range n {
		for k := range u % 9 {
			step, _ := rng.Below(key.Word(uint64(u*9+k)), 12)
			v := (u + uint32(step)) % n
			if k == 0 {
				v = 0
			}
			list = append(list, graphtest.Edge{From: u, To: v, Bias: k * k * k})
		}
	}
	return graphtest.Make(int(n), weighted, graphtest.Both(list))
}
