package walk_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

// If the file of a mapped graph is truncated, the stages fault, in assembly and in Go. The call must return an error, and the
// process must not end.
func TestCutFileIsAnError(t *testing.T) {
	const n = 1 << 14
	for _, pure := range []bool{false, true} {
		for _, a := range []app.App{&apps.DeepWalk{Length: 9}, &apps.PPR{Stop: 0.2}, &apps.Node2Vec{P: 2, Q: 0.5, Length: 9}} {
			g, file := mappedRing(t, n)
			p, err := plan.New(a, g, 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, cut := range []bool{false, true} {
				if cut {
					if err := os.Truncate(file, 0); err != nil {
						t.Fatal(err)
					}
				}
				b := plan.Batch{Roots: plan.Roots{Count: n, Width: 1, Repeat: 1}, Threads: 2}
				if p.Width == 0 {
					var r output.Ragged
					r, err = cpu.Engine{Pure: pure}.Ragged(p, g, b, nil)
					r.Return()
				} else {
					err = cpu.Engine{Pure: pure}.Matrix(p, g, b, output.Matrix{Vertices: make([]uint32, n*p.Width), Width: p.Width, Roots: 1}, nil)
				}
				if cut != errors.Is(err, parallel.ErrPanic) {
					t.Errorf("%s, pure %v, cut %v: error %v", a.Name(), pure, cut, err)
				}
			}
			g.Close()
		}
	}
}

// mappedRing returns a ring whose indices are in a mapped file, and the name of the file.
func mappedRing(t *testing.T, n int) (*graph.Graph, string) {
	ends := make([]uint32, n+1)
	indptr := make([]uint64, n+1)
	for v := range n {
		ends[v], indptr[v+1] = uint32((v+1)%n), uint64(v+1)
	}
	ends[n] = graph.None
	file := filepath.Join(t.TempDir(), "ring")
	if err := os.WriteFile(file, unsafe.Slice((*byte)(unsafe.Pointer(&ends[0])), 4*len(ends)), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := syscall.Mmap(int(f.Fd()), 0, 4*len(ends), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(b) })
	return &graph.Graph{Indptr: indptr, Indices: unsafe.Slice((*uint32)(unsafe.Pointer(&b[0])), n+1)[:n]}, file
}
