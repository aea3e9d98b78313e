package enginetest

import (
	"fmt"
	"math"
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/rng"
)

// batchPlace is a graph with the name that cases of mini-batches report.
type batchPlace struct {
	name string
	h    *graph.Hetero
}

func batchPlaces() (all []batchPlace) {
	for _, p := range graphs() {
		all = append(all, batchPlace{p.name, graph.Homogeneous(p.g)})
	}
	for _, weighted := range []bool{false, true} {
		word := " unweighted"
		if weighted {
			word = " weighted"
		}
		byVertex := graph.Homogeneous(graphtest.Thicket(weighted))
		byVertex.Times = [][]int64{moments(byVertex.Counts[0], 5)}
		all = append(all,
			batchPlace{"thicket, times of vertices," + word, byVertex},
			batchPlace{"wild, times of edges," + word, graph.Homogeneous(timed(wild(120, 1100, weighted), 9))},
			batchPlace{"star, times of edges," + word, graph.Homogeneous(timed(graphtest.Star(400, weighted), 300))},
			batchPlace{"several types" + word, several(weighted)},
		)
	}
	return all
}

// timed returns the graph with times of its edges, few enough distinct ones that some are equal.
func timed(g *graph.Graph, different uint64) *graph.Graph {
	g.Times = moments(g.NumEdges(), different)
	return g
}

// moments returns n times from the smallest to the largest int64.
func moments(n int, different uint64) []int64 {
	times := make([]int64, n)
	for i := range times {
		at, _ := rng.Below(rng.NewStream(6, rng.Edges).Key(uint64(i)).Word(0), different)
		times[i] = moment(at)
	}
	return times
}

func moment(at uint64) int64 {
	switch at {
	case 0:
		return math.MinInt64
	case 1:
		return math.MaxInt64
	}
	return int64(at) * 100
}

// several returns a graph with three types and relations of every kind: within a type and between two, with many edges and
// none, with weights and without, with times of edges or vertices and without, with ids of 32 and 64 bits.
func several(weighted bool) *graph.Hetero {
	h := &graph.Hetero{Counts: []int{70, 30, 5}, Types: []string{"paper", "author", "field"}}
	h.Times = [][]int64{moments(70, 6), nil, moments(5, 3)}
	relate := func(destination, source, edges int, weighted bool) *graph.Graph {
		var list []graphtest.Edge
		for i := range edges {
			key := rng.NewStream(uint64(5+destination), rng.Edges).Key(uint64(100*source + i))
			from, _ := rng.Below(key.Word(0), uint64(h.Counts[destination]))
			to, _ := rng.Below(key.Word(1), uint64(h.Counts[source]))
			bias, _ := rng.Below(key.Word(2), 7)
			list = append(list, graphtest.Edge{From: uint32(from * from / uint64(h.Counts[destination])), To: uint32(to), Bias: uint32(bias)})
		}
		g := graphtest.Make(max(h.Counts[destination], h.Counts[source]), weighted, list)
		h.Relations = append(h.Relations, graph.Relation{Graph: g, Destination: destination, Source: source, Name: fmt.Sprint(len(h.Relations))})
		return g
	}
	timed(relate(0, 0, 600, weighted), 8)
	relate(0, 1, 300, weighted) // the sources have no times
	wideIDs(relate(1, 0, 300, !weighted))
	relate(2, 0, 0, weighted)
	relate(0, 2, 90, false)
	return h
}

// batchCases returns blocks as in DGL on a graph with one relation, and all other options.
func batchCases(p batchPlace) (cases []BatchCase) {
	if len(p.h.Counts) == 1 && len(p.h.Relations) == 1 {
		cases = blockCases(p)
	}
	n := uint64(0)
	for _, fanouts := range [][]int{{1}, {3, 2}, {-1, 2}, {2, 0, 2}, {0}, {80, -1}, {5, 4, 3, 2}, {25, 10}} {
		for _, expand := range []app.Expand{app.ExpandAll, app.ExpandNew} {
			for _, replace := range []bool{false, true} {
				for _, kind := range []string{"", "disjoint", "uniform", "last"} {
					n++
					m := &app.NeighborSampling{Expand: expand, Replace: replace, Disjoint: kind != "", Layout: app.CSC, Weighted: app.No}
					if kind != "" && kind != "disjoint" {
						m.Temporal = app.Temporal(kind)
					}
					if n%3 > 0 {
						m.Layout = app.COO
					}
					if n%5 > 1 {
						m.Weighted = app.Auto
					}
					if c, ok := optionCase(p, m, fanouts, n); ok {
						cases = append(cases, c)
					}
				}
			}
		}
	}
	return append(cases, laborCases(p)...)
}

