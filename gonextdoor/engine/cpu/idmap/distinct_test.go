package idmap

import (
	"math/rand/v2"
	"testing"
)

// TestDistinct tests different vertices of several lengths and spreads, each also with one of them repeated anywhere. The short
// lists after long ones find the cells that the long ones left.
func TestDistinct(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var d Distinct
	for _, n := range []int{5000, 1, 0, 2, 3, 64, 1024, 1000, 7} {
		for _, spread := range []uint32{1, 1 << 12, 1<<32 - 1} {
			for range 20 {
				vertices := make([]uint32, n)
				for i, v := range random.Perm(n) {
					vertices[i] = uint32(v) * min(spread, (1<<32-1)/uint32(max(n, 1)))
				}
				if !d.All(vertices) {
					t.Fatalf("%d vertices, spread %d: found a repetition in different vertices", n, spread)
				}
				if n < 2 {
					continue
				}
				i, j := random.IntN(n), random.IntN(n-1)
				if j >= i {
					j++
				}
				vertices[i] = vertices[j]
				if d.All(vertices) {
					t.Fatalf("%d vertices, spread %d: vertices %d and %d are equal, found no repetition", n, spread, i, j)
				}
			}
		}
	}
}
