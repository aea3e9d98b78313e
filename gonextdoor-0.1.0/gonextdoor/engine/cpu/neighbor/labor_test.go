package neighbor

import (
	"fmt"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/cputest"
	"gonextdoor/gonextdoor/graph"
)

var laborMethods = []app.Method{app.MethodLabor, app.MethodLaborPoisson}

// Rows longer than a block of keys equal the definition, with excluded edges and without.
func TestLaborInLongRows(t *testing.T) {
	cputest.NoLeak(t)
	for _, weighted := range []bool{false, true} {
		g := cputest.Hub(5000, weighted)
		for _, method := range laborMethods {
			for _, packed := range []bool{false, true} {
				p := samplerOf(t, g, packed, true)
				p.NoAVX512 = !packed
				for _, k := range []int{1, 10, 60, 1023, 4000, -1} {
					m := app.NeighborSampling{Fanouts: each(k, 2), Method: method, Weighted: app.Auto}
					if method == app.MethodLaborPoisson {
						m.Weighted = app.No
					}
					for seed := range uint64(5) {
						equalsDefinition(t, g, p, bound(t, g, m), seed, batchOf(g), nil)
						equalsDefinition(t, g, p, bound(t, g, m), seed, []uint32{0}, []int64{0, 5, 6, 7, 2000, 4999})
					}
				}
				p.Close()
			}
		}
		g.Close()
	}
}

// A batch by LABOR does not depend on the number of threads.
func TestLaborOnManyThreads(t *testing.T) {
	cputest.NoLeak(t)
	g := parallelGraph(t)
	defer g.Close()
	h := graph.Homogeneous(g)
	batch := app.SeedNodes{Vertices: [][]uint32{cputest.SomeVertices(g, 2000, 1)}}
	for kind := range 8 {
		for _, f := range [][]int{{15, 10}, {3, 2}, {30}, {-1}} {
			m := &app.NeighborSampling{Fanouts: each(f...), Weighted: app.No, Expand: app.ExpandAll, Layout: app.CSC}
			m.Method, m.LayerDependency = laborMethods[kind&1], kind&2 != 0
			if kind&4 != 0 {
				m.Expand, m.Layout = app.ExpandNew, app.COO
			}
			t.Run(fmt.Sprintf("%+v", *m), func(t *testing.T) { sameOnManyThreads(t, h, m, batch, kind%3 == 0, kind%5 == 0) })
		}
	}
}

// Memory for a batch by Poisson sampling, whose number of edges is random, is reserved as it is needed.
func TestLaborPoissonGrowsItsMemory(t *testing.T) {
	cputest.NoLeak(t)
	g := cputest.Random(700, 9000, false)
	defer g.Close()
	p := samplerOf(t, g, true, true)
	defer p.Close()
	for _, layout := range []app.Layout{app.CSC, app.COO} {
		m := &app.NeighborSampling{Fanouts: each(4, 3), Weighted: app.No, Method: app.MethodLaborPoisson, Layout: layout}
		batch := seedsOf(batchOf(g), nil)
		want, err := p.Sample(m, 1, batch, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, learned := range []int{0, 1, 10, 100, 1 << 16} {
			for i := range p.workspaces[0].usage {
				p.workspaces[0].usage[i] = (learned + i*i) % (learned + 7)
			}
			got, err := p.Sample(m, 1, batch, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			sameBatch(t, got, want)
			got.Return()
		}
		want.Return()
	}
}
