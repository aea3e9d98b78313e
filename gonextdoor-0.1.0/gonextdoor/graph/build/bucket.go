package build

import (
	"slices"
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

// bucketSorter sorts the arcs of a bucket by (row, target, input index). Its keys are target<<32 | index of the arc in the
// bucket. The arcs are in input order, so a stable sort by target and then by row suffices. It belongs to one worker; its
// arrays are off the Go heap.
type bucketSorter struct {
	keys, spare []uint64
	cursors     []uint32 // per row of the bucket: index of its next arc
}

// make allocates memory for buckets of up to the given numbers of arcs and rows.
func (s *bucketSorter) make(arcs, rows int) (err error) {
	if s.keys, err = offheap.Make[uint64](arcs + 1); err != nil {
		return err
	}
	if s.spare, err = offheap.Make[uint64](arcs + 1); err != nil {
		return err
	}
	s.cursors, err = offheap.Make[uint32](rows)
	return err
}

// free frees the memory.
func (s *bucketSorter) free() {
	offheap.Free(s.keys)
	offheap.Free(s.spare)
	offheap.Free(s.cursors)
}

// sort sorts bucket b in place, stores the lengths of its rows in r.indptr and returns the number of arcs after merging.
func (s *bucketSorter) sort(a *arrangement, r *sortedRows, b int) (int, error) {
	first, end := int(a.starts[b]), int(a.starts[b+1])
	n := end - first
	if n >= 1<<32 {
		return 0, refuse.Value("edges: vertices %d to %d have %d edges together: expected fewer than 2^32",
			int(a.filter.first)+b<<a.shift, int(a.filter.first)+(b+1)<<a.shift-1, n)
	}
	// 1. Count the arcs of each row.
	lo := b << a.shift
	src, dst := a.src[first:end], r.indices[first:end]
	counts := r.indptr[lo+1 : min(lo+1<<a.shift, a.filter.rows)+1]
	at := uint32(0)
	for _, u := range src {
		counts[int(u)-lo]++
	}
	for i, c := range counts {
		s.cursors[i] = at
		at += uint32(c)
	}
	// 2. Sort, and merge equal arcs.
	keys, err := s.order(src, dst, lo, counts, bitsFor(a.targets))
	if err != nil {
		return 0, err
	}
	if n >= len(s.keys) {
		defer offheap.Free(keys)
	}
	if a.merge {
		keys = mergeRows(keys, counts)
	}
	// 3. Write the targets and the input indices back.
	for i, k := range keys {
		dst[i] = uint32(k >> 32)
	}
	return len(keys), s.moveOrder(r.order, src, keys, first, end)
}

// order returns the keys of the bucket in their final order: in the scratch memory, or in a new array if they do not fit.
func (s *bucketSorter) order(src, dst []uint32, lo int, counts []uint64, targetBits uint) (out []uint64, err error) {
	n := len(src)
	if n < len(s.keys) {
		keys, spare := s.keys[:n], s.spare[:n]
		for i, v := range dst {
			keys[i] = uint64(v)<<32 | uint64(i)
		}
		if keys, spare = radixSort(keys, spare, targetBits); n > 0 {
			s.byRow(src, keys, spare, lo)
		}
		return spare, nil
	}
	// The bucket has a large part of all edges: use a comparison sort, which is slower but needs less memory.
	if out, err = offheap.Make[uint64](n); err != nil {
		return nil, err
	}
	for i, u := range src {
		c := &s.cursors[int(u)-lo]
		out[*c] = uint64(dst[i])<<32 | uint64(i)
		*c++
	}
	at := uint64(0)
	for _, c := range counts {
		slices.Sort(out[at : at+c])
		at += c
	}
	return out, nil
}

// byRow distributes keys to out by row; row i starts at its cursor.
func (s *bucketSorter) byRow(src []uint32, keys, out []uint64, lo int) {
	cursors := s.cursors
	for _, k := range keys {
		c := &cursors[int(src[uint32(k)])-lo]
		out[*c] = k
		*c++
	}
}

// moveOrder reorders the input indices of the arcs of a bucket like the keys.
func (s *bucketSorter) moveOrder(p graph.EdgeOrder, src []uint32, keys []uint64, first, end int) error {
	switch {
	case p.Narrow != nil:
		copy(src, p.Narrow[first:end]) // the rows in src are no longer needed
		for i, k := range keys {
			p.Narrow[first+i] = src[uint32(k)]
		}
	case p.Wide != nil:
		unsorted, err := offheap.Make[uint64](end - first)
		if err != nil {
			return err
		}
		defer offheap.Free(unsorted)
		copy(unsorted, p.Wide[first:end])
		for i, k := range keys {
			p.Wide[first+i] = unsorted[uint32(k)]
		}
	}
	return nil
}

// mergeRows keeps the first of equal targets in each row and updates the counts.
func mergeRows(keys []uint64, counts []uint64) []uint64 {
	at, to := 0, 0
	for i, c := range counts {
		row := keepFirst(keys[at : at+int(c)])
		at += int(c)
		copy(keys[to:], row)
		to += len(row)
		counts[i] = uint64(len(row))
	}
	return keys[:to]
}

// digit is the largest number of bits per pass of radixSort: 2048 counters stay in the L1 cache.
const digit = 11

// radixSort sorts keys stably by the low targetBits bits of their upper half. It returns the array that holds them and the
// other one.
func radixSort(keys, spare []uint64, targetBits uint) (sorted, other []uint64) {
	passes := (targetBits + digit - 1) / digit
	for p := range passes {
		width := (targetBits + passes - 1) / passes
		shift, mask := 32+p*width, uint64(1)<<width-1
		var at [1 << digit]uint32
		for _, k := range keys {
			at[k>>shift&mask&(1<<digit-1)]++
		}
		sum := uint32(0)
		for i, c := range at {
			at[i] = sum
			sum += c
		}
		out := unsafe.SliceData(spare) // stores without bounds checks: each cursor is below the number of keys
		for _, k := range keys {
			d := k >> shift & mask & (1<<digit - 1)
			*(*uint64)(unsafe.Add(unsafe.Pointer(out), 8*uintptr(at[d]))) = k
			at[d]++
		}
		keys, spare = spare, keys
	}
	return keys, spare
}
