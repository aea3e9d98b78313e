package feature

import (
	"unsafe"

	"gonextdoor/gonextdoor/internal/streamstore"
)

const (
	block = 1024 // rows whose addresses are computed before they are copied

	// Rows are prefetched this many rows ahead of the copy: 8, but at least 2 and at most aheadBytes.
	aheadRows, leastAhead = 8, 2
	aheadBytes            = 8 << 10
	prefetchBytes         = 2 << 10 // of a row; the CPU itself prefetches the rest of a wide row

	wideRow      = 64      // rows of at least this many bytes are copied by copyWide
	streamRow    = 2048    // rows of at least this many bytes are streamed
	streamResult = 1 << 20 // in results of at least this many bytes, which the caches of a core would not keep
)

// copyRows copies the rows of size bytes at the addresses from to consecutive rows of to. The addresses are of memory outside
// of Go's heap. large reports whether to is a piece of a large result. It is
//
//	for i, row := range from { copy(to[i*size:(i+1)*size], row) }
func copyRows(to []byte, from []uintptr, size int, large bool) {
	if size == 0 || len(from) == 0 {
		return
	}
	to = to[:len(from)*size]
	start := unsafe.Pointer(unsafe.SliceData(to))
	switch {
	case size == 1:
		copyElements[uint8](start, from)
	case size == 2:
		copyElements[uint16](start, from)
	case size == 4:
		copyElements[uint32](start, from)
	case size == 8:
		copyElements[uint64](start, from)
	case streamstore.Available && large && size >= streamRow && size%16 == 0 && uintptr(start)%16 == 0:
		overlapped(start, from, size, streamstore.Copy)
		streamstore.Fence()
	case hasWide && size >= wideRow:
		copyWide(start, from, size)
	default:
		overlapped(start, from, size, copyRow)
	}
}

// overlapped copies rows by a function, and prefetches those that follow.
func overlapped(to unsafe.Pointer, from []uintptr, size int, one func(to unsafe.Pointer, row uintptr, size int)) {
	ahead := max(leastAhead, min(aheadRows, aheadBytes/size))
	for i, row := range from {
		if i+ahead < len(from) {
			prefetch(from[i+ahead], min(size, prefetchBytes))
		}
		one(unsafe.Add(to, i*size), row, size)
	}
}

// copyRow copies a row of size bytes.
func copyRow(to unsafe.Pointer, row uintptr, size int) {
	copy(unsafe.Slice((*byte)(to), size), unsafe.Slice((*byte)(pointer(row)), size))
}

// copyElements copies rows of one element, which the CPU overlaps without prefetches.
func copyElements[T any](to unsafe.Pointer, from []uintptr) {
	for i, row := range from {
		*(*T)(unsafe.Add(to, i*int(unsafe.Sizeof(*(*T)(to))))) = *(*T)(pointer(row))
	}
}

// pointer converts an address outside of Go's heap. vet reports a direct conversion.
func pointer(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }
