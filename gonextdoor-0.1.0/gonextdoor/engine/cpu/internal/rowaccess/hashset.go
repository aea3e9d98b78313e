package rowaccess

import (
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/rng"
)

// HashSet is a set of numbers below 2^64-1: a hash table with open addressing and linear probing, at most half full. The
// zero value is an empty set. A HashSet serves one thread.
type HashSet struct {
	cells []uint64 // number + 1; 0: empty
	count int      // elements
	shift int      // 64 minus the binary logarithm of the number of cells
}

// Reset empties the set and keeps its capacity.
func (s *HashSet) Reset() {
	if s.count > 0 {
		clear(s.cells)
	}
	s.count = 0
}

// Has reports whether x is in the set.
func (s *HashSet) Has(x uint64) bool {
	if s.count == 0 {
		return false
	}
	mask := len(s.cells) - 1
	for at := int(x * rng.Gamma >> s.shift); ; at = (at + 1) & mask {
		switch s.cells[at] {
		case 0:
			return false
		case x + 1:
			return true
		}
	}
}

// Add inserts x and reports whether it is new. It panics like buffer.Grow if there is too little memory.
func (s *HashSet) Add(x uint64) bool {
	if 2*s.count >= len(s.cells) {
		s.grow()
	}
	mask := len(s.cells) - 1
	for at := int(x * rng.Gamma >> s.shift); ; at = (at + 1) & mask {
		switch s.cells[at] {
		case 0:
			s.cells[at] = x + 1
			s.count++
			return true
		case x + 1:
			return false
		}
	}
}

// grow doubles the capacity and inserts the elements again.
func (s *HashSet) grow() {
	old := s.cells
	size := max(16, 2*len(old))
	s.cells, s.count, s.shift = buffer.Grow[uint64](nil, size)[:size], 0, 64
	for n := size; n > 1; n /= 2 {
		s.shift--
	}
	for _, x := range old {
		if x != 0 {
			s.Add(x - 1)
		}
	}
}
