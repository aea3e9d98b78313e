package tree

import (
	"fmt"
	"testing"

	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/cpu/internal/cputest"
	"gonextdoor/gonextdoor/engine/cpu/internal/run"
	"gonextdoor/gonextdoor/plan"
)

func BenchmarkTree(b *testing.B) {
	g := cputest.BenchGraph(b)
	for _, fanouts := range [][]int{{25, 10}, {15, 10, 5}} {
		p := treePlan(b, g, apps.KHop{Fanouts: fanouts}, true)
		batch := plan.Batch{Roots: plan.Roots{Vertices: cputest.SomeVertices(g, 4096, 1), Count: 4096, Width: 1, Repeat: 1}, Threads: 1}
		out := matrix(p.App, batch)
		b.Run(fmt.Sprint(fanouts), func(b *testing.B) {
			for b.Loop() {
				if err := KHop(run.Options{}, p, g, batch, out, nil); err != nil {
					b.Fatal(err)
				}
			}
			cputest.PerSecond(b, b.N*len(out.Vertices))
		})
		b.Run(fmt.Sprint(fanouts, "/definition"), func(b *testing.B) {
			for b.Loop() {
				definition(g, p.App, batch)
			}
			cputest.PerSecond(b, b.N*len(out.Vertices))
		})
	}
}
