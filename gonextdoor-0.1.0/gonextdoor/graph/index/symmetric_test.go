package index

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
)

// The graphs are arbitrary, mirrored, or mirrored with one additional edge, whose reverse may exist by chance.
func TestSymmetricEqualsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	found := map[bool]int{}
	for trial := range 600 {
		n := 1 + r.IntN(30)
		var src, dst []int32
		for range 1 + r.IntN(40) {
			u, v := int32(r.IntN(n)), int32(r.IntN(n))
			src, dst = append(src, u), append(dst, v)
			if trial%3 > 0 {
				src, dst = append(src, v), append(dst, u)
			}
		}
		if trial%3 == 2 {
			src, dst = append(src, int32(r.IntN(n))), append(dst, int32(r.IntN(n)))
		}
		g := graphtest.Built(t, build.Edges{
			Sources: graph.ArrayOf(src), Targets: graph.ArrayOf(dst), NumVertices: build.Unknown, Deduplicate: trial&1 > 0,
		})
		want := true
		for u := range uint32(g.NumVertices()) {
			for _, v := range g.Neighbors(u) {
				want = want && g.HasEdge(v, u)
			}
		}
		var never atomic.Bool
		for _, chunk := range []uint32{1, 7, 1 << 20} { // pieces of every size agree
			got := true
			for lo := uint32(0); lo < uint32(g.NumVertices()); lo += chunk {
				got = got && mirrored(g, lo, min(lo+chunk, uint32(g.NumVertices())), &never)
			}
			if got != want {
				t.Fatalf("chunk %d: %v, expected %v", chunk, got, want)
			}
		}
		if got, err := Symmetric(g, graph.Options{}); got != want || err != nil {
			t.Fatalf("%v %v, expected %v", got, err, want)
		}
		found[want]++
		g.Close()
	}
	if found[false] < 100 || found[true] < 100 {
		t.Errorf("the inputs are one-sided: %v", found)
	}
}
