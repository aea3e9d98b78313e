package features

import (
	"errors"
	"slices"
	"time"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// Request is what a batch reads of one store.
type Request struct {
	Store *Store
	IDs   IDs
	To    Target // zero: memory that the result allocates and frees
}

// Read begins to read rows of one or several stores of one GPU, such as those of all types of vertices of a batch: one kernel
// finds all of them. It returns when that is submitted. The ids in GPU memory must be kept until Wait of the result returns,
// and memory of the caller for the rows until its event is reached. The caller frees every result. A stopped job ends the reads with an error of Wait.
//
// Errors: DeviceError if the GPU's memory is too small for the results. Ids that are out of range are an error of Wait.
func Read(requests []Request, j *job.Job) (results []*Result, err error) {
	if len(requests) == 0 {
		return nil, nil
	}
	l := requests[0].Store.link
	for i, q := range requests {
		again := slices.ContainsFunc(requests[:i], func(other Request) bool { return other.Store == q.Store })
		switch {
		case again && q.Store.announced: // the first batch may evict rows that the second has found
			return nil, refuse.Value("features: one read of two batches of a cache that looks ahead: read them one after the other")
		case q.Store.link != l:
			return nil, refuse.Value("features: one read of rows on cuda:%d and cuda:%d: read those of each GPU by a separate call", l.device.ID, q.Store.link.device.ID)
		case q.IDs.Count > maxSlots:
			return nil, refuse.Value("ids: %d ids, expected %d at most: read them in parts", q.IDs.Count, maxSlots)
		}
	}
	err = l.device.Do(func() error {
		l.order.Lock()
		defer l.order.Unlock()
		b := &batch{link: l, job: j}
		if err := b.begin(requests); err != nil {
			return errors.Join(err, b.abandon())
		}
		before, done := l.turn()
		go b.finish(before, done)
		results = b.results()
		return nil
	})
	return results, err
}

// batch is one call of Read.
type batch struct {
	link      *link
	job       *job.Job
	reads     []*read
	found     cuda.Event  // reached when the rows have been found, which is before missed rows are read
	scratch   cuda.Memory // see arena.go
	pinned    cuda.Pinned
	idsPinned []cuda.Pinned // ids that were in host memory
}

// read is the part of a batch of one store.
type read struct {
	*Result
	store *Store
	ids   IDs
	args  kernels.FeatureRead

	hits   uintptr    // of a lookahead: the parameters in GPU memory that copy the hits
	report *[2]uint64 // in pinned memory: missed rows, least index of an id that is out of range
	missed []uint32   // in pinned memory; nil: they are not listed
	share  int        // of the missed rows, of whole: the first ones, which a kernel reads from host memory
	kernel timed      // that kernel; without events if it reads no rows

	ordered uintptr // GPU memory to order these rows
	swaps   swaps   // of a lookahead
	life    uint64  // of a lookahead: the number of its life, see lookahead
}

// tiles returns the number of tiles of a read.
func (r *read) tiles() uint64 { return (r.args.Count + r.args.Tile - 1) / r.args.Tile }

// begin allocates the results and submits the search. The lock of order is held.
func (b *batch) begin(requests []Request) error {
	l := b.link
	for _, q := range requests {
		if q.Store.closed {
			return refuse.Value("features: the cache was closed: open the features again")
		}
		r := &read{Result: newResult(l), store: q.Store, ids: q.IDs, share: q.Store.balance.current()}
		b.reads = append(b.reads, r)
		var err error
		if r.ready, err = l.device.NewEvent(); err != nil {
			return err
		}
		r.Bytes = int64(q.IDs.Count) * int64(q.Store.rowBytes)
		if q.To.Address != 0 {
			r.given = q.To.Address
			err = l.then(l.device.ForeignStream(q.To.Stream), l.search)
		} else {
			r.memory, err = resident.Alloc(l.device, r.Bytes, l.search)
		}
		if err != nil {
			return err
		}
	}
	var err error
	if b.found, err = l.device.NewEvent(); err != nil {
		return err
	}
	if err := b.allocate(); err != nil {
		return err
	}
	for _, r := range b.reads {
		if r.store.ahead != nil {
			if err := r.store.ahead.prepare(); err != nil {
				return err
			}
		}
	}
	if err := b.search(); err != nil {
		return err
	}
	for _, r := range b.reads {
		if r.store.ahead != nil {
			if err := r.store.ahead.plan(r); err != nil {
				return err
			}
		}
	}
	if err := b.found.Record(l.search); err != nil {
		return err
	}
	return b.readHost()
}

// results returns the results, which finish completes.
func (b *batch) results() (all []*Result) {
	for _, r := range b.reads {
		all = append(all, r.Result)
	}
	return all
}

// abandon frees everything after an error of begin.
func (b *batch) abandon() error {
	err := errors.Join(b.link.search.Synchronize(), b.link.host.Synchronize(), b.free())
	for _, r := range b.reads {
		err = errors.Join(err, r.FreeInside(), r.kernel.destroy())
		if r.store.ahead != nil {
			r.store.ahead.lost = true // rows may have slots that will not be copied there
		}
	}
	return err
}

// finish waits for the search, and submits the copies of missed rows. It runs in a separate goroutine, in the order of the
// batches.
func (b *batch) finish(before <-chan struct{}, done func()) {
	l := b.link
	<-before
	err := parallel.Guard(func() error {
		return l.device.Do(func() error {
			if err := b.found.Synchronize(); err != nil {
				return err
			}
			for _, r := range b.reads {
				r.err = b.complete(r)
			}
			return nil
		})
	})
	ended := l.device.Do(func() error {
		// The results are complete after the work of this stream, so it waits for all that is submitted, also after an error.
		// It must not wait for later searches: these may wait for work of the caller that reads this result.
		err := l.rows.Wait(b.found)
		for _, r := range b.reads {
			err = errors.Join(err, r.awaitKernel(), r.ready.Record(l.rows))
			if r.given != 0 && errors.Join(err, r.err) != nil { // the caller may free its memory after the error
				err = errors.Join(err, r.ready.Synchronize())
			}
			if r.kernel != (timed{}) {
				r.store.balance.addKernel(r.kernel)
			}
		}
		return errors.Join(err, b.free())
	})
	for _, r := range b.reads {
		if err != nil && r.store.ahead != nil {
			r.store.ahead.end(r, err)
		}
		if r.err == nil {
			r.err = errors.Join(err, ended)
		}
		close(r.submitted)
	}
	done()
}

// complete submits the copies of a read after its search.
func (b *batch) complete(r *read) error {
	l, s := b.link, r.store
	var refused error
	if at := r.report[1]; at != ^uint64(0) {
		if refused = l.refused(r, at); s.ahead == nil {
			return refused
		}
	}
	if err := s.balance.collect(); err != nil {
		return err
	}
	missed := int(r.report[0])
	r.kernel.rows = kernelRows(missed, r.share)
	s.reads.Add(1)
	s.misses.Add(int64(missed))
	s.hits.Add(int64(r.ids.Count - missed))
	s.byKernel.Add(int64(r.kernel.rows))
	r.misses = missed
	if s.ahead != nil {
		return errors.Join(refused, s.ahead.complete(r, func() error { return b.copyMissed(r, missed, nil) }))
	}
	return b.copyMissed(r, missed, b.job)
}

// copyMissed copies missed rows from the host to the result, except the first ones, which the kernel reads.
func (b *batch) copyMissed(r *read, missed int, j *job.Job) (err error) {
	l, s, first := b.link, r.store, r.kernel.rows
	count := missed - first
	if count == 0 {
		return nil
	}
	if s.slots == nil { // the list is in the order of the result
		err := s.gather(r.missed[first:missed], r.Address()+uintptr(first*s.rowBytes), j)
		return errors.Join(err, l.then(l.copies, l.rows))
	}
	staging, err := resident.Alloc(l.device, int64(count)*int64(s.rowBytes), l.copies)
	if err != nil {
		return err
	}
	if err = s.gather(r.missed[first:missed], staging.Address, j); err == nil {
		err = l.then(l.copies, l.rows)
	}
	if err == nil {
		err = l.write(kernels.FeatureWrite{
			Rows: uint64(staging.Address), To: r.args.MissedAt + uint64(4*first), Out: r.args.Out, Count: uint64(count),
			Vector: r.args.Vector,
		}, s, l.rows)
	}
	return errors.Join(err, l.device.Free(staging, l.rows))
}

// gather copies missed rows by CPU threads, and counts their time.
func (s *Store) gather(ids []uint32, to uintptr, j *job.Job) error {
	begin := time.Now()
	err := s.link.gather(s.from, ids, to, s.options.Threads, j)
	if err == nil {
		s.balance.addThreads(len(ids), time.Since(begin))
	}
	return err
}

// write copies rows of a store's size within GPU memory, by accesses of a.Vector bytes; 0: as many as rows in GPU memory permit.
func (l *link) write(a kernels.FeatureWrite, s *Store, stream cuda.Stream) error {
	if a.Vector == 0 {
		a.Vector = uint64(s.vector)
	}
	a.RowBytes, a.Tile = uint64(s.rowBytes), s.tile(int(a.Count))
	return l.launch("features_write", l.warps((a.Count+a.Tile-1)/a.Tile), &a, stream)
}

// word reads an integer of 4 or 8 bytes from GPU memory, after the present work of the stream of searches.
func (l *link) word(at uintptr, bytes int) (w uint64, err error) {
	p, err := l.device.Pin(8)
	if err != nil {
		return 0, err
	}
	*(*uint64)(p.Pointer) = 0
	err = errors.Join(l.device.CopyOut(p.Pointer, at, int64(bytes), l.search), l.search.Synchronize())
	w = *(*uint64)(p.Pointer)
	return w, errors.Join(err, l.device.Unpin(p))
}

// refused returns the error of an id that is out of range.
func (l *link) refused(r *read, at uint64) error {
	id, err := l.word(uintptr(r.args.IDs)+uintptr(at)*uintptr(r.ids.Bytes), r.ids.Bytes)
	if err != nil {
		return err
	}
	return outOfRange(at, id, r.ids, r.store.rows)
}

// address returns the address of pinned memory, by which kernels know it too.
func address(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }
