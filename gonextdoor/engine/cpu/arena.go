package cpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/offheap"
)

// arena is the one block that holds all arrays of a mini-batch, one behind the other. It may move while it grows, so
// arrays are known by their spans until it is complete.
type arena struct {
	words []int64
	used  int
}

// span is an array in an arena.
type span struct{ first, end int }

// room makes sure that n words fit behind those in use.
func (a *arena) room(n int) error {
	need := a.used + n
	if need <= len(a.words) {
		return nil
	}
	roomy := max(need, 2*len(a.words)) // so that it rarely moves
	block, err := offheap.Results.Lend(int64(roomy) * 8)
	if err != nil && need < roomy {
		roomy = need
		block, err = offheap.Results.Lend(int64(roomy) * 8)
	}
	if err != nil {
		return err
	}
	words := unsafe.Slice((*int64)(block), roomy)
	copy(words, a.words[:a.used])
	a.free()
	a.words = words
	return nil
}

// take puts the next n words in use; there is room for them.
func (a *arena) take(n int) span {
	s := span{a.used, a.used + n}
	a.used = s.end
	return s
}

func (a *arena) of(s span) []int64 { return a.words[s.first:s.end:s.end] }

func (a *arena) free() {
	if a.words != nil {
		offheap.Results.Return(uintptr(unsafe.Pointer(unsafe.SliceData(a.words))))
		a.words = nil
	}
}
