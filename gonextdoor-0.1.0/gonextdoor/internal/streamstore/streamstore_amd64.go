package streamstore

import "unsafe"

// Available reports whether Copy is faster than copy for large memory. It needs SSE2, which every amd64 CPU supports.
const Available = true

// Copy copies size bytes, a positive multiple of 16. to is aligned to 16 bytes. Call Fence after the last copy.
//
//go:noescape
func Copy(to unsafe.Pointer, from uintptr, size int)

// Fence orders the stores of Copy before later ones, such as those that tell other threads of the result.
func Fence()
