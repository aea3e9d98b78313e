package features

import (
	"errors"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/kernels"
)

// The memory of a batch is one block on the GPU and one pinned block on the host. Both begin with the head: the parameters of
// all reads, those of the later copies of hits (lookahead), and the reports. One copy in and one copy out are enough.
//
//	GPU     head | per read: copy of the ids, ids of missed rows, the same in order, their places in the result, swaps
//	pinned  head, reports that were copied out | per read: ids of missed rows

// arena assigns parts of a block of memory, at multiples of 16 bytes.
type arena struct {
	base uintptr // 0: only the size is computed
	size int64
}

// take returns the address of the next part.
func (a *arena) take(bytes int64) uintptr {
	at := a.base + uintptr(a.size)
	a.size += (bytes + 15) / 16 * 16
	return at
}

const (
	paramsBytes = int64(unsafe.Sizeof(kernels.FeatureRead{}))
	reportBytes = 16
)

// headBytes returns the bytes of the head, and the position of the reports in it.
func (b *batch) headBytes() (head, reports int64) {
	n := int64(len(b.reads))
	return n * (2*paramsBytes + reportBytes), n * 2 * paramsBytes
}

// allocate allocates both blocks, and assigns their parts.
func (b *batch) allocate() (err error) {
	var gpu, host arena
	b.assign(&gpu, &host)
	if b.scratch, err = resident.Alloc(b.link.device, gpu.size, b.link.search); err != nil {
		return err
	}
	if b.pinned, err = b.link.device.Pin(host.size); err != nil {
		return err
	}
	b.assign(&arena{base: b.scratch.Address}, &arena{base: uintptr(b.pinned.Pointer)})
	return nil
}

// assign sets the parameters of all reads.
func (b *batch) assign(gpu, host *arena) {
	head, reportsAt := b.headBytes()
	params := gpu.take(head)
	reports := params + uintptr(reportsAt)
	host.take(head)
	out := host.take(int64(len(b.reads)) * reportBytes)
	for i, r := range b.reads {
		s, n := r.store, int64(r.ids.Count)
		r.hits = params + uintptr(int64(len(b.reads)+i)*paramsBytes)
		r.args = kernels.FeatureRead{
			IDs: uint64(r.ids.Address), IDBytes: uint64(r.ids.Bytes), Count: uint64(n),
			Rows: uint64(s.rows), RowBytes: uint64(s.rowBytes), Vector: uint64(alignment(r.Address(), s.vector)), Tile: s.tile(int(n)),
			Places: uint64(s.places.At()), Slots: uint64(s.slots.At()), Out: uint64(r.Address()),
			Report: uint64(reports + uintptr(i*reportBytes)),
		}
		if host.base != 0 {
			r.report = (*[2]uint64)(unsafe.Add(b.pinned.Pointer, out-host.base+uintptr(i*reportBytes)))
		}
		if r.ids.Host || s.ahead != nil {
			r.args.IDs = uint64(gpu.take(n * int64(r.ids.Bytes)))
		}
		if s.slots == nil || s.places != nil {
			b.assignMissed(r, gpu, host)
		}
		if s.ahead != nil {
			s.ahead.assign(r, gpu)
		}
	}
}

// assignMissed assigns memory for the lists of missed rows.
func (b *batch) assignMissed(r *read, gpu, host *arena) {
	bytes := 4 * int64(r.ids.Count)
	if r.share < whole {
		at := host.take(bytes)
		r.args.Missed = uint64(at)
		if host.base != 0 {
			r.missed = unsafe.Slice((*uint32)(unsafe.Add(b.pinned.Pointer, at-host.base)), r.ids.Count)
		}
	}
	if r.share > 0 {
		r.args.Listed = uint64(gpu.take(bytes))
		r.ordered = gpu.take(orderBytes(r.ids.Count))
	}
	if r.store.slots != nil {
		r.args.MissedAt = uint64(gpu.take(bytes))
	}
}

// search submits the kernel that finds all rows, and copies those in GPU memory.
func (b *batch) search() error {
	l := b.link
	// 1. Write the parameters and empty reports.
	n := len(b.reads)
	head, reportsAt := b.headBytes()
	params := unsafe.Slice((*kernels.FeatureRead)(b.pinned.Pointer), 2*n)
	reports := unsafe.Slice((*[2]uint64)(unsafe.Add(b.pinned.Pointer, reportsAt)), n)
	tiles := uint64(0)
	for i, r := range b.reads {
		if err := b.bring(r); err != nil {
			return err
		}
		r.args.FirstTile = tiles
		tiles += r.tiles()
		params[i], reports[i] = r.args, [2]uint64{0, ^uint64(0)}
		if r.store.ahead != nil {
			params[i].Out = 0 // its hits are copied later
			params[n+i] = r.args
			params[n+i].Known, params[n+i].Found, params[n+i].Missed, params[n+i].FirstTile = r.args.Found, 0, 0, 0
		}
	}
	if err := l.device.CopyIn(b.scratch.Address, b.pinned.Pointer, head, l.search); err != nil {
		return err
	}
	// 2. Find the rows.
	if tiles > 0 {
		a := kernels.FeatureBatch{Reads: uint64(b.scratch.Address), ReadCount: uint64(n), Tiles: tiles}
		if err := l.launch("features_read", l.warps(tiles), &a, l.search); err != nil {
			return err
		}
	}
	// 3. Report.
	return l.device.CopyOut(unsafe.Pointer(b.reads[0].report), b.scratch.Address+uintptr(reportsAt), int64(n)*reportBytes, l.search)
}

// bring lets the search wait for the ids of a read, and copies them if necessary.
func (b *batch) bring(r *read) error {
	l, n := b.link, int64(r.ids.Count)*int64(r.ids.Bytes)
	if n == 0 {
		return nil
	}
	if !r.ids.Host {
		if err := l.then(l.device.ForeignStream(r.ids.Stream), l.search); err != nil || r.store.ahead == nil {
			return err
		}
		return l.device.Copy(uintptr(r.args.IDs), r.ids.Address, n, l.search)
	}
	p, err := l.device.Pin(n)
	if err != nil {
		return err
	}
	copy(unsafe.Slice((*byte)(p.Pointer), n), unsafe.Slice((*byte)(pointer(r.ids.Address)), n))
	err = l.device.CopyIn(uintptr(r.args.IDs), p.Pointer, n, l.search)
	b.idsPinned = append(b.idsPinned, p)
	return err
}

// pointer returns an address of memory outside of Go's heap as a pointer; vet reports a direct conversion.
func pointer(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

// free frees both blocks, after the present work of the stream of rows. The search must be complete.
func (b *batch) free() error {
	l := b.link
	err := errors.Join(l.device.Free(b.scratch, l.rows), l.device.Unpin(b.pinned))
	for _, p := range b.idsPinned {
		err = errors.Join(err, l.device.Unpin(p))
	}
	if b.found != (cuda.Event{}) {
		err = errors.Join(err, b.found.Destroy())
	}
	return err
}
