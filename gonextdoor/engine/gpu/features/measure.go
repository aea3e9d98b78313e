package features

import (
	"errors"
	"time"
	"unsafe"

	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// measure returns the faster way to read missed rows of this size, and pins the rows if it is ByKernel. Rows that are not one
// block of memory, and rows of a size at which the kernel cannot be faster, are not measured. The CPU gathers rows from all of the
// array; the kernel reads pinned memory of the same size.
func (s *Store) measure() (way Way, err error) {
	if s.rowBytes < plan.FeatureKernelBytes || s.block() == nil {
		return ByCopy, nil
	}
	l := s.link
	l.order.Lock()
	defer l.order.Unlock()
	before, done := l.turn()
	defer done()
	<-before
	n := max(1, min(plan.FeatureSample/s.rowBytes, s.rows))
	bytes := int64(n) * int64(s.rowBytes)
	sample, err := l.device.Pin(bytes)
	if err != nil {
		return ByCopy, nil // the rows, which are larger, could not be pinned either
	}
	defer func() { err = errors.Join(err, l.device.Unpin(sample)) }()
	copied, kernel, err := s.times(n, sample.Pointer)
	if err != nil || kernel >= copied {
		return ByCopy, err
	}
	if s.pin() != nil { // the system does not permit it
		return ByCopy, nil
	}
	return ByKernel, nil
}

// times returns the least times to read n rows by copies, and by the kernel from pinned memory.
func (s *Store) times(n int, pinned unsafe.Pointer) (copied, kernel time.Duration, err error) {
	l, bytes := s.link, int64(n)*int64(s.rowBytes)
	var gpu arena
	head, list, out := gpu.take(paramsBytes+reportBytes), gpu.take(4*int64(n)), gpu.take(bytes)
	m, err := l.device.Alloc(gpu.size, l.search)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, l.device.Free(m, l.search), l.search.Synchronize()) }()
	ids, spread := make([]uint32, n), make([]uint32, n) // of the pinned memory, and of all rows
	for i := range ids {
		ids[i] = uint32(uint64(i) * plan.FeatureStride % uint64(n))
		spread[i] = uint32(uint64(ids[i]) * uint64(s.rows) / uint64(n))
	}
	args := s.find(m.Address+list, n, m.Address+head)
	args.Rows, args.Places, args.Slots, args.Host, args.Out = uint64(n), 0, 0, address(pinned), uint64(m.Address+out)
	if err := errors.Join(l.upload(m.Address+list, ids), l.uploadFind(m.Address+head, &args)); err != nil {
		return 0, 0, err
	}
	copied, kernel = 1<<62, 1<<62
	for range 3 {
		begin := time.Now()
		if err := errors.Join(l.gather(s.from, spread, m.Address+out, s.options.Threads, nil), l.copies.Synchronize()); err != nil {
			return 0, 0, err
		}
		copied = min(copied, time.Since(begin))
		begin = time.Now()
		if err := errors.Join(l.launchFind(m.Address+head, &args), l.search.Synchronize()); err != nil {
			return 0, 0, err
		}
		kernel = min(kernel, time.Since(begin))
	}
	return copied, kernel, nil
}

// find returns the parameters that find the rows of n ids of 4 bytes each. The parameters, and a report after them, are at head.
func (s *Store) find(ids uintptr, n int, head uintptr) kernels.FeatureRead {
	return kernels.FeatureRead{
		IDs: uint64(ids), IDBytes: 4, Count: uint64(n), Rows: uint64(s.rows), RowBytes: uint64(s.rowBytes), Vector: uint64(s.vector),
		Tile: s.tile(n), Places: uint64(s.places.At()), Slots: uint64(s.slots.At()), Report: uint64(head + uintptr(paramsBytes)),
	}
}

// uploadFind copies the parameters of find to GPU memory.
func (l *link) uploadFind(head uintptr, args *kernels.FeatureRead) error {
	return errors.Join(
		l.upload(head, unsafe.Slice((*uint32)(unsafe.Pointer(args)), paramsBytes/4)),
		l.device.Fill32(uintptr(args.Report), 0, reportBytes/4, l.search),
	)
}

// launchFind starts the kernel for parameters of uploadFind.
func (l *link) launchFind(head uintptr, args *kernels.FeatureRead) error {
	b := kernels.FeatureBatch{Reads: uint64(head), ReadCount: 1, Tiles: (args.Count + args.Tile - 1) / args.Tile}
	return launch(l, "features_read", l.warps(b.Tiles), &b, l.search)
}
