package features

import (
	"errors"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

// ring is pinned memory in pieces, which CPU threads fill and the copy engine empties. A piece is reused when its copy is
// complete. One gather uses the ring at a time.
type ring struct {
	memory cuda.Pinned
	each   int          // bytes of a piece
	copied []cuda.Event // by piece: the last copy from it
	next   chan int     // the pieces, the one whose copy began first in front
}

// reserve makes the pieces large enough for a row. It is called within Device.Do, by the user of the ring.
func (r *ring) reserve(l *link, rowBytes int) error {
	if r.each >= rowBytes && r.each >= plan.FeaturePiece {
		return nil
	}
	if err := r.free(l); err != nil {
		return err
	}
	each := max(plan.FeaturePiece, (rowBytes+15)/16*16)
	m, err := l.device.Pin(int64(each) * plan.FeaturePieces)
	if err != nil {
		return err
	}
	next := make(chan int, plan.FeaturePieces)
	for i := range plan.FeaturePieces {
		e, err := l.device.NewEvent()
		if err != nil {
			for _, made := range r.copied {
				err = errors.Join(err, made.Destroy())
			}
			r.copied = nil
			return errors.Join(err, l.device.Unpin(m))
		}
		r.copied = append(r.copied, e)
		next <- i
	}
	r.memory, r.each, r.next = m, each, next
	return nil
}

// free frees the pinned memory after all copies.
func (r *ring) free(l *link) error {
	err := l.copies.Synchronize()
	for _, e := range r.copied {
		err = errors.Join(err, e.Destroy())
	}
	err = errors.Join(err, l.device.Unpin(r.memory))
	*r = ring{}
	return err
}

// gather copies the rows of ids, in order, to GPU memory: CPU threads gather pieces, and each submits the copy of its piece
// to the stream of copies. When it returns, the ids have been read and all copies are submitted. A turn is held. It is called
// within Device.Do.
func (l *link) gather(from Rows, ids []uint32, to uintptr, threads int, j *job.Job) error {
	_, rowBytes := from.Shape()
	if len(ids) == 0 {
		return nil
	}
	if err := l.ring.reserve(l, rowBytes); err != nil {
		return err
	}
	// Few rows are cut into smaller pieces, so that all threads gather.
	threads = parallel.Threads(threads)
	each := max(1, min(l.ring.each/rowBytes, max(plan.FeatureRows, (len(ids)+2*threads-1)/(2*threads))))
	err := parallel.For(j, threads, len(ids), each, func(lo, hi int) error {
		return l.device.Do(func() error { return l.piece(from, ids[lo:hi], to+uintptr(lo*rowBytes), rowBytes) })
	})
	if err != nil {
		return errors.Join(err, l.copies.Synchronize()) // nothing may be copied to memory that the caller frees
	}
	return nil
}

// piece gathers one piece and submits its copy.
func (l *link) piece(from Rows, ids []uint32, to uintptr, rowBytes int) (err error) {
	r := &l.ring
	i := <-r.next
	defer func() { r.next <- i }()
	if err := r.copied[i].Synchronize(); err != nil {
		return err
	}
	at := unsafe.Add(r.memory.Pointer, i*r.each)
	bytes := len(ids) * rowBytes
	if err := from.Gather(ids, unsafe.Slice((*byte)(at), bytes)); err != nil {
		return err
	}
	return errors.Join(l.device.CopyIn(to, at, int64(bytes), l.copies), r.copied[i].Record(l.copies))
}
