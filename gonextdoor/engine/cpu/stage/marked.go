package stage

import "unsafe"

// MarkedSlack is how many elements more than ends Marked's hits have room for.
const MarkedSlack = 16

// leastMarked is how many ends pay for the wide form.
const leastMarked = 32

// Marked writes down which of some vertices have a bit, by their places, and gives their number. It is
//
//	for i, u := range ends { if bit u of bits { hits[n] = i; n++ } }
//
// without a branch: whether a vertex has one, no processor can foresee.
func Marked(bits *uint64, ends []uint32, hits *uint32) int {
	n, done := uintptr(0), 0
	if wide && len(ends) >= leastMarked {
		done = len(ends) &^ 15
		n = uintptr(markedWide(bits, ends[:done], hits))
	}
	for i, u := range ends[done:] {
		*(*uint32)(unsafe.Add(unsafe.Pointer(hits), n*4)) = uint32(done + i)
		n += uintptr(*(*uint64)(unsafe.Add(unsafe.Pointer(bits), uintptr(u>>6)*8)) >> (u & 63) & 1)
	}
	return int(n)
}
