package build

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"gonextdoor/gonextdoor/graph"
)

// benchScale returns the R-MAT scale of benchmarks: 20 (2^24 edges), or 16 (2^20 edges) with -short.
func benchScale() int {
	if testing.Short() {
		return 16
	}
	return 20
}

func benchRMAT(b *testing.B, r RMAT) *graph.Graph {
	b.Helper()
	g, err := r.Graph()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(g.Close)
	return g
}

// perEdge reports edges per second, and CPU time per edge, which is less noisy on a busy machine.
func perEdge(b *testing.B, edges int, before time.Duration) {
	n := float64(edges) * float64(b.N)
	b.ReportMetric(n/b.Elapsed().Seconds()/1e6, "Medges/s")
	b.ReportMetric(float64((cpuTime()-before).Nanoseconds())/n, "cpu-ns/edge")
}

// cpuTime returns the CPU time that this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkRMAT(b *testing.B) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprint("threads=", threads), func(b *testing.B) {
			r := RMAT{Scale: benchScale(), EdgeFactor: 16, Symmetric: true, Threads: threads}
			before := cpuTime()
			for b.Loop() {
				g, err := r.Graph()
				if err != nil {
					b.Fatal(err)
				}
				g.Close()
			}
			perEdge(b, r.EdgeFactor<<r.Scale, before)
		})
	}
}

func BenchmarkFromEdges(b *testing.B) {
	r := RMAT{Scale: benchScale(), EdgeFactor: 16, Seed: 1}
	s := r.stream()
	src, dst := make([]uint32, s.len()), make([]uint32, s.len())
	s.read(0, src, dst)
	src64, dst64, weights := make([]int64, s.len()), make([]int64, s.len()), make([]float64, s.len())
	for i := range src {
		src64[i], dst64[i], weights[i] = int64(src[i]), int64(dst[i]), float64(i&1023)
	}
	e := Edges{Sources: graph.ArrayOf(src64), Targets: graph.ArrayOf(dst64), NumVertices: Unknown}
	for _, c := range []struct {
		name   string
		change func(*Edges)
	}{
		{"plain", func(*Edges) {}},
		{"symmetric", func(e *Edges) { e.Symmetric = true }},
		{"symmetric,deduplicate", func(e *Edges) { e.Symmetric, e.Deduplicate = true, true }},
		{"weights", func(e *Edges) { e.Weights = graph.ArrayOf(weights) }},
	} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprint(c.name, "/threads=", threads), func(b *testing.B) {
				e := e
				c.change(&e)
				e.Threads = threads
				before := cpuTime()
				for b.Loop() {
					g, err := FromEdges(e)
					if err != nil {
						b.Fatal(err)
					}
					g.Close()
				}
				perEdge(b, len(src), before)
			})
		}
	}
}

func BenchmarkReverse(b *testing.B) {
	g := benchRMAT(b, RMAT{Scale: benchScale(), EdgeFactor: 16, Symmetric: true})
	before := cpuTime()
	for b.Loop() {
		r, err := Reverse(g, 1, nil)
		if err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
	perEdge(b, g.NumEdges(), before)
}
