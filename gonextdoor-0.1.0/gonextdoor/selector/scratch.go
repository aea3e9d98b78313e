package selector

import (
	"math/bits"

	"gonextdoor/gonextdoor/rng"
)

// Scratch is memory that the fast forms reuse between choices. The zero value is ready for use. It serves one goroutine at a
// time.
type Scratch struct {
	seen   seen
	next   []uint64         // PermuteAt: links of the list of picks; SmallestRatiosAt: the integer parts of ratios
	left   fenwick          // SuccessiveAt, SuccessiveSums: the remaining biases
	found  [together]uint64 // SuccessiveSums: a batch of draws
	biases []uint32         // SuccessiveSums: all biases
	heap   []ratio          // SequentialPoissonAt: the best candidates so far
}

// filtered is the largest number of picks in which duplicates are searched linearly, after a one-word filter. For so few picks
// a hash table is slower.
const filtered = 64

// seen maps each pick to its index, by an open-addressing hash table that is at most half full.
type seen struct {
	picks  []uint64 // pick + 1; 0: empty
	places []uint64 // index of the pick in the same slot
	shift  int      // 64 minus the binary logarithm of the number of slots
}

// reset empties the set and provides capacity for k picks.
func (s *seen) reset(k uint64) {
	size := uint64(1) << bits.Len64(2*k-1)
	s.shift = 65 - bits.Len64(size)
	if uint64(cap(s.picks)) < size {
		s.picks, s.places = make([]uint64, size), make([]uint64, size)
		return
	}
	s.picks, s.places = s.picks[:size], s.places[:size]
	clear(s.picks)
}

// add returns the place of a pick that is in the set. Otherwise it adds the pick with the given place, and fresh is true.
func (s *seen) add(pick, place uint64) (at uint64, fresh bool) {
	mask := uint64(len(s.picks) - 1)
	for h := pick * rng.Gamma >> s.shift; ; h = (h + 1) & mask {
		switch s.picks[h] {
		case 0:
			s.picks[h], s.places[h] = pick+1, place
			return place, true
		case pick + 1:
			return s.places[h], false
		}
	}
}
