package gpu_test

import (
	"fmt"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/plan"
)

// Rows of one edge to 600, which begin and end within segments. Most of the bias of hub 0 is that of few edges.
func TestWeightsThatAreSearched(t *testing.T) {
	d := device(t)
	var edges []graphtest.Edge
	for i := range uint32(600) {
		edges = append(edges,
			graphtest.Edge{From: 0, To: 2 + i, Bias: 1 + i%3 + (1-min(1, i%211))<<24}, graphtest.Edge{From: 1, To: 2 + i, Bias: 5},
			graphtest.Edge{From: 2 + i, To: i % 2, Bias: 1 + i%7}, graphtest.Edge{From: 2 + i, To: 2 + (i+1)%600, Bias: 1},
		)
	}
	g := graphtest.Make(602, true, edges)
	for _, a := range []app.App{
		&apps.DeepWalk{Length: 6, Weighted: app.Computed}, &apps.Walk{Bias: app.ByWeight, Length: 6, Computed: true},
		&apps.PPR{Stop: 0.2, Weighted: app.Computed},
	} {
		t.Run(fmt.Sprintf("%s%+v", a.Name(), a), func(t *testing.T) {
			p, err := plan.New(a, g, 1)
			if err != nil {
				t.Fatal(err)
			}
			c := call{plan: p, batch: plan.Batch{Roots: plan.Roots{Vertices: []uint32{0, 1, 2, 9}, Count: 4, Width: 1, Repeat: 20}, Seed: 5, Threads: 2, Edges: true}}
			if c.vertices, c.edges, err = c.run(cpu.Engine{}, nil); err != nil {
				t.Fatal(err)
			}
			for _, tuning := range []gpu.Tuning{{}, {Variant: 1, LaunchRows: 33}} {
				c.check(t, gpu.Engine{Device: d, Tuning: tuning})
			}
		})
	}
}
