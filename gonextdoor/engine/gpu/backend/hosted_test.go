package backend

import (
	"slices"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/plan"
)

// Samples of the CPU stay in host memory until they are asked for on the GPU, and large ones are copied there at once. Their arrays
// are the same in both places, and nothing is held after the release.
func TestSamplesStayInHostMemoryUntilTheyAreAskedFor(t *testing.T) {
	cudatest.Driver(t)
	if err := cuda.Status(); err != nil {
		t.Skip(err)
	}
	t.Setenv("GONEXTDOOR_DEVICE_MEMORY", "8")
	g, err := build.RMAT{Scale: 8, EdgeFactor: 6, Low: 1, High: 5, Symmetric: true, Seed: 3}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	for _, a := range []app.App{
		&apps.DeepWalk{Length: 6, Weighted: app.No}, &apps.PPR{Stop: 0.3, Weighted: app.No}, &apps.Snowball{Depth: 2, Fanout: 2},
	} {
		p, err := plan.New(a, g, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, kept := range []int{plan.HostedBytes, 0} {
			opened, err := CUDA{Host: cpu.Engine{}}.Open(0)
			if err != nil {
				t.Fatal(err)
			}
			d := opened.(device)
			d.kept = kept
			lent := offheap.Results.Out()
			s, err := d.Keep(p, g, plan.Batch{Roots: plan.Roots{Count: 150, Width: 1, Repeat: 1}, Seed: 2, Threads: 2, Edges: true}, 4, nil)
			if err != nil {
				t.Fatal(err)
			}
			if onHost := offheap.Results.Out() > lent; onHost != (kept > 0) {
				t.Errorf("%s, up to %d bytes: the samples are in host memory: %v", a.Name(), kept, onHost)
			}
			before := arraysOf(t, s)
			if seconds, err := s.Seconds(); err != nil || seconds <= 0 {
				t.Errorf("%s: %v s, %v", a.Name(), seconds, err)
			}
			if _, err := s.Address(engine.PartVertices); err != nil {
				t.Fatal(err)
			}
			if offheap.Results.Out() != lent {
				t.Errorf("%s: samples that were copied are still in host memory", a.Name())
			}
			if after := arraysOf(t, s); !slices.Equal(after, before) {
				t.Errorf("%s, up to %d bytes: other samples on the GPU than on the host", a.Name(), kept)
			}
			if err := s.Release(); err != nil {
				t.Error(err)
			}
		}
	}
}

// arraysOf returns the vertices, in 32 and 64 bits, the roots and the edges of samples, from where they are.
func arraysOf(t *testing.T, s engine.DeviceSamples) (all []int64) {
	t.Helper()
	shape, n := s.Shape(), s.Total()
	width, edges := shape.Width, n
	if width == 0 {
		width = 1
	} else {
		edges = n - shape.Rows*shape.Roots
	}
	read := func(which engine.Part, columns, count int) {
		to := make([]int64, count)
		if err := s.CopyOut(which, columns, unsafe.Pointer(unsafe.SliceData(to)), 2, nil); err != nil {
			t.Fatal(err)
		}
		all = append(all, to...)
	}
	read(engine.PartVertices, width, n) // half of the elements
	read(engine.PartInt64, width, n)
	read(engine.PartEdges, width, edges)
	if shape.Width > 0 {
		read(engine.PartInt64, shape.Roots, shape.Rows*shape.Roots)
	}
	return all
}
