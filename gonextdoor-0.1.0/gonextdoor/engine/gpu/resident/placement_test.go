package resident_test

import (
	"fmt"
	"testing"

	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

func TestPlacements(t *testing.T) {
	gpus := emulatedGPUs(t)
	settle(t, gpus)
	before := cudatest.Regions()
	g := random(700, 9000, 1)
	view, err := index.ByDegree(g, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := g.NumVertices()
	for _, p := range []resident.Placement{
		{[]int{0, 1}, []int{0, n}}, {[]int{0, 1}, []int{0, 9, n - 1}}, {[]int{0, 1}, []int{1, 9, n}}, {[]int{0, 1}, []int{0, n + 1, n}},
		{nil, []int{0}},
	} {
		if err := resident.Place(g, p, graph.Options{}); refuse.KindOf(err) != refuse.KindValue {
			t.Errorf("%v: %v, expected a ValueError", p, err)
		}
	}
	if err := resident.Place(g, resident.Placement{Devices: []int{0, 9}, Bounds: []int{0, 1, n}}, graph.Options{}); refuse.KindOf(err) != refuse.KindDevice {
		t.Errorf("GPU 9: %v", err)
	}
	if _, placed := resident.PlacementOf(g); placed {
		t.Error("a refused placement was recorded")
	}
	place(t, g, 0, 1)
	if p, placed := resident.PlacementOf(view); !placed || fmt.Sprint(p.Devices) != "[0 1]" {
		t.Errorf("the view has the placement %v", p)
	}
	err = gpus[0].held(t, view, resident.Alias, func(kernels.Graph) {
		if err := resident.Place(g, resident.Placement{}, graph.Options{}); refuse.KindOf(err) != refuse.KindDevice {
			t.Errorf("a graph in use was placed: %v", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(resident.Bytes(g)) != 2 {
		t.Errorf("the graph is on %v", resident.Bytes(g))
	}
	if err := resident.Place(view, resident.Placement{}, graph.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, placed := resident.PlacementOf(g); placed || len(resident.Bytes(g)) != 0 {
		t.Errorf("the placement was not undone: %v", resident.Bytes(g))
	}
	place(t, g, 0, 1)
	gpus[1].held(t, view, resident.Alias, func(kernels.Graph) {
		view.Close()
		g.Close()
	})
	settle(t, gpus)
	if after := cudatest.Regions(); after != before {
		t.Errorf("%d blocks of memory are allocated, %d were before", after, before)
	}
}

func TestGPUsThatCannotReadEachOther(t *testing.T) {
	gpus := emulatedGPUs(t)
	g := random(700, 9000, 1)
	defer g.Close()
	cudatest.Set(t, "peers", 0)
	err := resident.Place(g, resident.Placement{Devices: []int{0, 1}, Bounds: g.RowRanges(2)}, graph.Options{})
	if refuse.KindOf(err) != refuse.KindDevice {
		t.Errorf("%v, expected a DeviceError", err)
	}
	place(t, g, 1) // one GPU needs no peer
	gpus[1].check(t, labels(g))
}

// labels returns the graph, with labels.
func labels(g *graph.Graph) *graph.Graph {
	labelled(g)
	return g
}

// labelled gives the edges of a graph labels.
func labelled(g *graph.Graph) {
	g.Labels = make([]int32, g.NumEdges())
	for i := range g.Labels {
		g.Labels[i] = int32(i % 7)
	}
}

// The bytes of a layout are those of the complete layout on any GPU, before it is split over GPUs and afterwards.
func TestPartsOfSplitGraphs(t *testing.T) {
	gpus := emulatedGPUs(t)
	g := regular(20000, 5)
	defer g.Close()
	place(t, g, 1, 0)
	check := func(split bool) {
		for _, id := range []int{0, 1, 2} {
			parts, err := resident.Parts(g, resident.Rows, id, false)
			if err != nil || len(parts) != 1 {
				t.Fatalf("GPU %d: %v, %v", id, parts, err)
			}
			built := split && id != 2 // GPU 2 has no part of the graph
			if want := int64(8*20001 + 4*100001); parts[0].Bytes != want || parts[0].Built != built {
				t.Errorf("GPU %d: %+v, expected %d bytes, built %v", id, parts[0], want, built)
			}
		}
	}
	check(false)
	if err := gpus[0].held(t, g, resident.Rows, func(kernels.Graph) {}); err != nil {
		t.Fatal(err)
	}
	check(true)
}
