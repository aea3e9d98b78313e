package cpu

import "gonextdoor/gonextdoor/rng"

// taken is a set of numbers, by open addressing. Its zero value is empty.
type taken struct {
	cells []uint64 // number+1; 0: empty
	count int
	shift int
}

// reset empties the set.
func (s *taken) reset() {
	if s.count > 0 {
		clear(s.cells)
	}
	s.count = 0
}

// has says whether x is in the set.
func (s *taken) has(x uint64) bool {
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

// add puts x in the set, and says whether it was not there.
func (s *taken) add(x uint64) bool {
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

func (s *taken) grow() {
	old := s.cells
	size := max(16, 2*len(old))
	s.cells, s.count, s.shift = grown[uint64](nil, size)[:size], 0, 64
	for n := size; n > 1; n /= 2 {
		s.shift--
	}
	for _, x := range old {
		if x != 0 {
			s.add(x - 1)
		}
	}
}
