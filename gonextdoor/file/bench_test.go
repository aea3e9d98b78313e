package file

import (
	"fmt"
	"os"
	"testing"
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
