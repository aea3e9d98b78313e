package stage

import "unsafe"

// Marked writes down which of some vertices have a bit, by their places, and gives their number. hits has room for one
// more than there are ends. It is
//
//	for i, u := range ends { if bit u of bits { hits[n] = i; n++ } }
//
// without a branch: whether a vertex has one, no processor can foresee.
func Marked(bits *uint64, ends []uint32, hits *uint32) int {
	n := uintptr(0)
	for i, u := range ends {
		*(*uint32)(unsafe.Add(unsafe.Pointer(hits), n*4)) = uint32(i)
		n += uintptr(*(*uint64)(unsafe.Add(unsafe.Pointer(bits), uintptr(u>>6)*8)) >> (u & 63) & 1)
	}
	return int(n)
}
