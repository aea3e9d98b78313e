package graph

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/rng"
)

// benchScale gives graphs of 2^20 vertices and 2^24 edges; -short: 2^16 and 2^20.
func benchScale() int {
	if testing.Short() {
		return 16
	}
	return 20
}

func benchRMAT(b *testing.B, r RMAT) *Graph {
	b.Helper()
	g, err := r.Graph()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(g.Close)
	return g
}

// perEdge reports edges a second, and the processor's time for one: that is steady on a busy machine, too.
func perEdge(b *testing.B, edges int, before time.Duration) {
	n := float64(edges) * float64(b.N)
	b.ReportMetric(n/b.Elapsed().Seconds()/1e6, "Medges/s")
	b.ReportMetric(float64((processor()-before).Nanoseconds())/n, "cpu-ns/edge")
}

// processor gives the processors' time that this process has used.
func processor() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkRMAT(b *testing.B) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprint("threads=", threads), func(b *testing.B) {
			r := RMAT{Scale: benchScale(), EdgeFactor: 16, Symmetric: true, Threads: threads}
			before := processor()
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
	e := Edges{Sources: ArrayOf(src64), Targets: ArrayOf(dst64), NumVertices: Unknown}
	for _, c := range []struct {
		name   string
		change func(*Edges)
	}{
		{"plain", func(*Edges) {}},
		{"symmetric", func(e *Edges) { e.Symmetric = true }},
		{"symmetric,deduplicate", func(e *Edges) { e.Symmetric, e.Deduplicate = true, true }},
		{"weights", func(e *Edges) { e.Weights = ArrayOf(weights) }},
	} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprint(c.name, "/threads=", threads), func(b *testing.B) {
				e := e
				c.change(&e)
				e.Threads = threads
				before := processor()
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

func BenchmarkMakeAlias(b *testing.B) {
	g := benchRMAT(b, RMAT{Scale: benchScale(), EdgeFactor: 16, Symmetric: true, Low: 1, High: 5})
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprint("threads=", threads), func(b *testing.B) {
			before := processor()
			for b.Loop() {
				slots, err := g.makeAlias(Hands{Threads: threads})
				if err != nil {
					b.Fatal(err)
				}
				offheap.Free(slots)
			}
			perEdge(b, g.NumEdges(), before)
		})
	}
}

func BenchmarkReverse(b *testing.B) {
	g := benchRMAT(b, RMAT{Scale: benchScale(), EdgeFactor: 16, Symmetric: true})
	before := processor()
	for b.Loop() {
		r, err := g.Reverse(1, nil)
		if err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
	perEdge(b, g.NumEdges(), before)
}

func BenchmarkSymmetric(b *testing.B) {
	g := benchRMAT(b, RMAT{Scale: benchScale(), EdgeFactor: 16, Symmetric: true})
	before := processor()
	for b.Loop() {
		if ok, err := g.mirroredEverywhere(Hands{}); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
	perEdge(b, g.NumEdges(), before)
}

// BenchmarkHasEdge asks for edges between ends of edges, as walks meet them: mostly in long rows.
func BenchmarkHasEdge(b *testing.B) {
	g := benchRMAT(b, RMAT{Scale: benchScale(), EdgeFactor: 16, Symmetric: true})
	key := rng.NewStream(1, rng.Choices).Key(0)
	var ends [1 << 16]uint32
	for i := range ends {
		p, _ := rng.Below(key.Word(uint64(i)), uint64(g.NumEdges()))
		ends[i] = g.Indices[p]
	}
	found, i, before := 0, 0, processor()
	for b.Loop() {
		if g.HasEdge(ends[i&0xffff], ends[(i+1)&0xffff]) {
			found++
		}
		i++
	}
	perEdge(b, 1, before)
}
