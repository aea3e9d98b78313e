//go:build !amd64

package streamstore

import "unsafe"

// Available is false: there is no assembly for this CPU.
const Available = false

// Copy copies size bytes.
func Copy(to unsafe.Pointer, from uintptr, size int) {
	copy(unsafe.Slice((*byte)(to), size), unsafe.Slice(*(**byte)(unsafe.Pointer(&from)), size))
}

// Fence does nothing.
func Fence() {}
