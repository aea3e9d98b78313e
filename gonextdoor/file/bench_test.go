package file

import (
	"fmt"
	"os"
	"testing"
)

const cnr = "../../../shared/data/cnr-2000.txt.gz"

func BenchmarkReadEdges(b *testing.B) {
	plain := os.Getenv("PLAIN")
	for _, path := range []string{cnr, plain} {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d", suffix(path), threads), func(b *testing.B) {
				b.SetBytes(43856380)
				for b.Loop() {
					l, _, err := readEdges(path, Options{Weighted: Auto, Threads: threads})
					if err != nil {
						b.Fatal(err)
					}
					if len(l.src) != 3216152 || l.vertices != 325557 {
						b.Fatal(len(l.src), l.vertices)
					}
					l.Close()
				}
			})
		}
	}
}
