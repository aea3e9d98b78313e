package partition

import "math/bits"

// rowSet is an ascending set of vertices that numbers its members: the row of a vertex is the number of members before it. It
// is a bitmap with the number of members before each block of 512 vertices, 1.0625 bits per vertex of the graph, or a range.
type rowSet struct {
	first, end uint32   // a range, if bits is nil
	bits       []uint64 // bit v%64 of word v/64
	ranks      []uint32 // members before each block of rankWords words
}

// rankWords is the number of words of a block, a cache line.
const rankWords = 8

// newRowSet returns the set of the vertices below n that has reports. It is called for all of them in ascending order.
func newRowSet(n int, has func(v uint32) bool) *rowSet {
	words := (n + 63) / 64
	s := &rowSet{bits: make([]uint64, words), ranks: make([]uint32, words/rankWords+1)}
	members := uint32(0)
	for w := range words {
		if w%rankWords == 0 {
			s.ranks[w/rankWords] = members
		}
		var word uint64
		for v := 64 * w; v < min(64*w+64, n); v++ {
			if has(uint32(v)) {
				word |= 1 << (v % 64)
			}
		}
		s.bits[w] = word
		members += uint32(bits.OnesCount64(word))
	}
	return s
}

// row returns the row of a vertex below the size of the graph, and whether it is a member.
func (s *rowSet) row(v uint32) (uint32, bool) {
	if s.bits == nil {
		return v - s.first, v >= s.first && v < s.end
	}
	w := v / 64
	word := s.bits[w]
	if word>>(v%64)&1 == 0 {
		return 0, false
	}
	row := s.ranks[w/rankWords]
	for at := w &^ (rankWords - 1); at < w; at++ {
		row += uint32(bits.OnesCount64(s.bits[at]))
	}
	return row + uint32(bits.OnesCount64(word&(1<<(v%64)-1))), true
}

// size returns the number of members.
func (s *rowSet) size() int {
	if s.bits == nil {
		return int(s.end - s.first)
	}
	n := 0
	for _, word := range s.bits {
		n += bits.OnesCount64(word)
	}
	return n
}

// each calls f with the members in ascending order.
func (s *rowSet) each(f func(row int, v uint32)) {
	if s.bits == nil {
		for v := s.first; v < s.end; v++ {
			f(int(v-s.first), v)
		}
		return
	}
	row := 0
	for w, word := range s.bits {
		for ; word != 0; word &= word - 1 {
			f(row, uint32(64*w+bits.TrailingZeros64(word)))
			row++
		}
	}
}
