package partition

import "math/bits"

// rowSet is an ascending set of vertices that numbers its members: the row of a vertex is the number of members before it. It
// is a range, or a bitmap with the number of members before each of its words: 2 bits per vertex of the graph, of which a
// look-up reads one cache line.
type rowSet struct {
	first, end uint32 // a range, if words is nil
	words      []rowWord
}

// rowWord has the members among 64 vertices.
type rowWord struct {
	bits   uint64 // bit v%64 of word v/64
	before uint32 // the number of members before the word
}

// newRowSet returns the set of the vertices below n that has reports. It is called for all of them in ascending order.
func newRowSet(n int, has func(v uint32) bool) *rowSet {
	s := &rowSet{words: make([]rowWord, (n+63)/64)}
	members := uint32(0)
	for i := range s.words {
		word := rowWord{before: members}
		for v := 64 * i; v < min(64*i+64, n); v++ {
			if has(uint32(v)) {
				word.bits |= 1 << (v % 64)
			}
		}
		s.words[i] = word
		members += uint32(bits.OnesCount64(word.bits))
	}
	return s
}

// row returns the row of a vertex below the size of the graph, and whether it is a member.
func (s *rowSet) row(v uint32) (uint32, bool) {
	if s.words == nil {
		return v - s.first, v >= s.first && v < s.end
	}
	w := &s.words[v/64]
	return w.before + uint32(bits.OnesCount64(w.bits&(1<<(v%64)-1))), w.bits>>(v%64)&1 == 1
}

// size returns the number of members.
func (s *rowSet) size() int {
	if len(s.words) == 0 {
		return int(s.end - s.first)
	}
	last := s.words[len(s.words)-1]
	return int(last.before) + bits.OnesCount64(last.bits)
}

// each calls f with the members in ascending order.
func (s *rowSet) each(f func(row int, v uint32)) {
	if s.words == nil {
		for v := s.first; v < s.end; v++ {
			f(int(v-s.first), v)
		}
		return
	}
	row := 0
	for i := range s.words {
		for word := s.words[i].bits; word != 0; word &= word - 1 {
			f(row, uint32(64*i+bits.TrailingZeros64(word)))
			row++
		}
	}
}
