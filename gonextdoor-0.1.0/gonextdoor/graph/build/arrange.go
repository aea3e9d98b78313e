package build

import (
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// arrangement sorts a stream of edges into rows. It is
//
//	collect the filter's arcs; sort.SliceStable(arcs, by source, then target); drop repeated arcs if merge
//
// as a counting sort into buckets of neighbouring rows, each of which is then sorted within the cache. The arcs of a bucket
// are written in input order, so the rows do not depend on the number of threads. It takes O(arcs) time, and up to 16 bytes
// per arc off the Go heap in addition to the result.
type arrangement struct {
	edges   stream
	filter  filter
	merge   bool // keep only the first of equal arcs
	order   bool // record the input index of each edge
	targets int  // all targets are below it
	threads int
	job     *job.Job // counts arrangeWork units per input edge

	shift   uint     // a row's bucket is (row - first) >> shift
	buckets int      // at most maxBuckets
	chunk   int      // edges per piece of the counting passes
	next    []uint64 // [piece][bucket]: index of the next arc of the piece in the bucket
	starts  []uint64 // start of each bucket, and the end of the last
	kept    []int    // arcs of each bucket after merging
	src     []uint32 // rows of the arcs, until they are sorted
}

// arrangeWork is the number of units that an edge adds to the job: it is counted, distributed and sorted.
const arrangeWork = 3

// sortedRows holds sorted rows: row i is that of vertex filter.first+i. The arrays are off the Go heap.
type sortedRows struct {
	indptr  []uint64
	indices []uint32 // with capacity for one more
	order   graph.EdgeOrder
}

// free frees the arrays.
func (r *sortedRows) free() {
	offheap.Free(r.indptr)
	offheap.Free(r.indices)
	r.order.Free()
}

const (
	bucketArcs = 1 << 15 // target number of arcs; sorting a bucket of this size needs about 1 MB of cache
	bucketRows = 1 << 18 // largest number of rows if there are few arcs; it limits the size of a bucket's counters
	maxBuckets = 1 << 11 // keeps the write positions of all buckets in the L2 cache
)

// run sorts the edges and frees the stream. The caller frees the rows.
func (a *arrangement) run() (r sortedRows, err error) {
	// 1. Choose the buckets and count their arcs.
	a.plan()
	defer func() {
		offheap.Free(a.next)
		offheap.Free(a.src)
		if err != nil {
			r.free()
			r = sortedRows{}
		}
	}()
	if err = a.count(); err != nil {
		return r, err
	}
	total := int(a.starts[a.buckets])
	if err = a.allocate(&r, total); err != nil {
		return r, err
	}
	// 2. Write each arc to its bucket.
	if err = a.distribute(&r); err != nil {
		return r, err
	}
	// 3. Sort each bucket, then close the gaps between buckets.
	count := a.edges.len()
	a.edges.free()
	if err = a.sortBuckets(&r, count); err != nil {
		return r, err
	}
	offheap.Free(a.src)
	a.src = nil
	return r, a.close(&r, total)
}

// plan chooses the number of buckets and of pieces.
func (a *arrangement) plan() {
	arcs := a.edges.len()
	if a.filter.mirror {
		arcs *= 2
	}
	wanted := min(max(arcs/bucketArcs, a.filter.rows/bucketRows, 1), maxBuckets)
	for a.filter.rows > wanted<<a.shift {
		a.shift++
	}
	a.buckets = max(1, (a.filter.rows+1<<a.shift-1)>>a.shift)
	pieces := min(max(arcs/(4*bucketArcs), 1), 16*parallel.Threads(a.threads))
	a.chunk = max(1, (a.edges.len()+pieces-1)/pieces)
}

// pieces returns the number of pieces of the counting passes.
func (a *arrangement) pieces() int { return (a.edges.len() + a.chunk - 1) / a.chunk }

// each calls f for blocks of arcs of all pieces, in parallel. next has the write positions of the piece.
func (a *arrangement) each(f func(next []uint64, lo, n int, arcs *arcs)) error {
	return parallel.For(a.job, a.threads, a.edges.len(), a.chunk, func(lo, hi int) error {
		next := a.next[lo/a.chunk*a.buckets:][:a.buckets]
		var arcs arcs
		for ; lo < hi; lo += arcBlock {
			end := min(lo+arcBlock, hi)
			f(next, lo, arcs.read(a.edges, &a.filter, lo, end), &arcs)
			a.job.Add(int64(end - lo))
			if err := a.job.Err(); err != nil {
				return err
			}
		}
		return nil
	})
}

// count computes starts, and for each piece and bucket the index of its first arc.
func (a *arrangement) count() (err error) {
	if a.next, err = offheap.Make[uint64](a.pieces() * a.buckets); err != nil {
		return err
	}
	first, shift := a.filter.first, a.shift
	err = a.each(func(next []uint64, _, n int, arcs *arcs) {
		for _, u := range arcs.src[:n] {
			next[(u-first)>>shift]++
		}
	})
	a.starts = make([]uint64, a.buckets+1)
	a.kept = make([]int, a.buckets)
	var at uint64
	for b := range a.buckets {
		a.starts[b] = at
		for p := range a.pieces() {
			n := &a.next[p*a.buckets+b]
			*n, at = at, at+*n
		}
	}
	a.starts[a.buckets] = at
	return err
}

// allocate allocates the result and src, after a check that there is enough memory for them and for sorting.
func (a *arrangement) allocate(r *sortedRows, total int) (err error) {
	perArc := int64(4 + 4)
	if a.order {
		perArc += 4
		if a.edges.len() > 1<<32 {
			perArc += 4
		}
	}
	if err = offheap.Check(int64(total)*perArc + int64(a.filter.rows)*8); err != nil {
		return err
	}
	if r.indptr, err = offheap.Make[uint64](a.filter.rows + 1); err != nil {
		return err
	}
	if r.indices, err = offheap.MakeSlack[uint32](total, 1); err != nil {
		return err
	}
	if a.order {
		if r.order, err = graph.MakeEdgeOrder(total, a.edges.len()); err != nil {
			return err
		}
	}
	a.src, err = offheap.Make[uint32](total)
	return err
}

// distribute writes each arc to its bucket.
func (a *arrangement) distribute(r *sortedRows) error {
	first, shift, src, dst := a.filter.first, a.shift, a.src, r.indices
	return a.each(func(next []uint64, lo, n int, arcs *arcs) {
		for i, u := range arcs.src[:n] {
			b := (u - first) >> shift
			at := next[b]
			next[b] = at + 1
			src[at], dst[at] = u-first, arcs.dst[i]
			if r.order.Narrow != nil {
				r.order.Narrow[at] = uint32(lo) + arcs.edge[i]
			} else if r.order.Wide != nil {
				r.order.Wide[at] = uint64(lo) + uint64(arcs.edge[i])
			}
		}
	})
}

// close removes the gaps that merging left between buckets, and converts the lengths of the rows to offsets.
func (a *arrangement) close(r *sortedRows, total int) error {
	starts := make([]int, a.buckets+1)
	for b, n := range a.kept {
		from, to := int(a.starts[b]), starts[b]
		starts[b+1] = to + n
		if from == to {
			continue
		}
		copy(r.indices[to:to+n], r.indices[from:from+n])
		if r.order.Narrow != nil {
			copy(r.order.Narrow[to:to+n], r.order.Narrow[from:from+n])
		} else if r.order.Wide != nil {
			copy(r.order.Wide[to:to+n], r.order.Wide[from:from+n])
		}
	}
	if m := starts[a.buckets]; m < total {
		r.indices = offheap.Trim(r.indices, m+1)[:m]
		if r.order.Narrow != nil {
			r.order.Narrow = offheap.Trim(r.order.Narrow, m)
		} else if r.order.Wide != nil {
			r.order.Wide = offheap.Trim(r.order.Wide, m)
		}
	}
	return parallel.For(a.job, a.threads, a.buckets, 1, func(b, _ int) error {
		at := uint64(starts[b])
		for u := b << a.shift; u < min((b+1)<<a.shift, a.filter.rows); u++ {
			at += r.indptr[u+1]
			r.indptr[u+1] = at
		}
		return nil
	})
}

// sortBuckets sorts every bucket. Each worker reuses its scratch memory.
func (a *arrangement) sortBuckets(r *sortedRows, edges int) error {
	workers := parallel.Workers(a.threads, a.buckets, 1)
	small := 0 // buckets of at most this many arcs are sorted in the scratch memory of a worker
	limit := max(2*bucketArcs, int(a.starts[a.buckets])/(16*workers))
	for b := range a.buckets {
		if n := int(a.starts[b+1] - a.starts[b]); n <= limit {
			small = max(small, n)
		}
	}
	sorters := make([]bucketSorter, workers)
	defer func() {
		for i := range sorters {
			sorters[i].free()
		}
	}()
	total := max(1, int(a.starts[a.buckets]))
	return parallel.ForWorker(a.job, a.threads, a.buckets, 1, func(worker, b, _ int) (err error) {
		s := &sorters[worker]
		if s.keys == nil {
			if err := s.make(small, 1<<a.shift); err != nil {
				return err
			}
		}
		a.kept[b], err = s.sort(a, r, b)
		first, end := float64(a.starts[b])/float64(total), float64(a.starts[b+1])/float64(total)
		a.job.Add(int64(end*float64(edges)) - int64(first*float64(edges)))
		return err
	})
}

// keepFirst removes all but the first of equal targets in a sorted row of keys.
func keepFirst(keys []uint64) []uint64 {
	return slices.CompactFunc(keys, func(x, y uint64) bool { return x>>32 == y>>32 })
}
