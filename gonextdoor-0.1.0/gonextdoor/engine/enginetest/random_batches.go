package enginetest

import (
	"fmt"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/rng"
)

// RunRandomBatches compares mini-batches of random options on graphs of some thousand vertices, large enough for every
// block, node group and table of an engine to be filled more than once.
func RunRandomBatches(t *testing.T, newSampler NewSampler, batches int, wanted func(c BatchCase) bool) {
	lent := offheap.Results.Out()
	for _, weighted := range []bool{false, true} {
		p, q := random(1, weighted), random(2, false)
		n := p.NumVertices()
		one, two := graph.Homogeneous(p), &graph.Hetero{
			Counts: []int{n, n}, Types: []string{"p", "q"},
			Relations: []graph.Relation{{Graph: p}, {Graph: q, Source: 1}, {Graph: random(3, weighted), Destination: 1}},
		}
		one.Times, two.Times = [][]int64{moments(n, 40)}, [][]int64{moments(n, 40), nil}
		for _, h := range []*graph.Hetero{one, two} {
			s, free, err := newSampler(h)
			if err != nil {
				t.Fatal(err)
			}
			for i := range batches {
				c := randomBatch(h, uint64(i))
				if c.App.Bind(h) != nil || !wanted(c) {
					continue
				}
				if err := c.Check(s); err != nil {
					t.Errorf("%d relations, %s: %.300v", len(h.Relations), c.Name, err)
				}
			}
			free()
		}
		for _, r := range two.Relations {
			r.Graph.Close()
		}
	}
	if n := offheap.Results.Out(); n != lent {
		t.Errorf("%d results are lent, %d were before", n, lent)
	}
}

// random returns a graph whose number of vertices does not depend on the seed.
func random(seed uint64, weighted bool) *graph.Graph {
	r := build.RMAT{Scale: 13, EdgeFactor: 12, A: 0.57, B: 0.19, C: 0.19, Symmetric: true, Seed: seed}
	if weighted {
		r.Low, r.High = 1, 9
	}
	g, err := r.Graph()
	if err != nil {
		panic(err)
	}
	return g
}

// randomBatch returns a case with random options, by the words of its number.
func randomBatch(h *graph.Hetero, number uint64) BatchCase {
	key, slot := rng.NewStream(3, rng.Seeds).Key(number), uint64(0)
	below := func(n int) int {
		slot++
		i, _ := rng.Below(key.Word(slot), uint64(n))
		return int(i)
	}
	m := &app.NeighborSampling{
		Disjoint: below(2) == 0, Replace: below(2) == 0, Expand: []app.Expand{app.ExpandAll, app.ExpandNew}[below(2)],
		Layout: []app.Layout{app.CSC, app.COO}[below(2)], Weighted: []app.Weighted{app.Auto, app.No}[below(2)],
	}
	if kind := below(3); m.Disjoint && kind > 0 {
		m.Temporal = []app.Temporal{app.TemporalUniform, app.TemporalLast}[kind-1]
		m.Replace = m.Replace && m.Temporal != app.TemporalLast
	}
	most := 7 // only batches of one hop take many edges of a vertex
	for range 1 + below(3) {
		var fanouts []int
		for range h.Relations {
			f := []int{1, 5, 0, 15, 3, 70, -1}[below(most)]
			if f < 0 || f > 15 {
				most = 5
			}
			fanouts = append(fanouts, f)
		}
		m.Fanouts = append(m.Fanouts, fanouts)
	}
	c := BatchCase{App: m, Graph: h, Seed: key.Word(0)}
	for _, count := range h.Counts {
		c.SeedNodes.Vertices = append(c.SeedNodes.Vertices, randomSeedNodes(below, count, m.Disjoint))
	}
	if m.Temporal != "" {
		c.SeedNodes.Times = []int64{}
		for range c.SeedNodes.Count() {
			c.SeedNodes.Times = append(c.SeedNodes.Times, moment(uint64(below(42)))-int64(below(2)))
		}
		if below(2) == 0 {
			c.SeedNodes.Windows = windows(c.SeedNodes.Count())
		}
	}
	if below(3) == 0 {
		for _, r := range h.Relations {
			var ids []int64
			for range below(3000) {
				ids = append(ids, int64(below(r.Graph.NumEdges()/2))) // an id may have two edges
			}
			c.SeedNodes.Excluded = append(c.SeedNodes.Excluded, ids)
		}
	}
	if method := below(4); !m.Disjoint && !m.Replace && method > 1 {
		m.Method, m.LayerDependency = []app.Method{app.MethodLabor, app.MethodLaborPoisson}[method-2], below(2) == 0
	}
	c.Name = fmt.Sprintf("%+v, random batch %d of %d", *m, number, c.SeedNodes.Count())
	return c
}

// randomSeedNodes draws up to 300 of count vertices, which may repeat if repeats is true.
func randomSeedNodes(below func(n int) int, count int, repeats bool) []uint32 {
	seen, vertices := map[uint32]bool{}, []uint32{}
	for range []int{0, 1, 40, 300}[below(4)] {
		if v := uint32(below(count)); repeats || !seen[v] {
			seen[v], vertices = true, append(vertices, v)
		}
	}
	return vertices
}
