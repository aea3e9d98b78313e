package gpu_test

import (
	"fmt"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// hubs returns a graph with two rows of which nearly all tries are rejected. The row of vertex 1 has 100 edges to vertex 0 and
// one to vertex 2; its row is left by NonBacktracking along the latter. Vertex 3 has one heavy edge among 101.
func hubs(t *testing.T) *graph.Graph {
	t.Helper()
	edges := []graphtest.Edge{{From: 0, To: 1, Bias: 1}, {From: 1, To: 2, Bias: 1}, {From: 2, To: 3, Bias: 1}, {From: 3, To: 1, Bias: 1 << 31}}
	for range 100 {
		edges = append(edges, graphtest.Edge{From: 1, To: 0, Bias: 1 << 20}, graphtest.Edge{From: 3, To: 1, Bias: 1})
	}
	g := graphtest.Make(4, true, edges)
	t.Cleanup(g.Close)
	return g
}

// Warps read the rows of walkers of which all tries are rejected. A walker then waits for the part of its next row, also if no
// other walker does.
func TestWarpsReadRowsOfParts(t *testing.T) {
	d := device(t)
	g := hubs(t)
	for _, a := range []app.App{
		&apps.NonBacktracking{Length: 30, Weighted: app.No}, &apps.NonBacktracking{Length: 30, Weighted: app.Yes},
		&apps.DeepWalk{Length: 30, Weighted: app.Computed}, &apps.PPR{Stop: 0.01, Weighted: app.Computed},
	} {
		p, err := plan.New(a, g, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, roots := range []plan.Roots{{Vertices: []uint32{2}, Count: 1, Width: 1, Repeat: 1}, {Count: 4, Width: 1, Repeat: 700}} {
			c := call{plan: p, batch: plan.Batch{Roots: roots, Seed: 3, Threads: 1, Edges: true}}
			if c.vertices, c.edges, err = c.run(cpu.Engine{}, nil); err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(c.vertices, 3) || !slices.Contains(c.vertices, 0) {
				t.Fatalf("%s: no walk passes both rows", a.Name())
			}
			for _, tuning := range []gpu.Tuning{{Parts: 2, PartSlots: 2}, {Parts: 4, PartSlots: 2, LaunchSteps: 1, ChunkSteps: 3}} {
				t.Run(fmt.Sprintf("%s %d/%d parts", a.Name(), roots.Samples(), tuning.Parts), func(t *testing.T) {
					c.check(t, gpu.Engine{Device: d, Tuning: tuning})
				})
			}
		}
	}
}

// On a symmetric graph without parallel edges, there is exactly one edge back. Its position is searched only if it is recorded.
func TestOutliersOfPartsOnSymmetricGraphs(t *testing.T) {
	d := device(t)
	for _, g := range []*graph.Graph{graphtest.Circle(false), graphtest.Star(90, false), symmetric(t)} {
		defer g.Close()
		for _, a := range []apps.Node2Vec{
			{P: 0.25, Q: 4, Length: 9, Weighted: app.No}, {P: 0.01, Q: 0.5, Length: 9, Weighted: app.No}, {P: 0.9, Q: 1, Length: 9, Weighted: app.No},
		} {
			p, err := plan.New(&a, g, 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, edges := range []bool{false, true} {
				c := call{plan: p, batch: plan.Batch{
					Roots: plan.Roots{Count: g.NumVertices(), Width: 1, Repeat: 3}, Seed: 8, Threads: 1, Edges: edges,
				}}
				if c.vertices, c.edges, err = c.run(cpu.Engine{}, nil); err != nil {
					t.Fatal(err)
				}
				for _, tuning := range []gpu.Tuning{{Parts: 2, PartSlots: 2}, {Parts: 5, PartSlots: 3, LaunchSteps: 1}} {
					c.check(t, gpu.Engine{Device: d, Tuning: tuning})
				}
			}
		}
	}
}

// symmetric returns a symmetric graph without parallel edges.
func symmetric(t *testing.T) *graph.Graph {
	t.Helper()
	key := rng.NewStream(6, rng.Edges)
	present := map[[2]uint32]bool{}
	for i := range uint64(900) {
		u, _ := rng.Below(key.Key(i).Word(0), 120)
		v, _ := rng.Below(key.Key(i).Word(1), 120)
		present[[2]uint32{uint32(u * v / 120), uint32(v)}] = true
		present[[2]uint32{uint32(v), uint32(u * v / 120)}] = true
	}
	var list []graphtest.Edge
	for e := range present {
		list = append(list, graphtest.Edge{From: e[0], To: e[1]})
	}
	g := graphtest.Make(120, false, list)
	if mirrored, err := index.Symmetric(g, graph.Options{}); err != nil || !mirrored {
		t.Fatalf("the graph is not symmetric: %v", err)
	}
	if reach, err := index.ReachOf(g, false, graph.Options{}); err != nil || reach != nil {
		t.Fatalf("the graph has parallel edges: %v", err)
	}
	return g
}
