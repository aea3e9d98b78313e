package apptest

import (
	"fmt"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/internal/stattest"
	"gonextdoor/gonextdoor/rng"
)

// RankWalker draws the visits of one walk of personalised PageRank: PageRank.Walk, or a mutant of it.
type RankWalker func(
	a *app.PageRank, g *graph.Graph, p app.Personalization, row int, key rng.Key, visits []uint32,
) []uint32

// RankCheck compares the walks of personalised PageRank with their exact distribution. An outcome is the visits of two
// successive walks of a row, each of which is cut after rankVisits of them.
type RankCheck struct {
	Name  string
	App   *app.PageRank // bound to the graph
	Graph *graph.Graph
	From  app.Personalization
	Draws int

	exact stattest.Distribution
}

const rankVisits = 3

// Run draws with the walker and compares. A panic counts as an outcome of probability 0.
func (c RankCheck) Run(walk RankWalker) (r stattest.Result) {
	defer func() {
		if p := recover(); p != nil {
			r = stattest.Result{Draws: c.Draws, Impossible: fmt.Sprint("panic: ", p)}
		}
	}()
	row := c.From.Rows - 1
	var visits []uint32
	return stattest.Compare(c.exact, c.Draws, func(i int, out []byte) []byte {
		for w := range uint64(2) {
			visits = walk(c.App, c.Graph, c.From, row, app.RowWalks(5, uint64(i)).Key(w), visits[:0])
			for _, v := range visits[:min(rankVisits, len(visits))] {
				out = appendPosition(out, uint64(v))
			}
			out = append(out, rankEnd(len(visits) > rankVisits)...)
		}
		return out
	})
}

// rankEnd is the end of a walk in an outcome.
func rankEnd(cut bool) string {
	if cut {
		return "... "
	}
	return "| "
}

// ranked is one walk of a row, with the weights of its seed nodes.
func ranked(a *app.PageRank, g *graph.Graph, seeds []uint32, weights []float64) func(*script) {
	return func(s *script) {
		v := graph.None
		for visits := 0; ; visits++ {
			next := graph.None
			if v != graph.None {
				if i := s.choose(weightsOf(g, v, a.Weighted == app.Yes)); i >= 0 {
					next = g.Neighbors(v)[i]
				} else if a.Sinks == app.SinkStops {
					break
				}
			}
			if next == graph.None {
				next = seeds[s.choose(weights)]
			}
			if visits == rankVisits { // the vertex is not part of the outcome
				s.mark(rankEnd(true))
				return
			}
			s.write(uint64(next))
			if a.Stop == 1 || s.flip(a.Stop) {
				break
			}
			v = next
		}
		s.mark(rankEnd(false))
	}
}

// RankChecks returns the checks of personalised PageRank.
func RankChecks() (checks []RankCheck) {
	for _, weighted := range []bool{false, true} {
		w, word := kind(weighted)
		for _, p := range []place{{"thicket", graphtest.Thicket(weighted)}, {"double", rankGraph(weighted)}} {
			for _, sinks := range []app.Sinks{app.SinkRestarts, app.SinkStops} {
				for i, from := range append(rankStarts(), rankStarts()[2]) {
					stop := 0.25
					if i == 3 {
						stop = 1
					}
					if i < 3 || sinks == app.SinkRestarts {
						a, err := (&app.PageRank{Stop: stop, Sinks: sinks, Weighted: w}).Bind(p.g)
						if err == nil && a.Weighs(p.g) {
							err = index.BuildAlias(p.g, graph.Options{})
						}
						if err != nil {
							panic(err)
						}
						program := ranked(a, p.g, from.seeds, from.weights)
						checks = append(checks, RankCheck{
							Name:  fmt.Sprintf("PageRank %s in the %s from %v, sinks %s, stop %v", word, p.name, from.seeds, sinks, stop),
							App:   a,
							Graph: p.g,
							From:  from.as,
							Draws: draws,
							exact: enumerate(func(s *script) { program(s); program(s) }),
						})
					}
				}
			}
		}
	}
	return checks
}

// rankGraph has sinks, parallel edges and, weighted, a vertex whose edges have no bias.
func rankGraph(weighted bool) *graph.Graph {
	return graphtest.Make(5, weighted, []graphtest.Edge{
		{From: 0, To: 1, Bias: 3}, {From: 0, To: 1, Bias: 1}, {From: 0, To: 0, Bias: 2}, {From: 1, To: 2, Bias: 1}, {From: 1, To: 3, Bias: 2},
		{From: 3, To: 0, Bias: 0}, {From: 3, To: 4, Bias: 0},
	})
}

// rankStart has the seed nodes of walks, for the engine and for the exact distribution.
type rankStart struct {
	as      app.Personalization
	seeds   []uint32
	weights []float64
}

// rankStarts returns a vertex, a set and a set with weights.
func rankStarts() []rankStart {
	edges := []graphtest.Edge{{From: 0, To: 0, Bias: 1}, {From: 1, To: 1, Bias: 1}, {From: 1, To: 2, Bias: 4}}
	members := []uint32{3, 0, 2} // of set 0, and of set 1
	even, weighted := graphtest.Make(3, false, edges), graphtest.Make(3, true, edges)
	if err := index.BuildAlias(weighted, graph.Options{}); err != nil {
		panic(err)
	}
	return []rankStart{
		{app.Personalization{Vertices: []uint32{2, 1}, Rows: 2}, []uint32{1}, []float64{1}},
		{app.Personalization{Vertices: members, Sets: even, Weighted: app.No, Rows: 2}, members[1:], []float64{1, 1}},
		{app.Personalization{Vertices: members, Sets: weighted, Weighted: app.Yes, Rows: 2}, members[1:], []float64{1, 4}},
	}
}
