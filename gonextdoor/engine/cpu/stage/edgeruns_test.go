package stage

import (
	"math/rand"
	"slices"
	"syscall"
	"testing"
	"unsafe"
)

// TestWriteRunsEqualsItsDefinition writes runs of all small sizes, some at the end of indices, which is the end of its page.
func TestWriteRunsEqualsItsDefinition(t *testing.T) {
	const size = 1 << 16
	b, err := syscall.Mmap(-1, 0, 2*size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(b)
	if err := syscall.Mprotect(b[size:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	whole := unsafe.Slice((*uint32)(unsafe.Pointer(&b[0])), size/4)
	r := rand.New(rand.NewSource(1))
	for i := range whole {
		whole[i] = r.Uint32()
	}
	for count := range 200 {
		indices := whole[len(whole)-3*(count+1):]
		var runs []EdgeRun
		edges := 0
		for range count {
			n := 1 + r.Intn(min(1+count/4, 40))
			first := r.Intn(len(indices) - n + 1)
			if r.Intn(3) == 0 {
				first = len(indices) - n
			}
			runs = append(runs, EdgeRun{uint64(first), r.Int63() - 1<<62, r.Uint32(), uint32(n)})
			edges += n
		}
		var want, got [3][]int64
		for i := range got {
			got[i] = make([]int64, edges+8)[:edges]
		}
		for _, run := range runs {
			for p := run.First; p < run.First+uint64(run.Edges); p++ {
				want[0] = append(want[0], int64(run.Place))
				want[1] = append(want[1], int64(indices[p])+run.Shift)
				want[2] = append(want[2], int64(p))
			}
		}
		WriteRuns(runs, indices, got[0], got[1], got[2])
		for i := range got {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("%d runs, array %d: got %v, want %v", count, i, got[i], want[i])
			}
			if rest := got[i][edges:][:8]; !slices.Equal(rest, make([]int64, 8)) {
				t.Fatalf("%d runs, array %d: wrote %v past the end", count, i, rest)
			}
		}
	}
}
