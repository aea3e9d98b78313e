package gpu_test

import (
	"testing"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/gputest"
	"gonextdoor/gonextdoor/graph"
)

func TestVisitsOfSeveralDevices(t *testing.T) {
	device(t)
	n, err := cuda.Count()
	if err != nil {
		t.Fatal(err)
	}
	var devices []*cuda.Device
	for id := range min(n, 3) {
		d, err := cuda.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		devices = append(devices, d)
	}
	for _, c := range calls(t, some(t)) {
		want := make([]int64, c.plan.Graph.NumVertices())
		for _, v := range c.vertices {
			if v != graph.None {
				want[v]++
			}
		}
		rows := c.batch.Roots.Samples()
		for n := 1; n <= len(devices); n++ {
			err := gputest.CheckVisits(devices[:n], want, func(i int) (*gpu.Result, error) {
				return gpu.Engine{Device: devices[i]}.Rows(c.plan, c.plan.Graph, c.batch, rows*i/n, rows*(i+1)/n, nil)
			})
			if err != nil {
				t.Errorf("%s on %d devices: %v", c.plan.App.Name(), n, err)
			}
		}
	}
}
