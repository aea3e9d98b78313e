// Package cputest holds the graphs and checks that tests of the CPU drivers share.
package cputest

import (
	"syscall"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/rng"
)

// Corpus returns graphs with the shapes that break samplers: sinks, loops, multi-edges, hubs, one vertex, zero biases.
func Corpus(weighted bool) map[string]*graph.Graph {
	return map[string]*graph.Graph{
		"thicket": graphtest.Thicket(weighted),
		"diamond": graphtest.Diamond(weighted),
		"oneWay":  graphtest.OneWay(weighted),
		"star":    graphtest.Star(40, weighted),
		"fan":     graphtest.Fan(300, weighted),
		"lonely":  graphtest.Lonely(weighted),
		"circle":  graphtest.Circle(weighted),
		"random":  Random(700, 9000, weighted),
		"hub":     Hub(100_000, weighted),
	}
}

// Random returns a graph with loops, multi-edges, sinks, and degrees from 0 to some hundreds.
func Random(n, edges int, weighted bool) *graph.Graph {
	list := make([]graphtest.Edge, edges)
	for i := range list {
		key := rng.NewStream(9, rng.Edges).Key(uint64(i))
		below := func(slot uint64, n int) uint64 { r, _ := rng.Below(key.Word(slot), uint64(n)); return r }
		to := below(1, n)
		list[i] = graphtest.Edge{From: uint32(to * below(0, n) / uint64(n)), To: uint32(to), Bias: uint32(below(2, 5) << below(3, 30))}
	}
	return graphtest.Make(n, weighted, list)
}

// Hub returns a graph with one vertex that has the given number of edges. Every hundredth neighbour has an edge back to it.
func Hub(edges int, weighted bool) *graph.Graph {
	var list []graphtest.Edge
	for i := range uint32(edges) {
		list = append(list, graphtest.Edge{From: 0, To: i + 1, Bias: i % 7})
		if i%100 == 0 {
			list = append(list, graphtest.Edge{From: i + 1, To: 0, Bias: 1})
		}
	}
	return graphtest.Make(edges+1, weighted, list)
}

// NoLeak fails the test if memory allocated during it, or lent, is not returned by its end.
func NoLeak(t *testing.T) {
	t.Helper()
	live, out := offheap.Live(), offheap.Results.Out()
	keep := offheap.Results.Keep
	offheap.Results.Keep = 0 // returned blocks are freed, so that they do not count as live
	t.Cleanup(func() {
		offheap.Results.Keep = keep
		if n := offheap.Results.Out(); n != out {
			t.Errorf("%d results are lent, %d were before", n, out)
		}
		if n := offheap.Live(); n > live {
			t.Errorf("%d arrays are live, %d were before", n, live)
		}
	})
}

// BenchGraph returns an R-MAT graph of 2^20 vertices and 2^25 edges, or with -short of 2^14 and 2^19. It is closed at the
// end of the benchmark.
func BenchGraph(b *testing.B) *graph.Graph {
	b.Helper()
	r := build.RMAT{Scale: 20, EdgeFactor: 16, Symmetric: true}
	if testing.Short() {
		r.Scale = 14
	}
	g, err := r.Graph()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(g.Close)
	return g
}

// SomeVertices returns n distinct vertices of g, which seed selects.
func SomeVertices(g *graph.Graph, n int, seed uint64) (vertices []uint32) {
	seen := map[uint32]bool{}
	for i := uint64(0); len(vertices) < n; i++ {
		v, _ := rng.Below(rng.Key(seed).Word(i), uint64(g.NumVertices()))
		if u := uint32(v); !seen[u] {
			seen[u] = true
			vertices = append(vertices, u)
		}
	}
	return vertices
}

// PerSecond reports a number of edges as millions per second of wall time.
func PerSecond(b *testing.B, edges int) {
	b.ReportMetric(float64(edges)/b.Elapsed().Seconds()/1e6, "Medges/s")
}

// CPUTime returns the CPU time of the process in nanoseconds, which other programs affect less than wall time.
func CPUTime() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return float64(used.Utime.Nano() + used.Stime.Nano())
}
