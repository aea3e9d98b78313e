package buffer

import (
	"unsafe"

	"gonextdoor/gonextdoor/offheap"
)

// GrowLent replaces an array lent from offheap.Results by one of n elements with the same beginning. The caller owns the new
// array and frees it with Return. On an error, the array is unchanged.
func GrowLent[T any](s *[]T, n int) error {
	var z T
	block, err := offheap.Results.Lend(int64(n) * int64(unsafe.Sizeof(z)))
	if err != nil {
		return err
	}
	larger := unsafe.Slice((*T)(block), n)
	copy(larger, *s)
	Return(*s)
	*s = larger
	return nil
}

// Return returns a lent array, or the beginning of one, to offheap.Results. A slice without capacity is ignored.
func Return[T any](s []T) {
	if cap(s) > 0 {
		offheap.Results.Return(uintptr(unsafe.Pointer(unsafe.SliceData(s))))
	}
}

// Pointer returns the address of the first element, for arguments of stages. The caller keeps the slice alive.
func Pointer[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }
