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
				before := processorTime()
				defer func() { b.ReportMetric(float64((processorTime()-before).Milliseconds())/float64(b.N), "cpu-ms/op") }()
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

// processorTime is what this process used: on a machine that others use too it tells more than the clock.
func processorTime() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
