package selector

import (
	"cmp"
	"math/bits"
	"slices"

	"gonextdoor/gonextdoor/rng"
)

// Race appends up to k candidates to picks without replacement, in the distribution and order of ScanWithout: each is drawn in
// proportion to its bias among the remaining ones (Efraimidis and Spirakis, Information Processing Letters 2006). Candidate i
// arrives at the time ArrivalTime(word i)/bias i, rounded to a float64, and the first k to arrive are taken. At equal times the
// lower index is first. A candidate of bias 0 never arrives.
//
// One pass suffices and no sums are needed, but each candidate takes a random word. Times have 57 fraction bits, so
// probabilities differ from those of ScanWithout by about 2^-57 of the largest bias's share.
func Race(key rng.Key, k uint64, biases []uint64, picks []uint64) []uint64 {
	type arrival struct {
		time  float64
		place uint64
	}
	var all []arrival
	for i, b := range biases {
		if b > 0 {
			all = append(all, arrival{float64(ArrivalTime(key.Word(uint64(i)))) / float64(b), uint64(i)})
		}
	}
	slices.SortStableFunc(all, func(a, b arrival) int { return cmp.Compare(a.time, b.time) })
	for _, a := range all[:min(k, uint64(len(all)))] {
		picks = append(picks, a.place)
	}
	return picks
}

// ArrivalTime returns -log2(word / 2^64) with 57 fraction bits, which has an exponential distribution. The word 0 counts as 1.
// It multiplies the word by factors 1 + 2^-i until it is almost a power of two, so it needs only shifts and additions.
func ArrivalTime(word uint64) uint64 {
	word = max(word, 1)
	zeros := bits.LeadingZeros64(word)
	time, y := uint64(zeros)<<57, word<<zeros>>1 // y has 62 fraction bits, and is in [1, 2)
	for i, log := range logFactors {
		if grown := y + y>>(i+1); grown <= 1<<63 {
			y = grown
			time += log
		}
	}
	rest, _ := bits.Mul64(1<<63-y, logE)
	return time + rest
}

// logFactors[i-1] is log2(1 + 2^-i) with 57 fraction bits, rounded to nearest. logE is log2(e) with 58 fraction bits.
// kernels/selector/race.cuh has the same numbers.
var logFactors = [30]uint64{
	0x12b803473f7ad0f, 0xa4d3c25e68dc58, 0x570068e7ef5a1e, 0x2cc7edf592262d, 0x16bad3758efd87, 0xb73cb42e16915,
	0x5bf942dbbc214, 0x2e1388daf558f, 0x170f83ff0a756, 0xb89329ba1fa3, 0x5c4f58bde55f, 0x2e291d854380,
	0x1714eb11fa53, 0xb8a8c9d8bea, 0x5c54c1400b9, 0x2e2a77b51f0, 0x1715419fdb9, 0xb8aa241419,
	0x5c5517cf5d, 0x2e2a8d5903, 0x17154708d6, 0xb8aa39b80, 0x5c551d386, 0x2e2a8eb34,
	0x1715475f6, 0xb8aa3b12, 0x5c551d8f, 0x2e2a8ec9, 0x17154765, 0xb8aa3b2,
}

const logE = 0x5c551d94ae0bf86
