package features

import (
	"errors"
	"sync"
	"sync/atomic"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

// ring is pinned memory in pieces, which CPU threads fill and the copy engine empties, in turn. One gather uses it at a time.
type ring struct {
	memory cuda.Pinned
	each   int          // bytes of a piece
	copied []cuda.Event // by piece: the last copy from it
	next   int          // the piece that is filled next
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
	for range plan.FeaturePieces {
		e, err := l.device.NewEvent()
		if err != nil {
			for _, made := range r.copied {
				err = errors.Join(err, made.Destroy())
			}
			r.copied = nil
			return errors.Join(err, l.device.Unpin(m))
		}
		r.copied = append(r.copied, e)
	}
	r.memory, r.each, r.next = m, each, 0
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

// gathering copies the rows of a list of ids to GPU memory. CPU threads gather chunks of rows into the pieces of the ring, in
// order. The thread that fills the last chunk of a piece submits its copy. So few calls of the driver are made, while all threads
// fill the first pieces together and the copy engine begins early.
type gathering struct {
	link     *link
	from     Rows
	ids      []uint32
	to       uintptr
	rowBytes int
	chunk    int // rows of a chunk
	rows     int // rows of a piece, a multiple of chunk

	left   []atomic.Int32 // by piece: the chunks that are not filled yet
	lock   sync.Mutex     // locked while a thread waits for the copies from pieces
	opened atomic.Int64   // the number of pieces that may be filled
}

// gather copies the rows of ids, in order, to GPU memory. When it returns, the ids have been read and all copies are submitted
// to the stream of copies. A turn is held. It is called within Device.Do.
func (l *link) gather(from Rows, ids []uint32, to uintptr, threads int, j *job.Job) error {
	_, rowBytes := from.Shape()
	if len(ids) == 0 {
		return nil
	}
	if err := l.ring.reserve(l, rowBytes); err != nil {
		return err
	}
	g := &gathering{link: l, from: from, rowBytes: rowBytes}
	g.chunk = max(1, min(plan.FeatureChunk, l.ring.each)/rowBytes)
	// Few rows are cut into several pieces too, so that the gather and the copies overlap.
	rows := min(l.ring.each/rowBytes, (len(ids)+plan.FeatureOverlap-1)/plan.FeatureOverlap)
	g.rows = max(1, rows/g.chunk) * g.chunk
	// A round fills each piece of the ring once, so that all copies of the round before have been submitted.
	for round := g.rows * plan.FeaturePieces; len(ids) > 0; {
		g.ids, g.to = ids[:min(round, len(ids))], to
		if err := g.round(threads, j); err != nil {
			return errors.Join(err, l.copies.Synchronize()) // nothing may be copied to memory that the caller frees
		}
		to += uintptr(len(g.ids) * rowBytes)
		ids = ids[len(g.ids):]
	}
	return nil
}

// round gathers at most as many rows as the ring has.
func (g *gathering) round(threads int, j *job.Job) error {
	g.left = make([]atomic.Int32, (len(g.ids)+g.rows-1)/g.rows)
	for p := range g.left {
		g.left[p].Store(int32((min(g.rows, len(g.ids)-p*g.rows) + g.chunk - 1) / g.chunk))
	}
	g.opened.Store(0)
	err := parallel.For(j, threads, len(g.ids), g.chunk, g.fill)
	g.link.ring.next = (g.link.ring.next + len(g.left)) % plan.FeaturePieces
	return err
}

// fill gathers the chunk of rows [lo, hi), and submits the copy of its piece if it is complete.
func (g *gathering) fill(lo, hi int) error {
	p := lo / g.rows
	if err := g.open(p); err != nil {
		return err
	}
	at := unsafe.Add(g.memory(p), (lo-p*g.rows)*g.rowBytes)
	if err := g.from.Gather(g.ids[lo:hi], unsafe.Slice((*byte)(at), (hi-lo)*g.rowBytes)); err != nil {
		return err
	}
	if g.left[p].Add(-1) > 0 {
		return nil
	}
	l, first := g.link, p*g.rows*g.rowBytes
	bytes := int64(min(g.rows, len(g.ids)-p*g.rows) * g.rowBytes)
	return l.device.Do(func() error {
		return errors.Join(l.device.CopyIn(g.to+uintptr(first), g.memory(p), bytes, l.copies), g.copied(p).Record(l.copies))
	})
}

// open waits until a piece may be filled: the copy from it that was submitted before is complete.
func (g *gathering) open(p int) error {
	if g.opened.Load() > int64(p) {
		return nil
	}
	g.lock.Lock()
	defer g.lock.Unlock()
	return g.link.device.Do(func() error {
		for g.opened.Load() <= int64(p) {
			if err := g.copied(int(g.opened.Load())).Synchronize(); err != nil {
				return err
			}
			g.opened.Add(1)
		}
		return nil
	})
}

// number returns the number in the ring of a piece of the list.
func (g *gathering) number(p int) int { return (g.link.ring.next + p) % plan.FeaturePieces }

// memory returns the pinned memory of a piece.
func (g *gathering) memory(p int) unsafe.Pointer {
	return unsafe.Add(g.link.ring.memory.Pointer, g.number(p)*g.link.ring.each)
}

// copied returns the event of a piece.
func (g *gathering) copied(p int) cuda.Event { return g.link.ring.copied[g.number(p)] }