// laborCases returns batches by LABOR with all other options.
func laborCases(p batchPlace) (cases []BatchCase) {
	n := uint64(0)
	for _, fanouts := range [][]int{{1}, {3, 2}, {-1, 2}, {2, 0, 2}, {80, -1}, {5, 4, 3}, {25, 10}} {
		for _, method := range []app.Method{app.MethodLabor, app.MethodLaborPoisson} {
			for _, weighted := range []app.Weighted{app.No, app.Auto} {
				for _, dependent := range []bool{false, true} {
					n++
					m := &app.NeighborSampling{Method: method, LayerDependency: dependent, Weighted: weighted, Layout: app.CSC, Expand: app.ExpandAll}
					if n%3 > 0 {
						m.Layout = app.COO
					}
					if n%5 > 1 {
						m.Expand = app.ExpandNew
					}
					if c, ok := optionCase(p, m, fanouts, n); ok {
						cases = append(cases, c)
					}
				}
			}
		}
	}
	return cases
}

// optionCase returns a case on a graph, unless it needs times and the graph has none.
func optionCase(p batchPlace, m *app.NeighborSampling, fanouts []int, n uint64) (c BatchCase, ok bool) {
	for _, f := range fanouts {
		hop := slices.Repeat([]int{f}, len(p.h.Relations))
		for r := 1; r < len(hop); r++ {
			hop[r] = []int{f, 2, 0, -1, 1}[(n+uint64(r))%5]
		}
		m.Fanouts = append(m.Fanouts, hop)
	}
	if m.Check() != nil || m.Bind(p.h) != nil { // they take all edges, or need times
		return c, false
	}
	c = BatchCase{App: m, Graph: p.h, Seed: n<<61 + n}
	c.SeedNodes = seedsOf(p.h, m, n)
	c.Name = fmt.Sprintf("%s/%+v, case %d, batch of %d", p.name, *m, n, c.SeedNodes.Count())
	return c, true
}

// seedsOf returns seed nodes of all types, some of which occur twice if allowed, times that are equal to those of edges, close
// to them and far from all, and some excluded edges.
func seedsOf(h *graph.Hetero, m *app.NeighborSampling, n uint64) (s app.SeedNodes) {
	for t, count := range h.Counts {
		var vertices []uint32
		for i := range min(count, []int{6, 1, 0, 20}[(n+uint64(t))%4]) {
			vertices = append(vertices, uint32((i*7+int(n))%count))
		}
		if !m.Disjoint {
			slices.Sort(vertices)
			vertices = slices.Compact(vertices)
			slices.Reverse(vertices)
		} else if len(vertices) > 2 {
			vertices[2] = vertices[0]
		}
		s.Vertices = append(s.Vertices, vertices)
	}
	if m.Temporal != "" {
		s.Times = []int64{}
		for i := range s.Count() {
			s.Times = append(s.Times, moment(uint64(i*5)%9)-int64(i%3)/2)
		}
		if n%4 != 3 {
			s.Windows = windows(s.Count())
		}
	}
	if n%3 == 1 {
		for _, r := range h.Relations {
			var ids []int64
			for p := uint64(n % 4); p < uint64(r.Graph.NumEdges()); p += 1 + n%5 {
				ids = append(ids, int64(r.Graph.EdgeID(p)))
			}
			s.Excluded = append(s.Excluded, ids)
		}
	}
	return s
}

// windows returns n windows: none at all, some in which there are few edges, and the longest.
func windows(n int) []int64 {
	all := make([]int64, n)
	for i := range all {
		all[i] = []int64{200, 0, math.MaxInt64, 401, 99}[i%5]
	}
	return all
}

// blockCases returns blocks in which every hop expands all nodes discovered so far.
func blockCases(p batchPlace) (cases []BatchCase) {
	g := p.h.Relations[0].Graph
	n, edges := g.NumVertices(), g.NumEdges()
	for i, fanouts := range [][]int{{1}, {3, 2}, {-1}, {2, -1}, {-1, 4}, {1, 1, 1, 1}, {80, 3}, {25, 10}} {
		for _, replace := range []bool{false, true} {
			for _, weighted := range []app.Weighted{app.Auto, app.No} {
				for _, part := range []int{0, 1, 3} { // excluded edges: none, every third, all except every third
					c := BatchCase{App: &app.NeighborSampling{Replace: replace, Weighted: weighted}, Graph: p.h, Seed: uint64(i)<<60 + uint64(part)}
					for _, f := range fanouts {
						c.App.Fanouts = append(c.App.Fanouts, []int{f})
					}
					size := min(n, []int{0, 1, 5, 40}[(i+part)%4])
					var batch []uint32
					for v := range size {
						batch = append(batch, uint32((n-1-v*3%n+n)%n))
					}
					slices.Sort(batch)
					batch = slices.Compact(batch)
					slices.Reverse(batch)
					var excluded []int64
					for e := range edges {
						if part == 1 && e%3 == 0 || part == 3 && e%3 != 0 {
							excluded = append(excluded, int64(e))
						}
					}
					c.SeedNodes = app.SeedNodes{Vertices: [][]uint32{batch}, Excluded: [][]int64{excluded}}
					c.Name = fmt.Sprintf("%s/%+v, batch of %d, %d edges left out", p.name, *c.App, len(batch), len(excluded))
					cases = append(cases, c)
				}
			}
		}
	}
	return cases
}
