package pybind

import (
	"fmt"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/engine/neighborbatch"
	"gonextdoor/pybind/record"
)

// benchGraph makes a graph and returns its handle.
func benchGraph(b *testing.B) int64 {
	g, err := GraphRmat(`{"scale": 14, "edge_factor": 16, "a": 0.57, "b": 0.19, "c": 0.19, "seed": 1}`, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { DropGraph(g) })
	return g
}

// BenchmarkSample measures a call for one walk of one step.
func BenchmarkSample(b *testing.B) {
	g := benchGraph(b)
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
	g := benchGraph(b)
	hetero, err := NewHetero(fmt.Sprintf(`{"counts": [16384], "relations": [{"graph": %d}]}`, g), 0)
	if err != nil {
		b.Fatal(err)
	}
	sampling, err := NewNeighborSampling(`{"fanouts": [[1]], "replace": false, "weighted": false, "expand": "all", "layout": "csc"}`)
	if err != nil {
		b.Fatal(err)
	}
	words := make([]int64, 600)
	*(*neighborbatch.Request)(unsafe.Pointer(&words[0])) = neighborbatch.Request{Batches: 1, Place: 1, Kind: -8, Room: 512}
	words[7], words[8], words[9] = 1, 1, 0
	b.ReportAllocs()
	for b.Loop() {
		if _, err := SampleNeighbors(hetero, sampling, uintptr(unsafe.Pointer(&words[0])), 0); err != nil {
			b.Fatal(err)
		}
	}
}
