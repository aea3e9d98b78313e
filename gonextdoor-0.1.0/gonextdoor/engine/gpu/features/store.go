package features

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// Store is rows of features that are read to one GPU.
type Store struct {
	link     *link
	from     Rows
	options  Options
	way      Way    // not Measured
	why      string // of a way that was measured
	balance  balance
	rows     int
	rowBytes int
	vector   int

	slots     *slots             // Slots rows; nil: no row is in GPU memory
	places    *resident.Reserved // per row its slot, or None; nil: all rows or none are in GPU memory
	ahead     *lookahead         // nil: the cache does not change
	announced bool               // batches may be announced
	closed    bool               // guarded by the order of the link
	pinned    unsafe.Pointer     // the rows, which are pinned if the kernel reads any; else nil

	reads, hits, misses, byKernel atomic.Int64
}

// Open returns a store, and copies the rows of the cache to the GPU. The caller closes it. from must be kept until then.
//
// Errors: ValueError for options that do not fit the rows; DeviceError if the cache exceeds the GPU's memory or what
// GONEXTDOOR_DEVICE_MEMORY leaves.
func Open(d *cuda.Device, from Rows, o Options, j *job.Job) (s *Store, err error) {
	rows, rowBytes := from.Shape()
	if err := check(o, rows, rowBytes); err != nil {
		return nil, err
	}
	s = &Store{from: from, options: o, rows: rows, rowBytes: rowBytes, vector: vectorOf(rowBytes), announced: o.Lookahead}
	err = d.Do(func() error {
		if s.link, err = linkOf(d); err != nil {
			return err
		}
		err := s.open(j)
		if err != nil {
			err = errors.Join(err, s.free())
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// open allocates the cache and fills it, and chooses the way for missed rows.
func (s *Store) open(j *job.Job) (err error) {
	l, o := s.link, &s.options
	s.way = o.Misses
	if o.Slots > 0 {
		if s.slots, err = s.newSlots(); err != nil {
			return err
		}
	}
	if o.Slots == s.rows && o.Placed == nil {
		o.Lookahead, s.way = false, ByCopy
		return s.fill(s.rows, func(i int) uint32 { return uint32(i) }, j)
	}
	if o.Slots > 0 {
		if s.places, err = s.reserve(4*int64(s.rows), "the places of all rows"); err != nil {
			return err
		}
		if err := s.place(); err != nil {
			return err
		}
		if err := s.fill(len(o.Placed), func(i int) uint32 { return o.Placed[i] }, j); err != nil {
			return err
		}
	}
	if o.Lookahead && o.Slots > 0 {
		if s.ahead, err = newLookahead(s); err != nil {
			return err
		}
	}
	switch s.way {
	case Measured:
		err = s.measure()
	case ByKernel, ByBoth:
		err = s.pin()
		s.divide(whole / 2)
	}
	return errors.Join(err, l.search.Synchronize())
}

// divide sets the share of the kernel in the first read.
func (s *Store) divide(share int) {
	switch {
	case s.way == ByKernel:
		s.balance.fix(whole)
	case s.way == ByBoth && s.options.Share > 0:
		s.balance.fix(s.options.Share)
	case s.way == ByBoth:
		s.balance.share = share
	}
}

// reserve allocates memory that counts as memory of graphs.
func (s *Store) reserve(bytes int64, what string) (*resident.Reserved, error) {
	return resident.Reserve(s.link.device, bytes, fmt.Sprintf("%s of features", what), s.link.search)
}

// place uploads the table of places.
func (s *Store) place() error {
	l := s.link
	p, err := l.device.Pin(4 * int64(s.rows))
	if err != nil {
		return err
	}
	table := unsafe.Slice((*uint32)(p.Pointer), s.rows)
	for i := range table {
		table[i] = none
	}
	for slot, row := range s.options.Placed {
		table[row] = uint32(slot)
	}
	err = l.device.CopyIn(s.places.Address, p.Pointer, 4*int64(s.rows), l.search)
	return errors.Join(err, l.search.Synchronize(), l.device.Unpin(p))
}

// none is the place of a row that is in no slot, and the owner of an empty slot.
const none = ^uint32(0)

// fill copies n rows to the first slots.
func (s *Store) fill(n int, row func(i int) uint32, j *job.Job) error {
	l := s.link
	l.order.Lock()
	before, done := l.turn()
	l.order.Unlock()
	defer done()
	<-before
	if s.slots.shared != nil {
		return s.fillOwned(n, row, j)
	}
	if err := l.then(l.search, l.copies); err != nil {
		return err
	}
	ids := make([]uint32, min(n, plan.FeatureFill))
	for lo := 0; lo < n; lo += len(ids) {
		part := ids[:min(len(ids), n-lo)]
		for i := range part {
			part[i] = row(lo + i)
		}
		if err := l.gather(s.from, part, s.slots.At()+uintptr(lo)*uintptr(s.rowBytes), s.options.Threads, j); err != nil {
			return err
		}
	}
	return l.copies.Synchronize()
}

// pin pins the rows, for the kernel that reads them.
func (s *Store) pin() (err error) {
	rows := s.block()
	if rows == nil {
		return refuse.Value("features: misses=%q: expected rows in one block of memory, without gaps: open one contiguous array", s.way)
	}
	s.pinned, err = pin(s.link.device, rows)
	return err
}

// unpin ends what pin began, after all work that reads the rows.
func (s *Store) unpin() error {
	if s.pinned == nil {
		return nil
	}
	s.pinned = nil
	return unpin(s.link.device, s.block())
}

// block returns the rows if kernels can read them: they are one block of memory, at a multiple of the bytes of an access.
func (s *Store) block() []byte {
	rows := s.from.Block()
	if len(rows) != s.rows*s.rowBytes || uintptr(unsafe.Pointer(unsafe.SliceData(rows)))%uintptr(s.vector) != 0 {
		return nil
	}
	return rows
}

// Counts returns what has been read so far, without reads whose rows have not been found yet.
func (s *Store) Counts() Counts {
	return Counts{Reads: s.reads.Load(), Hits: s.hits.Load(), Misses: s.misses.Load(), ByKernel: s.byKernel.Load()}
}

// Way returns how missed rows are read, and why, if that was measured.
func (s *Store) Way() (way Way, why string) { return s.way, s.why }

// Device returns the GPU.
func (s *Store) Device() *cuda.Device { return s.link.device }

// Shape returns the number of rows, and the bytes of each.
func (s *Store) Shape() (rows, rowBytes int) { return s.rows, s.rowBytes }

// Slots returns how many rows the cache holds.
func (s *Store) Slots() int { return s.options.Slots }

// Bytes returns the GPU memory of the store.
func (s *Store) Bytes() int64 {
	bytes := s.slots.Size() + s.places.Size()
	if s.ahead != nil {
		bytes += s.ahead.memory.Size()
	}
	return bytes
}

// Close waits for the reads in progress and frees the GPU memory. Results stay. A second call does nothing.
func (s *Store) Close() error {
	return s.link.device.Do(func() error {
		s.link.order.Lock()
		s.closed = true
		before, done := s.link.turn()
		s.link.order.Unlock()
		defer done()
		<-before
		return s.free()
	})
}

// free frees what open has allocated, after all work on it.
func (s *Store) free() error {
	l := s.link
	err := errors.Join(l.search.Synchronize(), l.copies.Synchronize(), l.host.Synchronize(), l.rows.Synchronize(), s.balance.collect())
	err = errors.Join(err, s.unpin(), s.slots.Release(l.rows), s.places.Release(l.rows))
	if s.ahead != nil {
		err = errors.Join(err, s.ahead.memory.Release(l.rows))
		s.ahead = nil
	}
	s.slots, s.places = nil, nil
	return err
}

// Memory returns how many bytes the slots and tables of a new store may take, without evicting graphs.
func Memory(d *cuda.Device) (bytes int64, err error) {
	err = d.Do(func() error {
		bytes, err = resident.Spare(d)
		return err
	})
	return bytes, err
}
