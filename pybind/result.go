package pybind

import (
	result "gonextdoor/gonextdoor/output/view"
	"gonextdoor/gonextdoor/refuse"
)

// Pad copies ragged samples to rows of width integers, padded with -1. The first skip elements of each sample are left out.
// fromSize and toSize are the bytes per integer of values and out.
func Pad(offsets uintptr, rows int64, values uintptr, fromSize int64, skip int64, out uintptr, toSize int64, width int64,
	threads int64,
) (n int64, err error) {
	defer guard(&err)
	at := view[int64](offsets, rows+1)
	total := at[rows]
	switch {
	case fromSize == 4 && toSize == 4:
		err = result.Pad(at, view[int32](values, total), int(skip), int(width), view[int32](out, rows*width), int(threads))
	case fromSize == 4 && toSize == 8:
		err = result.Pad(at, view[int32](values, total), int(skip), int(width), view[int64](out, rows*width), int(threads))
	case fromSize == 8 && toSize == 8:
		err = result.Pad(at, view[int64](values, total), int(skip), int(width), view[int64](out, rows*width), int(threads))
	default:
		err = refuse.Type("Pad: %d bytes to %d bytes", fromSize, toSize)
	}
	return rows, err
}

// Lengths writes the number of vertices of each row to out, as int64. values has rows x width integers of size bytes; -1 is
// not counted.
func Lengths(values uintptr, size int64, rows int64, width int64, out uintptr, threads int64) (n int64, err error) {
	defer guard(&err)
	if size == 8 {
		return rows, result.Lengths(view[int64](values, rows*width), int(width), view[int64](out, rows), int(threads))
	}
	return rows, result.Lengths(view[int32](values, rows*width), int(width), view[int64](out, rows), int(threads))
}

// Touched writes 1 to out, an uint8 per row, for each sample that has a vertex of a set: bit v%64 of word v/64 of words. values
// has rows x width integers of size bytes, of which the first read in each row count; with offsets, rows + 1 int64, samples differ
// in length, and all count.
func Touched(values uintptr, size int64, rows int64, width int64, read int64, offsets uintptr, set uintptr, words int64, out uintptr,
) (n int64, err error) {
	defer guard(&err)
	var at []int64
	count := rows * width
	if offsets != 0 {
		at = view[int64](offsets, rows+1)
		count = at[rows]
	}
	if size == 8 {
		return rows, result.Touched(view[int64](values, count), int(width), int(read), at, view[uint64](set, words), view[uint8](out, rows), 0)
	}
	return rows, result.Touched(view[int32](values, count), int(width), int(read), at, view[uint64](set, words), view[uint8](out, rows), 0)
}

// Replaced copies rows of size bytes to out, of which it has outRows: those whose numbers rows has, count int64, are those of part,
// and the others those of old, which has oldRows.
func Replaced(old uintptr, oldRows int64, part uintptr, rows uintptr, count int64, out uintptr, outRows int64, size int64,
) (done bool, err error) {
	defer guard(&err)
	return true, result.Replaced(view[byte](old, oldRows*size), view[byte](part, count*size), view[int64](rows, count),
		view[byte](out, outRows*size), int(size), 0)
}

// Filled returns how many of count integers of size bytes are not -1.
func Filled(values uintptr, size int64, count int64, threads int64) (n int64, err error) {
	defer guard(&err)
	if size == 8 {
		return result.Filled(view[int64](values, count), int(threads))
	}
	return result.Filled(view[int32](values, count), int(threads))
}

// Visits adds to counts, which has an int64 per vertex, how often each vertex occurs in values.
func Visits(values uintptr, size int64, count int64, counts uintptr, vertices int64, threads int64) (n int64, err error) {
	defer guard(&err)
	if size == 8 {
		return count, result.Visits(view[int64](values, count), view[int64](counts, vertices), int(threads))
	}
	return count, result.Visits(view[int32](values, count), view[int64](counts, vertices), int(threads))
}
