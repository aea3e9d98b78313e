package growth

import (
	"gonextdoor/gonextdoor/engine/cpu/buffer"
	"gonextdoor/gonextdoor/selector"
)

// remaining draws candidates one after another in proportion to their biases, with removals in between. A draw and a
// removal take log n steps, or n steps if the biases sum to more than 64 bits hold.
type remaining struct {
	biases []uint64 // 0 for candidates that were removed
	sums   selector.FenwickSampler
	summed bool // whether sums holds the biases
}

// fill begins with these biases, which it keeps and changes. It panics with a refusal if the sums do not fit in memory.
func (r *remaining) fill(biases []uint64) {
	buffer.MustFit(buffer.SumBytes * int64(len(biases)))
	r.biases, r.summed = biases, r.sums.Fill(biases)
}

// draw returns a candidate, or -1 if none that remains has a bias.
func (r *remaining) draw(word uint64) int64 {
	if r.summed {
		return r.sums.Draw(word)
	}
	return selector.Scan(word, len(r.biases), func(i int) uint64 { return r.biases[i] })
}

// remove removes candidate i. It may have been removed before.
func (r *remaining) remove(i uint64) {
	if r.summed {
		r.sums.Drop(int(i), r.biases[i])
	}
	r.biases[i] = 0
}
