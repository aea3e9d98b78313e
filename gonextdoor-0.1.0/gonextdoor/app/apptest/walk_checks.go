package apptest

import (
	"fmt"
	"math"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/internal/stattest"
	"gonextdoor/gonextdoor/rng"
)

const draws = 60_000

// of binds the app to the graph and returns a check with one sample per outcome, with keys by id.
func of(name string, a app.App, g *graph.Graph, roots []uint32, program func(*script)) Check {
	g, err := app.View(a, g, graph.Options{})
	if err != nil {
		panic(err)
	}
	bound, err := a.Bind(g)
	if err == nil && bound.Weighs(g) {
		err = index.BuildAlias(g, graph.Options{})
	}
	if err != nil {
		panic(err)
	}
	c := Check{
		Name: a.Name() + " " + name, App: bound, Graph: g, Roots: roots, Draws: draws, Together: 1, Keys: byID(2024),
		exact: enumerate(func(s *script) { program(s); s.mark("| ") }), outcome: edgesOf,
	}
	if len(c.exact) == 1 {
		c.Draws = 100 // the outcome is certain
	}
	return c
}

// pairs returns a check with two successive samples per outcome, which must be independent.
func (c Check) pairs(program func(*script)) Check {
	c.Name, c.Together = c.Name+", pairs of samples", 2
	c.exact = enumerate(func(s *script) {
		program(s)
		s.mark("| ")
		program(s)
		s.mark("| ")
	})
	return c
}

// corners returns a check in which step s gets the smallest, the largest and other extreme words.
func (c Check) corners(step uint64) Check {
	const most = math.MaxUint64
	words := []uint64{0, 1, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, most - 1<<40, most - 1<<32, most - 1<<16, most - 1, most}
	c.Name = fmt.Sprintf("%s, extreme words at step %d", c.Name, step)
	c.Draws, c.possible = len(words), true
	c.Keys = func(i uint64) rng.Key { return keyOf(words[i], rng.Slot(step, 0)) }
	return c
}

// place is a graph with the name that checks report.
type place struct {
	name string
	g    *graph.Graph
}

func kind(weighted bool) (app.Weighted, string) {
	if weighted {
		return app.Yes, "weighted"
	}
	return app.No, "unweighted"
}

func deepWalkChecks() (checks []Check) {
	for _, weighted := range []bool{false, true} {
		w, word := kind(weighted)
		for root := range uint32(6) {
			g := graphtest.Thicket(true)
			a := &apps.DeepWalk{Length: 3, Weighted: w}
			c := of(fmt.Sprintf("%s in the thicket from %d", word, root), a, g, []uint32{root}, walk(g, root, 3, weighted))
			checks = append(checks, c)
			if root == 0 {
				short := &apps.DeepWalk{Length: 2, Weighted: w}
				two := of(word+" in the thicket", short, g, []uint32{0}, walk(g, 0, 2, weighted))
				checks = append(checks, two.pairs(walk(g, 0, 2, weighted)), c.corners(0), c.corners(1))
				c.Name, c.Keys = c.Name+", by seed", bySeed(5)
				checks = append(checks, c)
			}
		}
		for _, p := range []place{{"alone", graphtest.Lonely(weighted)}, {"in a circle", graphtest.Circle(weighted)}} {
			checks = append(checks, of(word+" "+p.name, &apps.DeepWalk{Length: 3}, p.g, []uint32{0}, walk(p.g, 0, 3, weighted)))
		}
		checks = append(checks, wideRow(word, graphtest.Fan(40_000, weighted), 1000, weighted))
	}
	g, weights := graphtest.Steep()
	checks = append(checks, of("weighted by 12 orders of magnitude", &apps.DeepWalk{Length: 2}, g, []uint32{0}, func(s *script) {
		follow(s, g, 0, weights)
		follow(s, g, 0, weights)
	}))
	return append(checks, wideRow("weighted on crumbs", graphtest.Crumbs(600_000), 600_000, true))
}

