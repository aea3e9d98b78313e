package pybind

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/engine/neighborbatch"
	"gonextdoor/pybind/record"
)

// frames returns the functions of this module on the stack of an error, from the exported function to the one that read
// or wrote the protected memory.
func frames(t *testing.T, exported string, err error) (names []string) {
	t.Helper()
	if err == nil {
		t.Fatal("the call did not read or write the protected memory")
	}
	_, stack, found := strings.Cut(err.Error(), "\npanic(")
	if !found {
		t.Fatalf("no fault of memory: %v", err)
	}
	for line := range strings.Lines(stack) {
		if name, ok := strings.CutPrefix(line, "gonextdoor/"); ok {
			names = append(names, name[:strings.LastIndex(name, "(")])
			if strings.HasSuffix(names[len(names)-1], "pybind."+exported) {
				return names
			}
		}
	}
	t.Fatalf("%s is not on the stack: %v", exported, err)
	return nil
}

// protected returns the address of a page that may not be read or written.
func protected(t *testing.T) int64 {
	page, err := syscall.Mmap(-1, 0, syscall.Getpagesize(), syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(page) })
	return int64(uintptr(unsafe.Pointer(unsafe.SliceData(page))))
}

// A call of the core has few frames between the exported function and the loop that advances walkers.
func TestFewFramesAreAboveTheLoopOfWalks(t *testing.T) {
	g := rmatGraph(t)
	app, err := NewApp("Node2Vec", `{"p": 1, "q": 2, "length": 3, "weighted": "auto"}`)
	if err != nil {
		t.Fatal(err)
	}
	sampler, err := NewSampler(g, app, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	root := [1]int64{0}
	r := record.Request{
		Roots: int64(uintptr(unsafe.Pointer(&root))), RootCount: 1, Kind: -8, Repeat: 1, Size: 4, Rows: 1, Slots: 4,
		Vertices: protected(t),
	}
	_, err = Sample(sampler, uintptr(unsafe.Pointer(&r)), 0)
	if names := frames(t, "Sample", err); len(names) > 10 {
		t.Errorf("%d frames: %s", len(names), strings.Join(names, " < "))
	}
}

// The same for the loop that expands the seed nodes of a batch.
func TestFewFramesAreAboveTheLoopOfBatches(t *testing.T) {
	g := rmatGraph(t)
	hetero, sampling, words := oneBatch(t, g)
	if _, err := SampleNeighbors(hetero, sampling, uintptr(unsafe.Pointer(&words[0])), 0); err != nil {
		t.Fatal(err)
	}
	on, err := graphs.get(g)
	if err != nil {
		t.Fatal(err)
	}
	// Protect the whole pages of the array that the loop reads after the choice of an edge.
	size := syscall.Getpagesize()
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(on.Indices))), 4*len(on.Indices))
	first := (size - int(uintptr(unsafe.Pointer(&bytes[0])))%size) % size
	pages := bytes[first : first+(len(bytes)-first)/size*size]
	if err := syscall.Mprotect(pages, syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Mprotect(pages, syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
			t.Fatal(err)
		}
	}()
	node := &words[afterRequest+2]
	*node = int64(1 << 13)
	for err == nil { // until a seed node has its row in these pages
		*node--
		_, err = SampleNeighbors(hetero, sampling, uintptr(unsafe.Pointer(&words[0])), 0)
	}
	if names := frames(t, "SampleNeighbors", err); len(names) > 15 {
		t.Errorf("%d frames: %s", len(names), strings.Join(names, " < "))
	}
}

// rmatGraph makes a graph of 16,384 vertices and returns its handle.
func rmatGraph(tb testing.TB) int64 {
	g, err := GraphRmat(`{"scale": 14, "edge_factor": 16, "a": 0.57, "b": 0.19, "c": 0.19, "seed": 1}`, 0)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _, _ = DropGraph(g) })
	return g
}

// afterRequest is the number of words of a request, which its batches follow.
const afterRequest = unsafe.Sizeof(neighborbatch.Request{}) / 8

// oneBatch returns what a call for one batch of one seed node and one hop takes: the handles of the graph and of the
// parameters, and the record, in which the seed node is at index afterRequest+2.
func oneBatch(tb testing.TB, g int64) (hetero, sampling int64, words []int64) {
	hetero, err := NewHetero(fmt.Sprintf(`{"counts": [16384], "relations": [{"graph": %d}]}`, g), 0)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _, _ = DropHetero(hetero) })
	sampling, err = NewNeighborSampling(`{"fanouts": [[1]], "replace": false, "weighted": false, "expand": "all", "layout": "csc"}`)
	if err != nil {
		tb.Fatal(err)
	}
	words = make([]int64, 600)
	*(*neighborbatch.Request)(unsafe.Pointer(&words[0])) = neighborbatch.Request{Batches: 1, Place: 1, Kind: -8, Room: 512}
	words[afterRequest], words[afterRequest+1] = 1, 1 // the batch seed, and the number of seed nodes
	return hetero, sampling, words
}
