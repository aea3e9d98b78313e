package selector

import "gonextdoor/gonextdoor/graph/index"

// DecayBefore is Decay among the first n candidates: the probability of i is (sums[i] - sums[i+1]) / (sums[0] - sums[n]). It
// maps the word to those by which Decay selects one of them.
func DecayBefore(word uint64, sums []index.DecaySum, n int) int64 {
	if 0 < n && n < len(sums) {
		word = sums[0].Above(sums[n], word)
	}
	return Decay(word, sums[:n])
}

// Decay selects i of the candidates of which sums has the sums of weights from each one on, or -1 if there is none. The
// probability of i is (sums[i] - sums[i+1]) / sums[0]. It is
//
//	level := sums[0].Times(word); i := 0; for i+1 < len(sums) && sums[i+1] > level { i++ }
//
// in O(log i): a search in steps that double, then a binary search. The first candidates weigh most.
func Decay(word uint64, sums []index.DecaySum) int64 {
	if len(sums) == 0 {
		return -1
	}
	level, reach := sums[0].Times(word), 1
	for reach < len(sums) && sums[reach] > level {
		reach *= 2
	}
	// The first sum that is at most the level is in sums[first:last], or at last.
	first, last := reach/2+1, min(reach, len(sums))
	for first < last {
		if middle := int(uint(first+last) / 2); sums[middle] > level {
			first = middle + 1
		} else {
			last = middle
		}
	}
	return int64(first - 1)
}
