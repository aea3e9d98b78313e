package backend_test

import (
	"slices"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/gpu/backend"
	"gonextdoor/gonextdoor/engine/sharded"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// two opens two GPUs.
func two(t *testing.T) sharded.Engine {
	t.Helper()
	cudatest.Driver(t)
	if err := cuda.Status(); err != nil {
		t.Skip(err)
	}
	var all sharded.Engine
	for id := range 2 {
		d, err := (backend.CUDA{}).Open(id)
		if err != nil {
			t.Skip(err)
		}
		all = append(all, d)
	}
	return all
}

// placed returns a walk on a graph that is split over two GPUs, of which the second has the first rows.
func placed(t *testing.T) plan.Plan {
	t.Helper()
	g, err := build.RMAT{Scale: 9, EdgeFactor: 6, Seed: 3}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	where := engine.Placement{Devices: []int{1, 0}, Bounds: g.RowRanges(2)}
	if err := (backend.CUDA{}).PlaceGraph(g, where, graph.Options{}); err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(&apps.DeepWalk{Length: 6}, g, 1)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// onHost returns the samples of the CPU.
func onHost(t *testing.T, p plan.Plan, b plan.Batch, e engine.Engine) output.Matrix {
	t.Helper()
	n := b.Roots.Samples()
	out := output.Matrix{Vertices: make([]uint32, n*p.Width), Width: p.Width, Roots: 1}
	if b.Edges {
		out.Edges = make([]int64, n*(p.Width-1))
	}
	if err := e.Matrix(p, p.Graph, b, out, nil); err != nil {
		t.Fatal(err)
	}
	return out
}

// Walks on a split graph are exchanged if the order asks for it. The samples stay in shards, or are copied to the host.
func TestWalksOnASplitGraphAreExchanged(t *testing.T) {
	devices, p := two(t), placed(t)
	for _, rows := range []int{1, 2, 77} {
		b := plan.Batch{Roots: plan.Roots{Count: rows, Width: 1, Repeat: 1}, Seed: 5, First: 9, Threads: 2, Edges: true, Order: plan.TransitOrder}
		want := onHost(t, p, b, cpu.Engine{})
		if got := onHost(t, p, b, devices); !slices.Equal(got.Vertices, want.Vertices) || !slices.Equal(got.Edges, want.Edges) {
			t.Errorf("%d rows: the samples on the host differ from those of the CPU", rows)
		}
		shards, done, err := devices[0].KeepTogether(devices, p, p.Graph, b, []int{0, 0, rows}, 4, nil)
		if !done || err != nil || shards[0] != nil {
			t.Fatalf("%d rows are not exchanged: %v", rows, err)
		}
		if err := shards[1].Release(); err != nil {
			t.Error(err)
		}
		shards, err = devices.Keep(p, p.Graph, b, 4, nil)
		if err != nil {
			t.Fatal(err)
		}
		lo := 0
		for _, shard := range shards {
			n := shard.Shape().Rows
			got := make([]uint32, n*p.Width)
			if err := shard.CopyOut(engine.PartVertices, p.Width, unsafe.Pointer(unsafe.SliceData(got)), 1, nil); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want.Vertices[lo*p.Width:(lo+n)*p.Width]) {
				t.Errorf("%d rows: the samples from %d to %d differ from those of the CPU", rows, lo, lo+n)
			}
			if _, err := shard.Seconds(); err != nil {
				t.Error(err)
			}
			lo += n
		}
		if lo != rows {
			t.Errorf("%d of %d rows", lo, rows)
		}
		if err := sharded.Release(shards); err != nil {
			t.Error(err)
		}
	}
}

// Each GPU makes its rows if the graph is not split over all GPUs of the call, for few walks, other apps and other orders.
func TestOtherSamplesAreNotExchanged(t *testing.T) {
	devices, p := two(t), placed(t)
	many := plan.Batch{Roots: plan.Roots{Count: 100, Width: 1, Repeat: 1}, Order: plan.TransitOrder}
	few, ordered := many, many
	few.Order, ordered.Order = "", plan.SampleOrder
	ppr, err := plan.New(&apps.PPR{Stop: 0.3}, p.Graph, 1)
	if err != nil {
		t.Fatal(err)
	}
	still, err := plan.New(&apps.DeepWalk{Length: 0}, p.Graph, 1)
	if err != nil {
		t.Fatal(err)
	}
	not := func(what string, p plan.Plan, b plan.Batch, on sharded.Engine) {
		t.Helper()
		bounds := []int{0, 50, 100}[:len(on)+1]
		if _, done, err := on[0].KeepTogether(on, p, p.Graph, b, bounds, 4, nil); done || err != nil {
			t.Errorf("%s: exchanged (%v)", what, err)
		}
	}
	not("few walks", p, few, devices)
	not("sample order", p, ordered, devices)
	not("samples of different lengths", ppr, many, devices)
	not("walks without steps", still, many, devices)
	not("one GPU", p, many, devices[:1])
	undo := func(where engine.Placement) {
		t.Helper()
		if err := (backend.CUDA{}).PlaceGraph(p.Graph, where, graph.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	undo(engine.Placement{Devices: []int{0, 1, 0}, Bounds: []int{0, 3, 7, p.Graph.NumVertices()}})
	not("a GPU with two parts", p, many, devices)
	undo(engine.Placement{})
	not("a graph that is not split", p, many, devices)
}
