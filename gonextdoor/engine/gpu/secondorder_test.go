package gpu_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/plan"
)

// lumps is a graph of hubs whose neighbours lie together at both ends of the ids, where guesses of a place are wrong, and
// of rows that share them.
func lumps(weighted bool) *graph.Graph {
	const n = 6000
	var edges []graphtest.Edge
	for u := range uint32(3) {
		for i := range uint32(700) {
			edges = append(edges, graphtest.Edge{From: u, To: 10 + (u+1)*i, Bias: 1 + i%9}, graphtest.Edge{From: u, To: n - 1 - i, Bias: 1 << (i % 20)})
		}
	}
	for u := uint32(10); u < 60; u++ {
		edges = append(edges, graphtest.Edge{From: u, To: n - u, Bias: 3}, graphtest.Edge{From: u, To: u + 20, Bias: 1})
	}
	return graphtest.Make(n, weighted, graphtest.Both(edges))
}

// cable joins hubs by edges, most of which have parallels, beside edges to a few leaves: nearly every edge leads back.
func cable(weighted bool) *graph.Graph {
	var edges []graphtest.Edge
	for u := range uint32(20) {
		for i := range 20 * (u + 1) {
			edges = append(edges, graphtest.Edge{From: u, To: u ^ 1, Bias: 1 + i%3})
		}
		edges = append(edges, graphtest.Edge{From: u, To: (u + 2) % 20, Bias: 1}, graphtest.Edge{From: u, To: 20 + u, Bias: 2})
	}
	return graphtest.Make(40, weighted, graphtest.Both(edges))
}

// A step whose tries are all refused is taken by a scan of the row, by as many lanes as there are: at hubs nearly every one
// where going on is unlikely.
func TestRefusedStepsAreScanned(t *testing.T) {
	d := device(t)
	share := deviceShare(t, 7)
	for _, weighted := range []bool{false, true} {
		graphs := map[string]*graph.Graph{"lumps": lumps(weighted), "star": graphtest.Star(1500, weighted), "cable": cable(weighted)}
		for _, name := range slices.Sorted(maps.Keys(graphs)) {
			g := graphs[name]
			for _, a := range []app.App{
				&app.Node2Vec{P: 1, Q: 1 << 20, Length: 6}, &app.Node2Vec{P: 1 << 20, Q: 1, Length: 6},
				&app.Node2Vec{P: 1 << 12, Q: 1 << 11, Length: 6}, &app.Node2Vec{P: 2, Q: 0.5, Length: 6},
				&app.NonBacktracking{Length: 6},
			} {
				if !share.Takes() {
					continue
				}
				t.Run(fmt.Sprintf("%s/weighted %v/%s %+v", name, weighted, a.Name(), a), func(t *testing.T) {
					p, err := plan.New(a, g, 1)
					if err != nil {
						t.Fatal(err)
					}
					roots := make([]uint32, 100)
					for i := range roots {
						roots[i] = uint32(i*i) % 20 // hubs, and what lies beside them
					}
					c := call{plan: p, batch: plan.Batch{Roots: plan.Roots{Vertices: roots, Count: len(roots), Width: 1, Repeat: 1}, Seed: 5, Threads: 2, Edges: true}}
					if c.vertices, c.edges, err = c.run(cpu.Engine{}, nil); err != nil {
						t.Fatal(err)
					}
					for _, tuning := range []gpu.Tuning{{}, {LaunchSteps: 100, LaunchRows: 33}, {Variant: 3}} {
						c.check(t, gpu.Engine{Device: d, Tuning: tuning})
					}
				})
			}
			g.Close()
		}
	}
}
