// Package view reads results in host memory: it pads samples of different lengths to a matrix, and counts vertices. All
// functions run on a given number of threads (0: all).
package view

import (
	"slices"
	"sync/atomic"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/parallel"
)

// grain is the number of elements that a thread reads at a time.
const grain = 1 << 17

// Signed is an integer type of results, in which -1 represents a missing vertex.
type Signed interface{ ~int32 | ~int64 }

// Pad copies samples of different lengths to rows of one width. It leaves out the first skip elements of each sample and
// fills the rest of a row with -1:
//
//	for i := range rows { copy(out[i*width:(i+1)*width], values[offsets[i]+skip:offsets[i+1]]) }
//
// No sample may have more than width elements after the first skip.
func Pad[From, To Signed](offsets []int64, values []From, skip, width int, out []To, threads int) error {
	rows := len(offsets) - 1
	return parallel.For(nil, threads, rows, max(1, grain/max(1, width)), func(lo, hi int) error {
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

// Lengths writes the number of elements of each row that are not -1 to out. Rows have width elements.
func Lengths[T Signed](values []T, width int, out []int64, threads int) error {
	return parallel.For(nil, threads, len(out), max(1, grain/max(1, width)), func(lo, hi int) error {
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

// Touched writes 1 to out for each sample that has a vertex of a set among its first ones, and 0 for the others. Bit v%64 of word
// v/64 of the set is that of vertex v; a vertex beyond its words is not in it. Sample i is values[offsets[i]:offsets[i+1]], all of
// which is read, or without offsets row i of width elements, of which the first read ones are.
func Touched[T Signed](values []T, width, read int, offsets []int64, set []uint64, out []uint8, threads int) error {
	each := max(1, read)
	if len(offsets) > 1 {
		each = max(1, len(values)/(len(offsets)-1))
	}
	return parallel.For(nil, threads, len(out), max(1, grain/each), func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			from, to := int64(i)*int64(width), int64(i)*int64(width)+int64(read)
			if offsets != nil {
				from, to = offsets[i], offsets[i+1]
			}
			found := uint64(0)
			for _, v := range values[from:to] {
				if word := uint64(v) >> 6; word < uint64(len(set)) { // -1 is beyond them
					found |= set[word] >> (v & 63)
				}
			}
			out[i] = uint8(found & 1)
		}
		return nil
	})
}

// Replaced copies rows of size bytes to out, with some replaced: row rows[k] is row k of part, and the others are those of old.
// rows ascend, and have all rows of out after the last of old.
func Replaced(old, part []byte, rows []int64, out []byte, size, threads int) error {
	if size == 0 {
		return nil
	}
	return parallel.For(nil, threads, len(out)/size, max(1, 8*grain/size), func(lo, hi int) error {
		k, _ := slices.BinarySearch(rows, int64(lo))
		for at := lo; at < hi; k++ {
			next := min(hi, len(old)/size)
			if k < len(rows) {
				next = min(hi, int(rows[k]))
			}
			copy(out[at*size:next*size], old[min(at*size, len(old)):])
			if at = next; at < hi {
				copy(out[at*size:][:size], part[k*size:])
				at++
			}
		}
		return nil
	})
}

// Filled returns the number of elements that are not -1.
func Filled[T Signed](values []T, threads int) (int64, error) {
	var n atomic.Int64
	err := parallel.For(nil, threads, len(values), grain, func(lo, hi int) error {
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

// Visits adds to counts how often each vertex occurs in values, without -1. Several threads add atomically to the same counts.
func Visits[T Signed](values []T, counts []int64, threads int) error {
	if parallel.Workers(threads, len(values), grain) == 1 {
		for _, v := range values {
			if v >= 0 {
				counts[v]++
			}
		}
		return nil
	}
	return parallel.For(nil, threads, len(values), grain, func(lo, hi int) error {
		for _, v := range values[lo:hi] {
			if v >= 0 {
				atomic.AddInt64(&counts[v], 1)
			}
		}
		return nil
	})
}

// AddCounts adds more to counts of the same length, atomically: several callers may add to counts at the same time. Several
// threads add, because the first write to each page of counts is slow.
func AddCounts(more, counts []int64, threads int) error {
	return parallel.For(nil, threads, len(counts), grain, func(lo, hi int) error {
		for v, n := range more[lo:hi] {
			if n != 0 {
				atomic.AddInt64(&counts[lo+v], n)
			}
		}
		return nil
	})
}

// AddVisits adds to counts how often each vertex occurs in samples, and writes the last vertex of each sample to ends, or
// graph.None if it has none. Sample i is vertices[offsets[i]:offsets[i+1]] without graph.None. Either of counts and ends
// may be nil.
func AddVisits(vertices []uint32, offsets []int64, counts []int64, ends []uint32, threads int) error {
	if counts != nil {
		err := parallel.For(nil, threads, len(vertices), grain, func(lo, hi int) error {
			for _, v := range vertices[lo:hi] {
				if v != graph.None {
					atomic.AddInt64(&counts[v], 1)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return parallel.For(nil, threads, len(ends), grain, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			ends[i] = graph.None
			for at := offsets[i+1] - 1; at >= offsets[i]; at-- {
				if vertices[at] != graph.None {
					ends[i] = vertices[at]
					break
				}
			}
		}
		return nil
	})
}
