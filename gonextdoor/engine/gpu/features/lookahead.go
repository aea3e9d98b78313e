package features

import (
	"errors"
	"sync/atomic"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// lookahead is the cache of a store that evicts the rows whose next announced use is last. kernels/driver/lookahead.cuh
// defines it. All work on its tables is submitted to the stream of searches, in the order of the calls; rows enter slots in
// the stream of rows, in the same order. The lock of the link's order guards the numbers.
type lookahead struct {
	store     *Store
	memory    *resident.Reserved
	uses      uintptr
	owners    uintptr
	announced uint64 // the number of the next batch that will be announced
	planned   uint64 // the number of the next batch that will be read

	// If the rows of a batch cannot be copied, slots have wrong rows. Then the life of the cache ends: the reads that were planned
	// in it fail, and the next one begins another life with an empty cache.
	life  uint64        // guarded by order
	lost  bool          // a plan was not submitted completely, so the tables are wrong; guarded by order
	ended atomic.Uint64 // the number of lives that have ended
	cause error         // of the end of the latest; written before ended
}

// window is the largest number of batches that may be announced and not read.
const window = 59

// The uses of a row are a word: a bit per announced batch, and the class of the row from classBit on. distances is the number of
// distances that kernels/driver/lookahead.cuh counts.
const (
	classBit  = 60
	distances = classBit + Classes + 1
)

// swaps are the rows that a batch brings into the cache.
type swaps struct {
	distances, counts, sums, entering, leaving, count, found uintptr
}

// newLookahead returns the state of a store whose first slots are filled.
func newLookahead(s *Store) (*lookahead, error) {
	a := &lookahead{store: s}
	m, err := s.reserve(a.assignTables(0), "the announced uses of all rows")
	if err != nil {
		return nil, err
	}
	a.memory = m
	a.assignTables(m.Address)
	l := s.link
	err = errors.Join(
		l.device.Fill32(a.uses, 0, 2*int64(s.rows), l.search),
		l.device.Fill32(a.owners, none, int64(s.options.Slots), l.search),
	)
	if s.options.Classes != nil && err == nil {
		err = a.uploadClasses()
	}
	if n := len(s.options.Placed); n > 0 && err == nil {
		err = l.upload(a.owners, s.options.Placed)
	}
	if err != nil {
		return nil, errors.Join(err, l.search.Synchronize(), m.Release(l.search))
	}
	return a, nil
}

// uploadClasses writes the classes of all rows to their uses, and waits for it.
func (a *lookahead) uploadClasses() error {
	l, classes := a.store.link, a.store.options.Classes
	words := make([]uint32, 2*min(len(classes), plan.FeatureFill))
	for lo := 0; lo < len(classes); lo += len(words) / 2 {
		some := classes[lo:min(lo+len(words)/2, len(classes))]
		for i, class := range some {
			words[2*i+1] = uint32(class) << (classBit - 32)
		}
		if err := l.upload(a.uses+8*uintptr(lo), words[:2*len(some)]); err != nil {
			return err
		}
	}
	return nil
}

// assignTables sets the addresses of the tables in memory at an address, and returns their bytes.
func (a *lookahead) assignTables(at uintptr) int64 {
	m := arena{base: at}
	a.uses = m.take(8 * int64(a.store.rows))
	a.owners = m.take(4 * int64(a.store.options.Slots))
	return m.size
}

// upload copies numbers to GPU memory, and waits for it.
func (l *link) upload(to uintptr, numbers []uint32) error {
	p, err := l.device.Pin(4 * int64(len(numbers)))
	if err != nil {
		return err
	}
	copy(pinnedWords(p), numbers)
	err = l.device.CopyIn(to, p.Pointer, 4*int64(len(numbers)), l.search)
	return errors.Join(err, l.search.Synchronize(), l.device.Unpin(p))
}

// part is how many elements of the lists a block handles: there are some thousand blocks at most.
func (a *lookahead) part(count int) uint64 {
	return max(plan.LookaheadPart, uint64(max(a.store.options.Slots, count))/plan.LookaheadParts)
}

// blocks returns the number of blocks of the lists.
func (a *lookahead) blocks(count int) int {
	part := a.part(count)
	return int((uint64(a.store.options.Slots)+part-1)/part + (uint64(count)+part-1)/part)
}

// assign assigns memory of a batch for a read.
func (a *lookahead) assign(r *read, gpu *arena) {
	n, slots := int64(r.ids.Count), int64(a.store.options.Slots)
	r.swaps = swaps{
		distances: gpu.take(slots + n), counts: gpu.take(4 * 2 * distances), sums: gpu.take(8 * int64(a.blocks(int(n)))),
		entering: gpu.take(4 * min(slots, n)), leaving: gpu.take(4 * min(slots, n)), count: gpu.take(4), found: gpu.take(4 * n),
	}
	r.args.Found = uint64(r.swaps.found)
}

// plan submits the kernels that assign slots to missed rows. The rows are copied by enter.
func (a *lookahead) plan(r *read) error {
	l, s, n := a.store.link, a.store, r.ids.Count
	r.life, a.lost = a.life, true
	batch := a.planned
	a.planned++
	a.announced = max(a.announced, a.planned)
	if n == 0 {
		a.lost = false
		return l.device.Fill32(r.swaps.count, 0, 1, l.search)
	}
	p := kernels.Lookahead{
		Uses: uint64(a.uses), Places: uint64(s.places.Address), Owners: uint64(a.owners), Distances: uint64(r.swaps.distances),
		IDs: r.args.IDs, IDBytes: r.args.IDBytes, Count: uint64(n), Rows: uint64(s.rows), Found: uint64(r.swaps.found),
		Slots: uint64(s.options.Slots), Batch: batch, Part: a.part(n), Counts: uint64(r.swaps.counts), Sums: uint64(r.swaps.sums),
		Entering: uint64(r.swaps.entering), Leaving: uint64(r.swaps.leaving), Swaps: uint64(r.swaps.count),
	}
	if err := l.device.Fill32(r.swaps.counts, 0, 2*distances, l.search); err != nil {
		return err
	}
	parts := a.blocks(n)
	for _, k := range []struct {
		name   string
		blocks int
	}{
		{"lookahead_claim", l.each(n)}, {"lookahead_distances", parts}, {"lookahead_count", parts}, {"lookahead_list", parts},
		{"lookahead_swap", l.each(min(n, s.options.Slots))},
	} {
		if err := l.launch(k.name, k.blocks, &p, l.search); err != nil {
			return err
		}
	}
	a.lost = false
	return nil
}

// prepare begins another life if the last one has ended, before rows are searched. The lock of order is held.
func (a *lookahead) prepare() error {
	if !a.lost && a.life >= a.ended.Load() {
		return nil
	}
	s, l := a.store, a.store.link
	err := errors.Join(
		l.device.Fill32(s.places.Address, none, int64(s.rows), l.search), l.device.Fill32(a.owners, none, int64(s.options.Slots), l.search),
	)
	a.lost = err != nil
	a.life++
	return err
}

// complete submits the copies of a read: of hits, of missed rows by missed, and of those that enter the cache. A job does not
// stop it, because later reads may have planned with the rows.
func (a *lookahead) complete(r *read, missed func() error) error {
	if r.life < a.ended.Load() {
		return refuse.Device("features: the rows of an earlier read could not be copied to the cache: read again: %w", a.cause)
	}
	err := a.copyHits(r)
	if err == nil {
		err = missed()
	}
	if err == nil {
		err = r.awaitKernel()
	}
	if err == nil {
		err = a.enter(r)
	}
	if err != nil {
		a.end(r, err)
	}
	return err
}

// end ends the life in which a read was planned, because its rows could not be copied to their slots.
func (a *lookahead) end(r *read, cause error) {
	a.cause = cause
	a.ended.Store(max(a.ended.Load(), r.life+1))
}

// copyHits copies the hits of a read, after the rows of the batches before have entered their slots.
func (a *lookahead) copyHits(r *read) error {
	if r.ids.Count == 0 {
		return nil
	}
	l := a.store.link
	b := kernels.FeatureBatch{Reads: uint64(r.hits), ReadCount: 1, Tiles: r.tiles()}
	return l.launch("features_read", l.warps(b.Tiles), &b, l.rows)
}

// enter copies the rows that enter the cache from the result to their slots.
func (a *lookahead) enter(r *read) error {
	s, n := a.store, uint64(min(r.ids.Count, a.store.options.Slots))
	if n == 0 {
		return nil
	}
	return s.link.write(kernels.FeatureWrite{
		Vector: r.args.Vector, Rows: uint64(r.Address()), From: uint64(r.swaps.entering), To: uint64(r.swaps.leaving), Out: uint64(s.slots.At()),
		Count: n, Limit: uint64(r.swaps.count),
	}, s, s.link.rows)
}

// Announce tells a store that looks ahead the ids of the next batch that has not been announced: batches are read in the order
// in which they are announced. At most 59 batches may be announced and not read. It affects hits, never a value. It does nothing
// if all rows are in GPU memory, or none can be.
//
// Errors: ValueError if the store does not look ahead, or too many batches are announced; IndexError for an id that is out of
// range: the other ids are announced.
func (s *Store) Announce(ids IDs) error {
	l := s.link
	return l.device.Do(func() error {
		l.order.Lock()
		defer l.order.Unlock()
		a := s.ahead
		switch {
		case a == nil && s.announced && !s.closed:
			return nil
		case a == nil:
			return refuse.Value("features: the cache does not look ahead: open it with policy=\"lookahead\"")
		case a.announced-a.planned >= window:
			return refuse.Value("features: %d batches are announced and not read, expected %d at most: read the first of them", a.announced-a.planned, window)
		}
		err := a.announce(ids)
		a.announced++
		return err
	})
}

// Forget drops the batches that were announced and not read. It does nothing if the cache does not look ahead.
func (s *Store) Forget() error {
	l := s.link
	return l.device.Do(func() error {
		l.order.Lock()
		defer l.order.Unlock()
		a := s.ahead
		if a == nil || a.announced == a.planned {
			return nil
		}
		a.announced = a.planned
		p := kernels.Lookahead{Uses: uint64(a.uses), Rows: uint64(s.rows)}
		return l.launch("lookahead_forget", l.each(s.rows), &p, l.search)
	})
}

// announce marks the uses of the next batch, and waits until they have been checked. The lock of order is held.
func (a *lookahead) announce(ids IDs) (err error) {
	if ids.Count == 0 {
		return nil
	}
	s, l := a.store, a.store.link
	r := &read{store: s, ids: ids}
	b := &batch{link: l, reads: []*read{r}}
	var gpu arena
	report, copied := gpu.take(8), gpu.take(int64(ids.Count)*int64(ids.Bytes))
	if b.scratch, err = resident.Alloc(l.device, gpu.size, l.search); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.search.Synchronize(), b.free()) }()
	report, r.args.IDs = b.scratch.Address+report, uint64(b.scratch.Address+copied)
	if err := errors.Join(l.device.Fill32(report, none, 2, l.search), b.bring(r)); err != nil {
		return err
	}
	p := kernels.Lookahead{
		Uses: uint64(a.uses), IDs: r.args.IDs, IDBytes: uint64(ids.Bytes), Count: uint64(ids.Count), Rows: uint64(s.rows),
		Batch: a.announced, Report: uint64(report),
	}
	if err := l.launch("lookahead_announce", l.each(ids.Count), &p, l.search); err != nil {
		return err
	}
	at, err := l.word(report, 8)
	if err != nil || at == ^uint64(0) {
		return err
	}
	return l.refused(r, at)
}

// pinnedWords returns pinned memory as 32-bit words.
func pinnedWords(p cuda.Pinned) []uint32 { return unsafe.Slice((*uint32)(p.Pointer), p.Bytes/4) }
