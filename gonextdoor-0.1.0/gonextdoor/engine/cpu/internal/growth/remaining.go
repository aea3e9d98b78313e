package growth

import (
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/selector"
)

// remaining draws candidates in proportion to their biases, with removals in between. For n candidates a draw and a removal
// take O(log n), or O(n) if the sum of the biases exceeds 64 bits.
type remaining struct {
	biases []uint64 // 0 for candidates that were removed
	sums   selector.FenwickSampler
	summed bool // whether sums holds the biases
}

// fill starts with the given biases, which it keeps and modifies. It panics with a refusal if the sums do not fit in memory.
func (r *remaining) fill(biases []uint64) {
	buffer.MustFit(buffer.SumBytes * int64(len(biases)))
	r.biases, r.summed = biases, r.sums.Fill(biases)
}

// draw returns a candidate, or -1 if all remaining biases are 0.
func (r *remaining) draw(word uint64) int64 {
	if r.summed {
		return r.sums.Draw(word)
	}
	return selector.Scan(word, len(r.biases), func(i int) uint64 { return r.biases[i] })
}

// remove removes candidate i, if it still remains.
func (r *remaining) remove(i uint64) {
	if r.summed {
		r.sums.Drop(int(i), r.biases[i])
	}
	r.biases[i] = 0
}
