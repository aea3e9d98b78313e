package file

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"
)

const cnr = "../../../shared/data/cnr-2000.txt.gz"

func BenchmarkRead(b *testing.B) {
	plain := os.Getenv("PLAIN")
	for _, path := range []string{cnr, plain} {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d", suffix(path), threads), func(b *testing.B) {
				b.SetBytes(43856380)
				before := cpuTime()
				defer func() { b.ReportMetric(float64((cpuTime()-before).Milliseconds())/float64(b.N), "cpu-ms/op") }()
				for b.Loop() {
					g, err := Read(path, Options{Threads: threads})
					if err != nil {
						b.Fatal(err)
					}
					if g.NumVertices() != 325557 || g.NumEdges() != 3216152 {
						b.Fatal(g.NumVertices(), g.NumEdges())
					}
					g.Close()
				}
			})
		}
	}
}

// cpuTime returns the CPU time of this process, which is less noisy than wall time on a shared machine.
func cpuTime() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
