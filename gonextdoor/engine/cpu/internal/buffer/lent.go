package buffer

import (
	"unsafe"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
)

// copyPiece is the number of bytes that GrowLent copies between two checks for cancellation. The system zeroes fresh pages
// meanwhile, so that a copy of some hundred megabytes may take a second on a busy machine.
const copyPiece = 8 << 20

// GrowLent replaces an array lent from offheap.Results by one of n elements with the same beginning. The caller owns the new
// array and frees it with Return. If the job j is cancelled, the copy ends with its error; the array is unchanged after any error.
func GrowLent[T any](s *[]T, n int, j *job.Job) error {
	var z T
	block, err := offheap.Results.Lend(int64(n) * int64(unsafe.Sizeof(z)))
	if err != nil {
		return err
	}
	larger, piece := unsafe.Slice((*T)(block), n), max(copyPiece/int(unsafe.Sizeof(z)), 1)
	for at := 0; at < len(*s); at += piece {
		if err := j.Err(); err != nil {
			Return(larger)
			return err
		}
		copy(larger[at:], (*s)[at:min(at+piece, len(*s))])
	}
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
