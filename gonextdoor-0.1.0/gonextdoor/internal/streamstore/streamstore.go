// Package streamstore copies memory by non-temporal stores, which bypass the CPU's caches. The CPU then does not read the lines
// that it overwrites, so that a copy from the cache takes half of the memory traffic. It pays if the copy is larger than the caches,
// or is not read soon.
//
// internal is needed.
package streamstore

import "unsafe"

const line = 64 // bytes of a cache line

// Bytes is copy(to, from) by non-temporal stores, for slices of the same length and any alignment.
func Bytes(to, from []byte) {
	if !Available || len(from) < 2*line {
		copy(to, from)
		return
	}
	at := unsafe.Pointer(unsafe.SliceData(to))
	head := int(-uintptr(at) % line)
	end := head + (len(from)-head)&^15
	copy(to[:head], from)
	Copy(unsafe.Add(at, head), uintptr(unsafe.Pointer(&from[head])), end-head)
	Fence()
	copy(to[end:], from[end:])
}
