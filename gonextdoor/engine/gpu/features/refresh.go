package features

import (
	"errors"
	"unsafe"

	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/kernels"
)

// Refresh calls change, which changes rows in host memory, and copies these rows to the slots of stores of one GPU with the same
// rows. ids are all changed rows; they may repeat. Reads that were begun before return the rows as they were, later ones as they
// are now.
func Refresh(stores []*Store, ids []uint32, change func() error, j *job.Job) error {
	l := stores[0].link
	return l.device.Do(func() error {
		l.order.Lock()
		defer l.order.Unlock() // no read may begin meanwhile
		before, done := l.turn()
		defer done()
		<-before
		// 1. Reads by the kernel, and copies of hits, must be complete.
		if err := errors.Join(l.search.Synchronize(), l.host.Synchronize(), l.rows.Synchronize()); err != nil {
			return err
		}
		if err := change(); err != nil {
			return err
		}
		// 2. Copy the rows that have slots.
		for _, s := range stores {
			if s.closed || s.slots == nil || len(ids) == 0 {
				continue
			}
			if err := s.refresh(ids, j); err != nil {
				return err
			}
		}
		return nil
	})
}

// refresh copies all rows of ids to the GPU, and those with slots to these.
func (s *Store) refresh(ids []uint32, j *job.Job) (err error) {
	l, n := s.link, int64(len(ids))
	var gpu arena
	head, list, found, rows := gpu.take(paramsBytes+reportBytes), gpu.take(4*n), gpu.take(4*n), gpu.take(n*int64(s.rowBytes))
	m, err := resident.Alloc(l.device, gpu.size, l.search)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, l.search.Synchronize(), l.copies.Synchronize(), l.device.Free(m, l.search))
	}()
	at := func(part uintptr) uintptr { return m.Address + part }
	if err := l.upload(at(list), ids); err != nil {
		return err
	}
	// 1. Find the slots.
	args := s.find(at(list), len(ids), at(head))
	args.Found = uint64(at(found))
	if err := errors.Join(l.uploadFind(at(head), &args), l.launchFind(at(head), &args)); err != nil {
		return err
	}
	// 2. Copy the rows.
	if err := l.gather(s.from, ids, at(rows), s.options.Threads, j); err != nil {
		return err
	}
	if err := l.then(l.copies, l.search); err != nil {
		return err
	}
	return l.write(kernels.FeatureWrite{
		Rows: uint64(at(rows)), To: args.Found, Out: uint64(s.slots.At()), Count: args.Count,
	}, s, l.search)
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
	return l.launch("features_read", l.warps(b.Tiles), &b, l.search)
}
