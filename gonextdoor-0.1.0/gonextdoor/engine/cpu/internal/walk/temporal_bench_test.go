package walk_test

import (
	"fmt"
	"syscall"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// timedGraph returns a symmetric graph of 2^20 vertices and 10^7 edges with a number of different times. Vertex degrees are
// regular, or fall as the inverse square root of the vertex.
func timedGraph(times uint64, regular bool) *graph.Graph {
	const vertices, pairs = 1 << 20, 5_000_000
	key := rng.NewStream(3, rng.Choices).Key(times)
	edges := make([]graphtest.Edge, 0, 2*pairs)
	at := make([]int64, 0, 2*pairs)
	for i := range uint64(pairs) {
		from, _ := rng.Below(key.Word(3*i), vertices)
		if !regular {
			from = from * from / vertices
		}
		to, _ := rng.Below(key.Word(3*i+1), vertices)
		time, _ := rng.Below(key.Word(3*i+2), times)
		edges = append(edges, graphtest.Edge{From: uint32(from), To: uint32(to), Bias: 1}, graphtest.Edge{From: uint32(to), To: uint32(from), Bias: 1})
		at = append(at, int64(time), int64(time))
	}
	g := graphtest.Make(vertices, false, edges)
	g.Times = make([]int64, g.NumEdges())
	for p := range g.Times {
		g.Times[p] = at[g.EdgeID(uint64(p))]
	}
	return g
}

// BenchmarkTemporal reports millions of steps per second on one thread of walks in order of time, and of DeepWalk.
func BenchmarkTemporal(b *testing.B) {
	for _, c := range []struct {
		times   uint64
		regular bool
		length  int
	}{{4, true, 80}, {4, false, 80}, {1 << 40, true, 4}, {1 << 40, false, 4}} {
		g := timedGraph(c.times, c.regular)
		scale := uint64(1)
		if c.times > 4 {
			scale = 0
		}
		for _, a := range []app.App{
			&apps.DeepWalk{Length: c.length, Weighted: app.No}, &apps.TemporalWalk{Length: c.length},
			&apps.TemporalWalk{Length: c.length, Bias: app.LinearInTime}, &apps.TemporalWalk{Length: c.length, Bias: app.ExponentialInTime, Scale: scale},
		} {
			p, err := plan.New(a, g, 1)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("times=%d/regular=%v/%s-%s", c.times, c.regular, a.Name(), p.Selector), func(b *testing.B) {
				benchTemporal(b, p)
			})
		}
		g.Close()
	}
}

// benchTemporal times a walk from random roots. Only the steps that were taken count.
func benchTemporal(b *testing.B, p plan.Plan) {
	const samples = 1 << 16
	out := output.Matrix{Vertices: make([]uint32, samples*p.Width), Width: p.Width, Roots: 1}
	steps, begin := 0, int64(0)
	for i := -1; i < 0 || b.Loop(); i++ { // the first call builds the tables of the graph
		batch := plan.Batch{Roots: plan.Roots{Count: samples, Width: 1, Repeat: 1}, Seed: 7, Threads: 1}
		if err := (cpu.Engine{}).Matrix(p, p.Graph, batch, out, nil); err != nil {
			b.Fatal(err)
		}
		if i < 0 {
			for k, v := range out.Vertices {
				if k%p.Width > 0 && v != graph.None {
					steps++
				}
			}
			begin = cpuTime()
		}
	}
	b.ReportMetric(float64(cpuTime()-begin)/float64(b.N*steps), "ns/step")
	b.ReportMetric(float64(steps)/samples, "steps")
	b.ReportMetric(0, "ns/op")
}

// cpuTime returns the CPU time of the process, in ns. Unlike the wall time, it is meaningful on a busy machine.
func cpuTime() int64 {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return r.Utime.Nano() + r.Stime.Nano()
}
