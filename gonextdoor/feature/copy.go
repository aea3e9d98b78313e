package feature

import "unsafe"

// copyRows copies the rows of size bytes at the addresses from to consecutive rows of to. The addresses are of memory outside
// of Go's heap.
func copyRows(to []byte, from []uintptr, size int) {
	if size == 0 {
		return
	}
	for i := range from {
		row := *(*unsafe.Pointer)(unsafe.Pointer(&from[i])) // vet reports a direct conversion
		copy(to[i*size:(i+1)*size], unsafe.Slice((*byte)(row), size))
	}
}
