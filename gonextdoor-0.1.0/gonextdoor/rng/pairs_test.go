package rng_test

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/rng"
)

// A test of pairs compares how often two ids, the xor of which is fixed, both have a number below a threshold with the
// probability of that for independent numbers. It counts all pairs of ids below 2^20 in some streams, and pairs of which one
// is the xor of such an id and of higher bits. Whether the number of each id is below the threshold is one bit, so that 64
// pairs are counted in a few instructions.
const (
	pairBits   = 20 // of the ids
	pairIDs    = 1 << pairBits
	pairWords  = pairIDs / 64
	pairsFalse = 1e-9 // the probability that any of the tests of a run fails if the numbers are independent
)

// pairThresholds are the binary logarithms of the reciprocal thresholds: one in 2, one in 16 (a fan-out of 4 in a row of 64)
// and one in 64.
var pairThresholds = []int{1, 4, 6}

// below is a set of ids below 2^20, as bits: those whose number is below a threshold.
type below [pairWords]uint64

// count returns the number of ids that are in b and whose xor with 64*words is in other.
func (b *below) count(other *below, words int) (n int) {
	for i, x := range other {
		n += bits.OnesCount64(x & b[(i^words)&(pairWords-1)])
	}
	return n
}

// exchanged returns the xors of the ids in b with d, d < 64.
func (b *below) exchanged(d uint32) *below {
	to := *b
	for k, mask := range [...]uint64{0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f, 0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0xffffffff} {
		if shift := uint(1) << k; d>>k&1 != 0 {
			for i, x := range to {
				to[i] = x>>shift&mask | x&mask<<shift
			}
		}
	}
	return &to
}

// fill sets b[k] to the ids whose xor with high has a number below threshold k.
func fill(s rng.Stream, high uint32, b []below) {
	for word := range pairWords {
		var x [3]uint64
		for i := range uint32(64) {
			number := s.High(uint32(word)*64 + i ^ high)
			for k, log := range pairThresholds {
				x[k] |= uint64(1-min(1, number>>(32-log))) << i
			}
		}
		for k := range b {
			b[k][word] = x[k]
		}
	}
}

// logTail returns an upper bound of the logarithm of the probability that a binomial variable deviates from its mean at least
// as far as n of draws to the same side (Chernoff).
func logTail(n, draws, p float64) float64 {
	entropy := func(a, b float64) float64 {
		if a == 0 {
			return 0
		}
		return a * math.Log(a/b)
	}
	share := n / draws
	return -draws * (entropy(share, p) + entropy(1-share, 1-p))
}

// pairXors returns the tested xors, in which the parts from bit 20 on are equal for successive ones, and below these the lower
// six bits.
func pairXors() (xors []uint32) {
	for _, high := range [...]uint32{0, 1 << 20, 1 << 21, 1 << 22, 1 << 23, 1 << 24, 1 << 25, 1 << 26, 1 << 27, 1 << 28, 1 << 29, 1 << 30, 1 << 31} {
		for within := range uint32(64) {
			for words := range uint32(pairWords) {
				low := words*64 + within
				if n := bits.OnesCount32(low); high == 0 && low > 0 && n <= 3 || high != 0 && n <= 1 {
					xors = append(xors, high|low)
				}
			}
		}
	}
	return xors
}

// The numbers of two ids are independent for every xor of up to three bits of 20, and for every xor of one bit from 20 on and at
// most one below, such as 0x80008000. The short run has 16 streams, with 8.4e6 pairs per xor. With a probability of 0.9 it
// finds numbers that are both below 1/2 a fraction of 0.006 too often or too seldom, below 1/16 one of 0.05, or below 1/64
// one of 0.2. The long run, with 400 streams, finds a fifth of that.
func TestPairsOfNumbersAreIndependent(t *testing.T) {
	streams := 400
	if testing.Short() {
		streams = 16
	}
	xors := pairXors()
	counts := make([][]int, len(xors)) // both numbers below each threshold
	one, far, moved := make([]below, len(pairThresholds)), make([]below, len(pairThresholds)), make([]*below, len(pairThresholds))
	for stream := range streams {
		s := rng.Stream(rng.Key(stream).Word(1))
		fill(s, 0, one)
		for i, d := range xors {
			high, within := d&^(pairIDs-1), d%64
			if i == 0 || high != xors[i-1]&^(pairIDs-1) {
				fill(s, high, far)
				moved[0] = nil
			}
			if moved[0] == nil || within != xors[i-1]%64 {
				for k := range far {
					moved[k] = far[k].exchanged(within)
				}
			}
			if counts[i] == nil {
				counts[i] = make([]int, len(pairThresholds))
			}
			for k := range moved {
				counts[i][k] += one[k].count(moved[k], int(d%pairIDs/64))
			}
		}
	}
	limit := math.Log(pairsFalse / float64(2*len(counts)*len(pairThresholds)))
	if !slices.Contains(xors, 0x80008000) {
		t.Error("0x80008000 is not tested")
	}
	worst, where := 0.0, ""
	for i, d := range xors {
		for k, log := range pairThresholds {
			draws, n := float64(streams)*pairIDs, float64(counts[i][k])
			if d < pairIDs { // each pair was counted from both of its ids
				draws, n = draws/2, n/2
			}
			p := math.Ldexp(1, -2*log)
			if tail := logTail(n, draws, p); tail < worst {
				worst, where = tail, fmt.Sprintf("xor %#x: both numbers below 1/%d %.4f times as often as they should be, p <= 2e%.0f", d, 1<<log, n/(draws*p), tail/math.Ln10)
			}
		}
	}
	if worst < limit {
		t.Error(where)
	} else {
		t.Logf("%d xors, %d streams, at worst %s", len(counts), streams, where)
	}
}
