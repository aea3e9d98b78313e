package gpu_test

import (
	"fmt"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// If a graph does not fit the budget, not even a row of it, every app is refused, and the error says which device to use. There
// is one case per app. With the budget raised, the next call is right.
func TestAppsOnAGraphThatFitsNowhere(t *testing.T) {
	e := gpu.Engine{Device: device(t)}
	seen := map[string]bool{}
	for _, c := range enginetest.Cases() {
		name := fmt.Sprintf("%T", c.App)
		if seen[name] || c.Graph.NumEdges() == 0 || !runs(c) {
			continue
		}
		p, err := plan.New(c.App, c.Graph, c.Width)
		if err != nil || p.Width == c.Width { // no step reads the graph
			continue
		}
		seen[name] = true
		t.Run(c.Name, func(t *testing.T) {
			if err := p.BuildTables(p.Graph, graph.Options{}); err != nil {
				t.Fatal(err)
			}
			roots := make([]uint32, 3*c.Width)
			for i := range roots {
				roots[i] = uint32(i % c.Graph.NumVertices())
			}
			b := plan.Batch{Roots: plan.Roots{Vertices: roots, Count: 3, Width: c.Width, Repeat: 1}, Seed: 7, Threads: 1}
			if err := resident.Drop(c.Graph); err != nil { // the layouts of earlier cases
				t.Fatal(err)
			}
			t.Setenv("GONEXTDOOR_DEVICE_MEMORY", "8")
			_, err := e.Run(p, p.Graph, b, nil)
			if refuse.KindOf(err) != refuse.KindDevice || !strings.Contains(err.Error(), `use device="cpu"`) {
				t.Errorf("error %v, expected a DeviceError that recommends the CPU", err)
			}
			t.Setenv("GONEXTDOOR_DEVICE_MEMORY", "")
			if p.Width == 0 || p.Layered {
				return // compared by the conformance tests
			}
			one := call{plan: p, batch: b}
			if one.vertices, one.edges, err = one.run(cpu.Engine{}, nil); err != nil {
				t.Fatal(err)
			}
			one.check(t, e)
		})
	}
	if len(seen) < 10 {
		t.Errorf("%d apps, expected at least 10", len(seen))
	}
}
