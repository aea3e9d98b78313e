package gpu_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels/entry"
)

// Every app of the second-order driver has an image of its name in lower case, with the two kernels of each variant.
func TestSecondOrderAppsHaveKernels(t *testing.T) {
	written := map[string]bool{}
	for _, f := range entry.Table() {
		for _, k := range f.Kernels {
			written[f.Name+".cu: "+k.Name] = true
		}
	}
	tested := 0
	for name, spec := range apps.Specs {
		if spec.Driver != app.DriverSecondOrder {
			continue
		}
		tested++
		image := strings.ToLower(name)
		for _, kernel := range []string{image, image + "_rest"} {
			for _, variant := range []string{"_uniform_packed", "_uniform_plain", "_alias_packed", "_alias_plain"} {
				if !written[image+".cu: "+kernel+variant] {
					t.Errorf("%s runs by the second-order driver, but kernels/entry/table.go has no kernel %s in %s.cu", name, kernel+variant, image)
				}
			}
		}
	}
	if tested < 2 {
		t.Errorf("%d apps run by the second-order driver, which has at least Node2Vec and NonBacktracking", tested)
	}
}

// lumps returns a graph with hubs whose neighbours are concentrated at both ends of the ids. An interpolated search of their
// rows guesses wrong. Other rows share these neighbours, and have loops.
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
		edges = append(edges, graphtest.Edge{From: u, To: u, Bias: 2}) // so a step back is one to a neighbour too
	}
	return graphtest.Make(n, weighted, graphtest.Both(edges))
}

// cable returns pairs of hubs with many parallel edges and a few leaves, so that nearly every edge leads back.
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

// If all tries of a step are rejected, the lanes scan the row. At hubs this is true of nearly every step if an accepted edge
// is unlikely.
func TestRefusedStepsAreScanned(t *testing.T) {
	d := device(t)
	share := deviceShare(t, 7)
	for _, weighted := range []bool{false, true} {
		graphs := map[string]*graph.Graph{"lumps": lumps(weighted), "star": graphtest.Star(1500, weighted), "cable": cable(weighted), "hub": graphtest.Hub(weighted)}
		for _, name := range slices.Sorted(maps.Keys(graphs)) {
			g := graphs[name]
			for _, a := range []app.App{
				&apps.Node2Vec{P: 1, Q: 1 << 20, Length: 6}, &apps.Node2Vec{P: 1 << 20, Q: 1, Length: 6},
				&apps.Node2Vec{P: 1 << 12, Q: 1 << 11, Length: 6}, &apps.Node2Vec{P: 2, Q: 0.5, Length: 6},
				&apps.NonBacktracking{Length: 6},
				&apps.Node2Vec{P: 0.25, Q: 4, Length: 12}, &apps.Node2Vec{P: 0.3, Q: 7.5, Length: 12},
				&apps.Node2Vec{P: 0.25, Q: 0.5, Length: 6}, &apps.Node2Vec{P: 1.0 / (1 << 16), Q: 1 << 12, Length: 6},
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
						roots[i] = uint32(i*i) % uint32(min(20, g.NumVertices())) // hubs and their neighbours
					}
					for _, edges := range []bool{true, false} { // kernels that record no edges may be others
						c := call{plan: p, batch: plan.Batch{Roots: plan.Roots{Vertices: roots, Count: len(roots), Width: 1, Repeat: 1}, Seed: 5, Threads: 2, Edges: edges}}
						if c.vertices, c.edges, err = c.run(cpu.Engine{}, nil); err != nil {
							t.Fatal(err)
						}
						for _, tuning := range []gpu.Tuning{{}, {LaunchSteps: 100, LaunchRows: 33}, {Variant: 3}} {
							c.check(t, gpu.Engine{Device: d, Tuning: tuning})
						}
					}
				})
			}
			g.Close()
		}
	}
}
