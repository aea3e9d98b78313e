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

// gathering copies the rows of a list of ids to GPU memory. Threads gather parts of rows into the pieces of the ring, in order. The
// thread that fills the last part of a piece submits its copy. So few calls of the driver are made, while all threads fill the
// first pieces together and the copy engine begins early.
type gathering struct {
	task
	link     *link
	from     Rows
	ids      []uint32
	to       uintptr
	rowBytes int
	rows     int // rows of a piece, a multiple of those of a part

	pieces  []piece
	waiting sync.Mutex    // locked while a thread waits for a piece
	opened  atomic.Int64  // the number of pieces that may be filled
	changes atomic.Uint32 // changes when a piece is opened or sent, and when the task stops
}

// piece is adjacent rows that one copy brings to the GPU.
type piece struct {
	left atomic.Int32 // parts that are not filled yet
	sent atomic.Bool  // the copy has been submitted
}

// gather copies the rows of ids, in order, to GPU memory. When it returns, the ids have been read and all copies are submitted
// to the stream of copies. A turn is held. It is called within Device.Do.
func (l *link) gather(from Rows, ids []uint32, to uintptr, threads int, j *job.Job) error {
	n := len(ids)
	_, rowBytes := from.Shape()
	if n == 0 {
		return nil
	}
	if err := l.ring.reserve(l, rowBytes); err != nil {
		return err
	}
	l.workers.start(l.device)
	threads = min(parallel.Threads(threads), l.workers.count+1)
	g := &gathering{link: l, from: from, ids: ids, to: to, rowBytes: rowBytes}
	// Few rows are cut into smaller parts, so that all threads gather.
	part := max(1, min(plan.FeaturePart/rowBytes, (n+plan.FeatureShare*threads-1)/(plan.FeatureShare*threads)))
	g.rows = max(1, l.ring.each/rowBytes/part) * part
	g.pieces = make([]piece, (n+g.rows-1)/g.rows)
	for p := range g.pieces {
		g.pieces[p].left.Store(int32((min(g.rows, n-p*g.rows) + part - 1) / part))
	}
	g.task.n, g.task.part, g.task.run, g.task.job = n, part, g.fill, j
	g.task.ended = g.change
	err := l.workers.do(&g.task, threads)
	l.ring.next = (l.ring.next + len(g.pieces)) % plan.FeaturePieces
	if err != nil {
		return errors.Join(err, l.copies.Synchronize()) // nothing may be copied to memory that the caller frees
	}
	return nil
}

// fill gathers the part of rows [lo, hi), and submits the copy of its piece if it is complete. A thread with the GPU's context
// calls it.
func (g *gathering) fill(lo, hi int) error {
	p := lo / g.rows
	if err := g.open(p); err != nil {
		return err
	}
	at := unsafe.Add(g.memory(p), (lo-p*g.rows)*g.rowBytes)
	if err := g.from.Gather(g.ids[lo:hi], unsafe.Slice((*byte)(at), (hi-lo)*g.rowBytes)); err != nil {
		return err
	}
	if g.pieces[p].left.Add(-1) > 0 {
		return nil
	}
	l, first := g.link, p*g.rows
	bytes := int64(min(g.rows, len(g.ids)-first) * g.rowBytes)
	err := l.device.CopyIn(g.to+uintptr(first*g.rowBytes), g.memory(p), bytes, l.copies)
	if err == nil {
		err = g.copied(p).Record(l.copies)
	}
	g.pieces[p].sent.Store(err == nil)
	g.change()
	return err
}

// open waits until a piece may be filled: the copy from its memory that was submitted before is complete. One thread at a time asks
// the driver: if all did, they would delay those that submit copies. The others do not wait for that thread but for changes,
// because it may wait for a piece that one of them is about to fill.
func (g *gathering) open(p int) error {
	for {
		seen := g.changes.Load()
		if g.opened.Load() > int64(p) {
			return nil
		}
		if !g.waiting.TryLock() {
			if g.stopped.Load() {
				return errStopped
			}
			sleepUntilChanged(&g.changes, seen)
			continue
		}
		err := g.openNext(p)
		g.waiting.Unlock()
		g.change() // another thread may ask the driver
		if err != nil {
			return err
		}
	}
}

// openNext waits for the next pieces, up to p. The lock of waiting is held.
func (g *gathering) openNext(p int) error {
	for g.opened.Load() <= int64(p) {
		if err := g.await(int(g.opened.Load())); err != nil {
			return err
		}
		g.opened.Add(1)
		g.change()
	}
	return nil
}

// await waits for the copy that was submitted last from the memory of a piece. Parts are taken in order, so it has been submitted,
// or other threads are filling the last parts of its piece.
func (g *gathering) await(p int) error {
	for before := p - plan.FeaturePieces; before >= 0; {
		seen := g.changes.Load()
		if g.pieces[before].sent.Load() {
			break
		}
		if g.stopped.Load() {
			return errStopped
		}
		sleepUntilChanged(&g.changes, seen)
	}
	return g.copied(p).Synchronize()
}

// change wakes the threads that wait for a piece.
func (g *gathering) change() {
	g.changes.Add(1)
	wakeAll(&g.changes)
}

// errStopped ends the parts of a task after another thread has set its error.
var errStopped = errors.New("another part of the rows failed")

// number returns the number in the ring of a piece of the list.
func (g *gathering) number(p int) int { return (g.link.ring.next + p) % plan.FeaturePieces }

// memory returns the pinned memory of a piece.
func (g *gathering) memory(p int) unsafe.Pointer {
	return unsafe.Add(g.link.ring.memory.Pointer, g.number(p)*g.link.ring.each)
}

// copied returns the event of a piece.
func (g *gathering) copied(p int) cuda.Event { return g.link.ring.copied[g.number(p)] }
