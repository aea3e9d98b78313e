package gonextdoor

import (
	"sync/atomic"

	"gonextdoor/gonextdoor/parallel"
)

// viewPiece is how many elements a thread takes at a time when a result is read through.
const viewPiece = 1 << 17

// Signed is what results are kept in: -1 stands for none.
type Signed interface{ ~int32 | ~int64 }

// Pad lays samples of different lengths out as rows of one width, filled up with -1. skip leaves the first elements of
// every sample out. It is
//
//	for i := range rows { copy(out[i*width:], values[offsets[i]+skip:offsets[i+1]]), then -1 }
func Pad[From, To Signed](offsets []int64, values []From, skip, width int, out []To, threads int) error {
	rows := len(offsets) - 1
	return parallel.For(nil, threads, rows, max(1, viewPiece/max(1, width)), func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			sample := values[offsets[i]+int64(skip) : offsets[i+1]]
			row := out[i*width:][:width]
			for k, v := range sample {
				row[k] = To(v)
			}
			for k := len(sample); k < width; k++ {
				row[k] = -1
			}
		}
		return nil
	})
}

// Lengths counts the vertices of each row, those that are not -1.
func Lengths[T Signed](values []T, width int, out []int64, threads int) error {
	return parallel.For(nil, threads, len(out), max(1, viewPiece/max(1, width)), func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			n := int64(0)
			for _, v := range values[i*width:][:width] {
				if v >= 0 {
					n++
				}
			}
			out[i] = n
		}
		return nil
	})
}

// Filled counts the elements that are not -1.
func Filled[T Signed](values []T, threads int) (int64, error) {
	var n atomic.Int64
	err := parallel.For(nil, threads, len(values), viewPiece, func(lo, hi int) error {
		part := int64(0)
		for _, v := range values[lo:hi] {
			if v >= 0 {
				part++
			}
		}
		n.Add(part)
		return nil
	})
	return n.Load(), err
}

// Visits counts how often each vertex stands in values, -1 left out.
func Visits[T Signed](values []T, counts []int64, threads int) error {
	if parallel.Workers(threads, len(values), viewPiece) == 1 {
		for _, v := range values {
			if v >= 0 {
				counts[v]++
			}
		}
		return nil
	}
	return parallel.For(nil, threads, len(values), viewPiece, func(lo, hi int) error {
		for _, v := range values[lo:hi] {
			if v >= 0 {
				atomic.AddInt64(&counts[v], 1)
			}
		}
		return nil
	})
}
