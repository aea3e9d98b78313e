package gpu_test

import (
	"fmt"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/plan"
)

// spread returns placements on the GPUs there are: a single GPU has a graph in three pieces of memory, two have one each.
func spread(t *testing.T) (list []resident.Placement) {
	t.Helper()
	n, err := cuda.Count()
	if err != nil {
		t.Fatal(err)
	}
	list = []resident.Placement{{Devices: []int{0, 0, 0}}}
	if n > 1 && cuda.CheckPeers([]int{0, 1}) == nil {
		list = append(list, resident.Placement{Devices: []int{0, 1}}, resident.Placement{Devices: []int{1, 0, 1}})
	}
	return list
}

// Kernels read ranges of addresses that are mapped in pieces, also on one real GPU, whose pieces have at least 2 MiB.
func TestGraphsInPiecesOfMemory(t *testing.T) {
	d := device(t)
	of := build.RMAT{Scale: 10, EdgeFactor: 6, Low: 1, High: 5, Seed: 3}
	if cudatest.Real() {
		of.Scale, of.EdgeFactor = 18, 16
	} else {
		cudatest.Set(t, "granularity", 4096)
	}
	g, err := of.Graph()
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	all := append(calls(t, g), treeCall(t, &apps.KHop{Fanouts: []int{4, 3}, Weighted: app.No}, g, g.NumVertices()))
	bytes := int64(0)
	for _, of := range spread(t) {
		for _, limit := range []string{"0", ""} {
			t.Run(fmt.Sprintf("GPUs %d, replicas %s", of.Devices, limit), func(t *testing.T) {
				t.Setenv("GONEXTDOOR_DEVICE_REPLICAS", limit)
				of.Bounds = g.RowRanges(len(of.Devices))
				if err := resident.Place(g, of, graph.Options{}); err != nil {
					t.Fatal(err)
				}
				for _, c := range all {
					for _, order := range []plan.Order{plan.SampleOrder, plan.TransitOrder} {
						c.batch.Order = order
						c.check(t, gpu.Engine{Device: d})
					}
				}
				bytes = max(bytes, resident.Bytes(g)[d.ID])
			})
		}
	}
	if err := resident.Place(g, resident.Placement{}, graph.Options{}); err != nil {
		t.Fatal(err)
	}
	if left := resident.Bytes(g)[d.ID]; bytes == 0 || left != 0 {
		t.Errorf("the graph took %d bytes and has %d now, expected 0", bytes, left)
	}
}