// wideRow returns a check of a large row, whose edges are distinguished by blocks only, to have few outcomes.
func wideRow(name string, g *graph.Graph, block int, weighted bool) Check {
	c := of(name+" from a vertex of many edges", &apps.DeepWalk{Length: 1}, g, []uint32{0}, func(*script) {})
	c.exact, c.Draws = stattest.Distribution{}, draws
	weights := weightsOf(g, 0, weighted)
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	for i, w := range weights {
		c.exact[string(appendPosition(nil, uint64((i+block-1)/block)))+"| "] += w / sum
	}
	c.outcome = func(_ *graph.Graph, row app.Row, out []byte) []byte {
		return appendPosition(out, (row.Edges[0]+uint64(block)-1)/uint64(block))
	}
	return c
}

func pprChecks() (checks []Check) {
	for _, weighted := range []bool{false, true} {
		w, word := kind(weighted)
		thicket, diamond := graphtest.Thicket(true), graphtest.Diamond(true)
		places := []place{{"in the thicket", thicket}, {"in the diamond", diamond}}
		for _, most := range []int{1, 3} {
			a := &apps.PPR{Stop: 0.3, MaxLength: most, Weighted: w}
			name := fmt.Sprintf("%s in the thicket, max_length %d", word, most)
			c := of(name, a, thicket, []uint32{0}, stopped(thicket, 0, 0.3, most, weighted))
			checks = append(checks, c, c.pairs(stopped(thicket, 0, 0.3, most, weighted)), c.corners(0))
		}
		for _, stop := range []float64{0.05, 0.2, 0.75, 1} {
			for _, p := range places {
				checks = append(checks, lengthAndEnd(word+" "+p.name, p.g, stop, w))
			}
		}
		lonely := graphtest.Lonely(weighted)
		checks = append(checks, of(word+" alone", &apps.PPR{Stop: 0.5}, lonely, []uint32{0}, stopped(lonely, 0, 0.5, 9, weighted)))
	}
	return checks
}

// lengthAndEnd compares the lengths and last vertices of walks without a limit.
func lengthAndEnd(name string, g *graph.Graph, stop float64, w app.Weighted) Check {
	name = fmt.Sprintf("%s, length and end, stop %v", name, stop)
	c := of(name, &apps.PPR{Stop: stop, Weighted: w}, g, []uint32{0}, func(*script) {})
	c.exact, c.outcome, c.Draws = stattest.Distribution{}, endOf, draws
	for outcome, p := range ends(g, 0, stop, w == app.Yes) {
		c.exact[outcome+"| "] = p
	}
	return c
}

func node2vecChecks() (checks []Check) {
	corners := []struct{ p, q float64 }{
		{1, 1}, {4, 0.25}, {0.25, 4}, {0.5, 2}, {2, 2}, {100, 100}, {1, 1000}, {1 << 30, 1 << 31}, {1.0 / (1 << 20), 1},
		{0.9, 7.5}, {0.25, 0.5},
	}
	for _, weighted := range []bool{false, true} {
		w, word := kind(weighted)
		places := []place{
			{"in the diamond", graphtest.Diamond(true)}, {"one way", graphtest.OneWay(true)},
			{"on a star", graphtest.Star(4, true)}, {"in the thicket", graphtest.Thicket(true)}, {"at a hub", graphtest.Hub(true)},
		}
		for _, place := range places {
			g, where := place.g, place.name
			for i, c := range corners {
				switch outliers := 1/c.p > max(1, 1/c.q); {
				case where == "in the thicket" && i > 2, where != "one way" && i == 0, where == "at a hub" && !outliers:
					continue
				}
				length := 3
				if where == "at a hub" { // which has many edges
					length = 2
				}
				a := &apps.Node2Vec{P: c.p, Q: c.q, Length: length, Weighted: w}
				program := secondOrder(g, 1, c.p, c.q, length, weighted)
				check := of(fmt.Sprintf("%s %s, p %v, q %v", word, where, c.p, c.q), a, g, []uint32{1}, program)
				if max(c.p, c.q) >= 100 {
					check.Draws = 12_000 // each makes many tries
				}
				checks = append(checks, check)
				if i == 1 {
					a := &apps.Node2Vec{P: c.p, Q: c.q, Length: 2, Weighted: w}
					program := secondOrder(g, 1, c.p, c.q, 2, weighted)
					checks = append(checks, of(word+" "+where, a, g, []uint32{1}, program).pairs(program), check.corners(0), check.corners(1))
				}
			}
		}
	}
	return checks
}
