package apptest

import (
	"fmt"
	"math"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
)

func init() { checksOf["TemporalWalk"] = temporalChecks }

// temporal is a walk along edges whose times ascend, or descend. scale is that of exponential decay.
func temporal(g *graph.Graph, root uint32, a apps.TemporalWalk, scale float64) func(*script) {
	// sooner reports whether the edge p is before the edge q on the walk.
	sooner := func(p, q uint64) bool {
		if a.Direction == apps.Backward {
			return g.Times[p] > g.Times[q]
		}
		return g.Times[p] < g.Times[q]
	}
	return func(s *script) {
		v, last := root, graph.NoEdge
		for range a.Length {
			if v == graph.None {
				s.write(graph.NoEdge)
				continue
			}
			// 1. The edges that may follow.
			first, end := g.Row(v)
			var may []uint64
			for p := first; p < end; p++ {
				follows := last == graph.NoEdge || sooner(last, p) || !a.Strict && !sooner(p, last)
				if follows && withinLimits(a, g.Times[p], last == graph.NoEdge) {
					may = append(may, p)
				}
			}
			// 2. Their weights: by the number of edges that are farther in time, or later in the row; or by time.
			weights := make([]float64, end-first)
			for _, p := range may {
				weight := 1.0
				for _, q := range may {
					switch {
					case a.Bias == app.LinearInTime && (sooner(p, q) || !sooner(q, p) && p < q):
						weight++
					case a.Bias == app.ExponentialInTime && sooner(q, p):
						between := math.Abs(float64(g.Times[p]) - float64(g.Times[q]))
						weight = min(weight, math.Exp(-between/scale))
					}
				}
				weights[p-first] = weight
			}
			i := s.choose(weights)
			if i < 0 {
				v = graph.None
				s.write(graph.NoEdge)
				continue
			}
			last = first + uint64(i)
			s.write(last)
			v = g.Indices[last]
		}
	}
}

// withinLimits reports whether a walk may take an edge at a time, as the first edge or a later one.
func withinLimits(a apps.TemporalWalk, time int64, first bool) bool {
	start, end := a.Start.All, a.End.All
	if a.Direction == apps.Backward {
		start, end = end, start
	}
	if start != nil && time < *start || end != nil && time > *end {
		return false
	}
	return !first || a.Window.All == nil || math.Abs(float64(time-*a.Start.All)) <= float64(*a.Window.All)
}

// meetings is a graph of people who meet: every edge has its reverse at the same time. Two pairs meet several times, also at
// the same time, and one vertex has a loop.
func meetings() *graph.Graph {
	var edges []graphtest.Edge
	var times []int64
	for _, e := range []struct {
		from, to uint32
		time     int64
	}{
		{0, 1, 5}, {0, 1, 5}, {0, 1, 9}, {1, 2, 5}, {1, 2, 7}, {2, 0, 6}, {2, 2, 7}, {1, 3, 8}, {3, 0, 9}, {3, 2, 4}, {0, 2, -2},
	} {
		edges, times = append(edges, graphtest.Edge{From: e.from, To: e.to, Bias: 1}), append(times, e.time)
	}
	for i, e := range edges {
		if e.From != e.To {
			edges, times = append(edges, graphtest.Edge{From: e.To, To: e.From, Bias: 1}), append(times, times[i])
		}
	}
	g := graphtest.Make(4, false, edges)
	g.Times = make([]int64, g.NumEdges())
	for p := range g.Times {
		g.Times[p] = times[g.EdgeID(uint64(p))]
	}
	return g
}

func temporalChecks() (checks []Check) {
	names := map[app.TimeBias]string{app.UniformInTime: "uniform", app.LinearInTime: "linear", app.ExponentialInTime: "exponential"}
	add := func(name string, a apps.TemporalWalk, g *graph.Graph, root uint32, scale float64) Check {
		way := []string{"forward", "backward"}[a.Direction]
		if !a.Strict {
			way += ", equal times too"
		}
		c := of(fmt.Sprintf("%s, %s, %s", names[a.Bias], way, name), &a, g, []uint32{root}, temporal(g, root, a, scale))
		checks = append(checks, c)
		return c
	}
	met, thicket, diamond := meetings(), graphtest.Timed(graphtest.Thicket(true)), graphtest.Timed(graphtest.Diamond(false))
	for bias := app.UniformInTime; bias <= app.ExponentialInTime; bias++ {
		scale := uint64(0)
		if bias == app.ExponentialInTime {
			scale = 2
		}
		for _, direction := range []apps.Direction{apps.Forward, apps.Backward} {
			for _, strict := range []bool{true, false} {
				a := apps.TemporalWalk{Length: 3, Direction: direction, Bias: bias, Strict: strict, Scale: scale}
				add("of meetings", a, met, 0, 2)
				add("in the diamond", a, diamond, 1, 2)
			}
		}
		a := apps.TemporalWalk{Length: 4, Bias: bias, Strict: true, Scale: scale}
		add("in the thicket", a, thicket, 0, 2)
		add("from a sink", a, thicket, 2, 2)
		c := add("from another person", a, met, 3, 2)
		for _, strict := range []bool{true, false} {
			limited := apps.TemporalWalk{Length: 3, Bias: bias, Strict: strict, Scale: scale, Start: app.AllAt(5), End: app.AllAt(8)}
			add("from a start to an end", limited, met, 0, 2)
			limited.Window = app.AllAt(2)
			c := add("in a window", limited, met, 1, 2)
			checks = append(checks, c.corners(0))
			limited.Direction, limited.Start, limited.End = apps.Backward, app.AllAt(9), app.AllAt(5)
			add("in a window", limited, met, 0, 2)
			add("to an end", apps.TemporalWalk{Length: 3, Bias: bias, Strict: strict, Scale: scale, End: app.AllAt(7)}, met, 0, 2)
		}
		a.Length = 2
		program := temporal(met, 3, a, 2)
		two := of(names[bias]+" of meetings", &a, met, []uint32{3}, program)
		checks = append(checks, two.pairs(program), c.corners(0), c.corners(1))
	}
	// The mean time between two edges of a vertex is 11 * 4 / 21 = 2 in the meetings, and far above 10 in the thicket.
	add("of meetings, by the graph's scale", apps.TemporalWalk{Length: 3, Bias: app.ExponentialInTime, Strict: true}, met, 1, 2)
	far := thicket.Times[0]
	near := far
	for _, t := range thicket.Times {
		far, near = max(far, t), min(near, t)
	}
	mean := math.Floor(float64(far-near) * float64(thicket.NumVertices()) / float64(thicket.NumEdges()))
	add("in the thicket, by the graph's scale", apps.TemporalWalk{Length: 3, Bias: app.ExponentialInTime}, thicket, 0, mean)
	return checks
}
