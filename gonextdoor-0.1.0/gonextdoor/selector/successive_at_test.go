package selector

import (
	"fmt"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// aliasRow returns the alias table of a row as a graph does, which is empty if all biases are 0.
func aliasRow(biases []uint32) []index.AliasSlot {
	neighbors := make([]uint32, len(biases))
	slots := make([]index.AliasSlot, len(biases))
	for i := range neighbors {
		neighbors[i] = uint32(i)
	}
	index.BuildAliasRow(neighbors, biases, slots)
	if len(slots) > 0 && slots[0].Vertex == graph.None {
		return nil
	}
	return slots
}

// biasKinds lists kinds of rows that cover every branch: equal biases, some zeros, all zeros, a dominating bias (so that the
// attempts do not suffice), and tails.
var biasKinds = map[string]func(i int, word uint64) uint32{
	"equal":      func(int, uint64) uint32 { return 3 },
	"zeros":      func(i int, w uint64) uint32 { return uint32(w & 7 * (w >> 3 & 1)) },
	"none":       func(int, uint64) uint32 { return 0 },
	"dominating": func(i int, w uint64) uint32 { return []uint32{1, 1 << 31}[b2i(i == 2)] },
	"fewBiased":  func(i int, w uint64) uint32 { return uint32(b2i(i%5 == 1)) },
	"tail":       func(i int, w uint64) uint32 { return uint32(w) >> (w >> 59) },
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func kindBiases(kind func(int, uint64) uint32, n int, seed uint64) []uint32 {
	biases := make([]uint32, n)
	for i := range biases {
		biases[i] = kind(i, rng.Key(seed).Word(uint64(i)))
	}
	return biases
}

func equalSuccessive(t *testing.T, key rng.Key, k uint64, biases []uint32, s *Scratch) {
	t.Helper()
	row := aliasRow(biases)
	want := Successive(key, k, row, biases, nil)
	for i := range want {
		want[i] += 1000
	}
	got := make([]uint64, min(k, uint64(len(biases))))
	count := SuccessiveAt(key, k, row, biases, 1000, got, s)
	if !slices.Equal(got[:count], want) {
		t.Fatalf("SuccessiveAt(%#x, %d of %d) = %v, want %v", key, k, len(biases), got[:count], want)
	}
}

func TestSuccessiveAtEqualsSuccessive(t *testing.T) {
	for name, kind := range biasKinds {
		t.Run(name, func(t *testing.T) {
			var s Scratch
			for n := range 24 {
				for k := range uint64(n + 3) {
					for id := range uint64(10) {
						equalSuccessive(t, rng.NewStream(1, rng.Choices).Key(id<<32|k), k, kindBiases(kind, n, id), &s)
					}
				}
			}
			for id := range uint64(60) {
				key := rng.NewStream(2, rng.Choices).Key(id)
				k, _ := rng.Below(key.Word(1<<40), 200)
				equalSuccessive(t, key, k, kindBiases(kind, int(k+1+id*7), id), &s)
			}
		})
	}
}

func TestFenwickFinds(t *testing.T) {
	var f fenwick
	for n := range 40 {
		numbers := kindBiases(biasKinds["zeros"], n, uint64(n))
		sum := fill(&f, numbers)
		for i := 0; i < n; i += 3 {
			f.subtract(i, uint64(numbers[i]))
			sum -= uint64(numbers[i])
			numbers[i] = 0
		}
		for r := range sum {
			i := f.find(r)
			before := uint64(0)
			for _, x := range numbers[:i] {
				before += uint64(x)
			}
			if r < before || r >= before+uint64(numbers[i]) {
				t.Fatalf("n %d: sum %d found at %d", n, r, i)
			}
		}
	}
}

func BenchmarkSuccessive(b *testing.B) {
	for _, kind := range []string{"equal", "tail", "dominating"} {
		biases := kindBiases(biasKinds[kind], 2000, 1)
		row := aliasRow(biases)
		for _, k := range []uint64{10, 200} {
			dst := make([]uint64, k)
			b.Run(fmt.Sprintf("%s%d/definition", kind, k), func(b *testing.B) {
				for i := range b.N {
					dst = Successive(rng.Key(i), k, row, biases, dst[:0])
				}
			})
			b.Run(fmt.Sprintf("%s%d/fast", kind, k), func(b *testing.B) {
				var s Scratch
				for i := range b.N {
					SuccessiveAt(rng.Key(i), k, row, biases, 0, dst[:k], &s)
				}
			})
		}
	}
}
