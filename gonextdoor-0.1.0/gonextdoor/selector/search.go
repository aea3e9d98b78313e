package selector

import (
	"math/bits"

	"gonextdoor/gonextdoor/graph/index"
)

// Search selects i with probability bias(i)/sum, or -1 if the sum is 0, by a search in the prefix sums of the biases. It equals
// Scan, and is meant for biases that many draws share: building the sums takes O(n), and a draw O(log n) at most.
func Search(word uint64, c index.Cumulative) int64 {
	if c.Total() == 0 {
		return -1
	}
	r, _ := bits.Mul64(word, c.Total())
	return int64(c.Find(r))
}
