package gpu_test

import (
	"fmt"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// isTree reports whether a case is a tree that the GPU runs.
func isTree(c enginetest.Case) bool {
	_, khop := c.App.(*apps.KHop)
	_, neighbor := c.App.(*apps.Neighbor)
	return (khop || neighbor) && runs(c)
}

func TestTrees(t *testing.T) {
	d := device(t)
	share := deviceShare(t, 53)
	conform(t, d, tunings, isTree, share)
}

// hub returns a graph in which vertex 0 has that many edges, and every other vertex one to vertex 0 and one to the next. A
// few edges of the hub have nearly all of its weight if steep is set; every fifth has none.
func hub(edges int, steep bool) *graph.Graph {
	list := make([]graphtest.Edge, 0, 3*edges)
	for i := range edges {
		bias := uint32(i % 5)
		if steep {
			bias = min(bias, 1)
			if i%(edges/3) == 7 {
				bias = 1 << 24
			}
		}
		v := uint32(i + 1)
		list = append(list, graphtest.Edge{From: 0, To: v, Bias: bias}, graphtest.Edge{From: v, Bias: 3}, graphtest.Edge{From: v, To: v%uint32(edges) + 1, Bias: 1})
	}
	return graphtest.Make(edges+1, true, list)
}

// treeCall returns a call for trees with roots of two vertices, the first of which is the hub in every other row.
func treeCall(t *testing.T, a app.App, g *graph.Graph, rows int) call {
	t.Helper()
	p, err := plan.New(a, g, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.BuildTables(p.Graph, graph.Options{}); err != nil {
		t.Fatal(err)
	}
	roots := make([]uint32, 2*rows)
	for i := range roots {
		roots[i] = uint32(i * (i % 4) % g.NumVertices())
	}
	c := call{plan: p, batch: plan.Batch{
		Roots: plan.Roots{Vertices: roots, Count: rows, Width: 2, Repeat: 1}, Seed: 5, First: 1 << 33, Threads: 1, Edges: true,
	}}
	if c.vertices, c.edges, err = c.run(cpu.Engine{}, nil); err != nil {
		t.Fatal(err)
	}
	return c
}

// Each fan-out is for another size of groups, has a kernel for itself, or exceeds all degrees.
func TestTreesOfLargeFanouts(t *testing.T) {
	d := device(t)
	share := deviceShare(t, 9)
	for _, steep := range []bool{false, true} {
		g := hub(1500, steep)
		defer g.Close()
		for _, fanouts := range [][]int{{25, 10}, {15, 5}, {32, 2}, {33, 3}, {2, 257}, {1030}, {1499, 1}, {1500}, {5000}} {
			for _, a := range []apps.KHop{{Weighted: app.No}, {Weighted: app.Yes}, {Weighted: app.No, Replace: true}, {Weighted: app.Yes, Replace: true}} {
				if !share.Takes() {
					continue
				}
				a.Fanouts = fanouts
				t.Run(fmt.Sprintf("steep %v, %+v", steep, a), func(t *testing.T) {
					c := treeCall(t, &a, g, 9)
					for _, tuning := range []gpu.Tuning{{}, {Variant: 99, LaunchRows: 4, LaunchSteps: 1000}} {
						c.check(t, gpu.Engine{Device: d, Tuning: tuning})
					}
				})
			}
		}
	}
}

// Fan-outs with a kernel for each, of a row that is little longer: draws repeat often. Of 40 rows, the picks of four are
// written together.
func TestTreesOfFewPicks(t *testing.T) {
	d := device(t)
	for i, fanout := range kernels.FewFanouts {
		for _, weights := range []app.Weighted{app.No, app.Yes} {
			for _, rows := range []int{40, 41} {
				g := hub(fanout+3+40*(rows%2), i%2 == rows%2)
				defer g.Close()
				c := treeCall(t, &apps.KHop{Weighted: weights, Fanouts: []int{fanout, fanout}}, g, rows)
				for _, tuning := range []gpu.Tuning{{}, {Variant: 99}, {Order: plan.TransitOrder}} {
					c.check(t, gpu.Engine{Device: d, Tuning: tuning})
				}
			}
		}
	}
}

// The rows of a hub of 10^6 edges are too long for one thread. The emulated driver takes minutes for the alias table of such
// a row.
func TestTreesAtHubs(t *testing.T) {
	d := device(t)
	share := deviceShare(t, 4)
	for _, steep := range []bool{false, true} {
		for _, a := range []apps.KHop{{Weighted: app.No}, {Weighted: app.Yes}} {
			if !share.Takes() {
				continue
			}
			edges := 1_000_000
			if a.Weighted == app.Yes && !cudatest.Real() {
				edges = 20_000
			}
			g := hub(edges, steep)
			defer g.Close()
			a.Fanouts = []int{6, 2}
			treeCall(t, &a, g, 7).check(t, gpu.Engine{Device: d})
		}
	}
}

// The number of rows exceeds a block, and launches are cut within the rows, the transits and the words of postponed choices.
func TestTreesOfManyRows(t *testing.T) {
	d := device(t)
	share := deviceShare(t, 4)
	for _, a := range []apps.KHop{
		{Weighted: app.Yes}, {Weighted: app.No}, {Weighted: app.No, Replace: true}, {Weighted: app.Yes, Replace: true},
	} {
		if !share.Takes() {
			continue
		}
		g := hub(90, true)
		defer g.Close()
		a.Fanouts = []int{4, 3}
		c := treeCall(t, &a, g, 1200)
		for _, tuning := range []gpu.Tuning{{}, {LaunchRows: 70, LaunchSteps: 900}, {LaunchRows: 1 << 20, LaunchSteps: 1 << 13, Variant: 1}} {
			c.check(t, gpu.Engine{Device: d, Tuning: tuning})
		}
	}
}

// Choices of more picks than fit the shared memory are made in device memory. Of a steep row, scans choose the last picks.
func TestTreesOfLongChoices(t *testing.T) {
	d := device(t)
	share := deviceShare(t, 5)
	for _, steep := range []bool{false, true} {
		g := hub(6000, steep)
		defer g.Close()
		for _, fanouts := range [][]int{{4097, 1}, {1, 4500}} {
			for _, weights := range []app.Weighted{app.No, app.Yes} {
				if !share.Takes() {
					continue
				}
				a := &apps.KHop{Fanouts: fanouts, Weighted: weights}
				t.Run(fmt.Sprintf("steep %v, %+v", steep, a), func(t *testing.T) {
					c := treeCall(t, a, g, 2)
					for _, tuning := range []gpu.Tuning{{}, {Variant: 1, LaunchSteps: 5000}} {
						c.check(t, gpu.Engine{Device: d, Tuning: tuning})
					}
				})
			}
		}
	}
}
