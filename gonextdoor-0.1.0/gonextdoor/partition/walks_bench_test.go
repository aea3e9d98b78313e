package partition_test

import (
	"fmt"
	"syscall"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/partition"
)

// BenchmarkWalks measures steps per second of CPU time and messages per step of walks on parts, whose end points are
// recorded. One goroutine runs all parts.
func BenchmarkWalks(b *testing.B) {
	g := graphtest.RMAT(b, build.RMAT{Scale: 16, EdgeFactor: 16, Seed: 1, Symmetric: true})
	var roots []uint32
	for v := range uint32(g.NumVertices()) {
		if g.Degree(v) > 0 {
			roots = append(roots, v)
		}
	}
	roots = roots[:min(len(roots), 1<<15)]
	const length = 40
	for _, count := range []int{1, 4, 16} {
		parts := split(b, g, ownersOf(g.NumVertices(), count)["hash"], nil)
		for _, a := range []app.App{&apps.DeepWalk{Length: length}, &apps.Node2Vec{P: 2, Q: 0.5, Length: length}, &apps.Node2Vec{P: 0.25, Q: 4, Length: length}} {
			b.Run(fmt.Sprintf("%+v, %d parts", a, count), func(b *testing.B) {
				messages, began := 0, cpuSeconds()
				for range b.N {
					messages = newExchange(b, parts, a, roots, 1, 1, 0, partition.Record{Ends: true}).messages
				}
				steps := float64(len(roots) * length)
				b.ReportMetric(steps*float64(b.N)/(cpuSeconds()-began)/1e6, "Msteps/CPU-s")
				b.ReportMetric(float64(messages)/steps, "messages/step")
			})
		}
	}
}

// cpuSeconds returns the CPU time of the process.
func cpuSeconds() float64 {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}
