package idmap

import (
	"math/bits"

	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
)

// Set is a set of numbers below 2^64-1. The zero value is an empty set. A Set serves one thread.
type Set struct {
	table // of number + 1
	count int
}

// Reset empties the set and keeps its capacity.
func (s *Set) Reset() {
	if s.count > 0 {
		clear(s.slots)
	}
	s.count = 0
}

// Has reports whether x is in the set.
func (s *Set) Has(x uint64) bool {
	if s.count == 0 {
		return false
	}
	_, slot := s.find(x, x+1, 0)
	return slot != 0
}

// Add inserts x and reports whether it is new. It panics like buffer.Grow if there is too little memory.
func (s *Set) Add(x uint64) bool {
	if 2*s.count >= len(s.slots) {
		s.grow()
	}
	at, slot := s.find(x, x+1, 0)
	if slot != 0 {
		return false
	}
	s.slots[at] = x + 1
	s.count++
	return true
}

// grow doubles the capacity and inserts the elements again.
func (s *Set) grow() {
	old, size := s.slots, max(16, 2*len(s.slots))
	s.slots, s.shift, s.count = buffer.Grow[uint64](nil, size)[:size], uint64(65-bits.Len(uint(size))), 0
	for _, x := range old {
		if x != 0 {
			s.Add(x - 1)
		}
	}
}
