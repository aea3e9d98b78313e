package neighbor

import (
	"errors"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/cputest"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/rng"
)

// kinds are the kinds of mini-batches that PyG requests.
var kinds = []struct {
	name     string
	m        app.NeighborSampling
	excluded int
}{
	{"pairs", app.NeighborSampling{}, 0},
	{"blocks", app.NeighborSampling{Expand: app.ExpandAll, Layout: app.CSC}, 0},
	{"replace", app.NeighborSampling{Replace: true}, 0},
	{"weighted", app.NeighborSampling{Weighted: app.Yes}, 0},
	{"weighted,replace", app.NeighborSampling{Weighted: app.Yes, Replace: true}, 0},
	{"excluded", app.NeighborSampling{}, 2048},
	{"weighted,excluded", app.NeighborSampling{Weighted: app.Yes}, 2048},
	{"disjoint", app.NeighborSampling{Disjoint: true}, 0},
	{"uniform", app.NeighborSampling{Disjoint: true, Temporal: app.TemporalUniform}, 0},
	{"last", app.NeighborSampling{Disjoint: true, Temporal: app.TemporalLast}, 0},
	{"weighted,uniform", app.NeighborSampling{Weighted: app.Yes, Disjoint: true, Temporal: app.TemporalUniform}, 0},
	{"labor", app.NeighborSampling{Method: app.MethodLabor}, 0},
	{"labor,poisson", app.NeighborSampling{Method: app.MethodLaborPoisson}, 0},
	{"weighted,labor", app.NeighborSampling{Method: app.MethodLabor, Weighted: app.Yes}, 0},
	{"labor,excluded", app.NeighborSampling{Method: app.MethodLabor}, 2048},
	{"fanouts=30,30", app.NeighborSampling{Fanouts: each(30, 30)}, 0},
}

// BenchmarkBatchesOfKinds reports CPU time per edge, which other programs affect less than wall time.
func BenchmarkBatchesOfKinds(b *testing.B) {
	r := build.RMAT{Scale: 18, EdgeFactor: 16, Symmetric: true, Low: 1, High: 5}
	if testing.Short() {
		r.Scale = 14
	}
	g, err := r.Graph()
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	for p := range g.NumEdges() {
		g.Times = append(g.Times, int64(rng.Key(1).Word(uint64(p))%1000))
	}
	h := graph.Homogeneous(g)
	p, err := NewSampler(h)
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	for _, k := range kinds {
		m := k.m
		if m.Fanouts == nil {
			m.Fanouts = each(15, 10, 5)
		}
		if m.Weighted != app.Yes {
			m.Weighted = app.No
		}
		if m.Layout == "" {
			m.Expand, m.Layout = app.ExpandNew, app.COO
		}
		if err := errors.Join(m.Bind(h), m.BuildTables(h, graph.Options{})); err != nil {
			b.Fatal(err)
		}
		b.Run(k.name, func(b *testing.B) { benchmarkKind(b, p, &m, k.excluded) })
	}
}

func benchmarkKind(b *testing.B, p *Sampler, m *app.NeighborSampling, excluded int) {
	g := p.graph.Relations[0].Graph
	batches := make([]app.SeedNodes, 16)
	for i := range batches {
		s := app.SeedNodes{Vertices: [][]uint32{cputest.SomeVertices(g, 1024, uint64(i))}}
		for j := range s.Count() {
			if m.Temporal != "" {
				s.Times = append(s.Times, int64(rng.Key(2).Word(uint64(j))%1000))
			}
		}
		if excluded > 0 {
			s.Excluded = make([][]int64, 1)
		}
		for j := range excluded {
			at, _ := rng.Below(rng.Key(3).Word(uint64(i*excluded+j)), uint64(g.NumEdges()))
			s.Excluded[0] = append(s.Excluded[0], int64(g.EdgeID(at)))
		}
		batches[i] = s
	}
	draw := func(i int) (edges int) {
		out, err := p.Sample(m, uint64(i), batches[i%16], 1, nil)
		if err != nil {
			b.Fatal(err)
		}
		defer out.Return()
		for _, pairs := range out.Pairs {
			edges += len(pairs.Sources)
		}
		for _, hop := range out.Hops {
			edges += len(hop[0].Indices)
		}
		return edges
	}
	draw(0) // builds the tables
	edges, begin := 0, cputest.CPUTime()
	for i := 0; b.Loop(); i++ {
		edges += draw(i)
	}
	b.ReportMetric((cputest.CPUTime()-begin)/float64(max(edges, 1)), "cpu-ns/edge")
	b.ReportMetric(float64(edges)/float64(b.N)/1000, "k-edges/batch")
}
