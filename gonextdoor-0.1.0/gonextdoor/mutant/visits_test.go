package mutant

import (
	"fmt"
	"testing"

	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/gputest"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// addVisits counts the visits of two devices, until a sum differs.
func addVisits(t *testing.T) {
	var devices []*cuda.Device
	for id := range 2 {
		d, err := cuda.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		devices = append(devices, d)
	}
	p, err := plan.New(&apps.DeepWalk{Length: 4}, graphtest.Star(700, true), 1)
	if err != nil {
		t.Fatal(err)
	}
	vertices := p.Graph.NumVertices()
	b := plan.Batch{Roots: plan.Roots{Count: vertices, Width: 1, Repeat: 2}, Seed: 3}
	rows, want := b.Roots.Samples(), make([]int64, vertices)
	out := output.Matrix{Vertices: make([]uint32, rows*p.Width), Width: p.Width, Roots: 1}
	if err := (cpu.Engine{}).Matrix(p, p.Graph, b, out, nil); err != nil {
		t.Fatal(err)
	}
	for _, v := range out.Vertices {
		want[v]++
	}
	err = gputest.CheckVisits(devices, want, func(i int) (*gpu.Result, error) {
		return gpu.Engine{Device: devices[i]}.Rows(p, p.Graph, b, rows*i/2, rows*(i+1)/2, nil)
	})
	if err != nil {
		fmt.Printf("killed by visits of two devices: %s\n", firstLine(err))
	}
}
