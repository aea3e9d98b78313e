package pybind

import (
	"testing"
	"unsafe"

	"gonextdoor/pybind/record"
)

// BenchmarkSample measures a call for one walk of one step.
func BenchmarkSample(b *testing.B) {
	g := rmatGraph(b)
	app, err := NewApp("DeepWalk", `{"length": 1, "weighted": "auto"}`)
	if err != nil {
		b.Fatal(err)
	}
	sampler, err := NewSampler(g, app, 1, 0)
	if err != nil {
		b.Fatal(err)
	}
	root, out := [1]int64{0}, [2]uint32{}
	r := record.Request{
		Roots: int64(uintptr(unsafe.Pointer(&root))), RootCount: 1, Kind: -8, Repeat: 1, Size: 4, Rows: 1, Slots: 2,
		Vertices: int64(uintptr(unsafe.Pointer(&out))),
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Sample(sampler, uintptr(unsafe.Pointer(&r)), 0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSampleNeighbors measures a call for one batch of one seed node and one hop.
func BenchmarkSampleNeighbors(b *testing.B) {
	hetero, sampling, words := oneBatch(b, rmatGraph(b))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := SampleNeighbors(hetero, sampling, uintptr(unsafe.Pointer(&words[0])), 0); err != nil {
			b.Fatal(err)
		}
	}
}
