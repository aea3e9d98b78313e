package roots

import (
	"unsafe"

	"gonextdoor/gonextdoor/refuse"
)

// CopyKind is Copy of len(into) integers, from number first of those at an address on. kind is the size of an integer in bytes,
// negative if signed. It returns an error (TypeError) for any other kind. pinned: a GPU reads into next, so that many values are
// written past the CPU's caches.
func CopyKind(vertices int, argument string, from unsafe.Pointer, kind int64, first int, into []uint32, threads int, pinned bool) error {
	switch kind {
	case -1:
		return copyAt[int8](vertices, argument, from, first, into, threads, pinned)
	case -2:
		return copyAt[int16](vertices, argument, from, first, into, threads, pinned)
	case -4:
		return copyAt[int32](vertices, argument, from, first, into, threads, pinned)
	case -8:
		return copyAt[int64](vertices, argument, from, first, into, threads, pinned)
	case 1:
		return copyAt[uint8](vertices, argument, from, first, into, threads, pinned)
	case 2:
		return copyAt[uint16](vertices, argument, from, first, into, threads, pinned)
	case 4:
		return copyAt[uint32](vertices, argument, from, first, into, threads, pinned)
	case 8:
		return copyAt[uint64](vertices, argument, from, first, into, threads, pinned)
	}
	return refuse.Type("%s: expected integers", argument)
}

func copyAt[T Integer](vertices int, argument string, from unsafe.Pointer, first int, into []uint32, threads int, pinned bool) error {
	return copyFrom(vertices, argument, unsafe.Slice((*T)(from), first+len(into))[first:], into, first, threads, pinned)
}
