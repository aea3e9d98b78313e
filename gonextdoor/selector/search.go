package selector

import (
	"math/bits"

	"gonextdoor/gonextdoor/graph/index"
)

// Search selects i with probability bias/sum, or -1 if the sum is 0, by a search among the running sums of the biases. It
// is Scan, for biases that are the same at every draw.
func Search(word uint64, c index.Cumulative) int64 {
	if c.Total() == 0 {
		return -1
	}
	r, _ := bits.Mul64(word, c.Total())
	return int64(c.Find(r))
}
