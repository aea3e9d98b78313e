package stage

import "unsafe"

// MarkedSlack is the number of elements that hits needs in addition to the length of ends.
const MarkedSlack = 16

// minMarked is the smallest number of ends for which AVX-512 is faster.
const minMarked = 32

// Marked writes the indices of the elements of ends whose bit is set to hits, and returns their number. It is
//
//	for i, u := range ends { if bit u of bits { hits[n] = i; n++ } }
//
// without a branch, since the bits are unpredictable.
func Marked(bits *uint64, ends []uint32, hits *uint32) int {
	n, done := uintptr(0), 0
	if hasAVX512 && len(ends) >= minMarked {
		done = len(ends) &^ 15
		n = uintptr(markedAVX512(bits, ends[:done], hits))
	}
	for i, u := range ends[done:] {
		*(*uint32)(unsafe.Add(unsafe.Pointer(hits), n*4)) = uint32(done + i)
		n += uintptr(*(*uint64)(unsafe.Add(unsafe.Pointer(bits), uintptr(u>>6)*8)) >> (u & 63) & 1)
	}
	return int(n)
}
