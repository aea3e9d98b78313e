package neighborbatch

import (
	"errors"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/roots"
)

// Call draws the mini-batches that a record requests, on the CPU, and writes their headers. An arena is copied to the record
// if it fits the rest of Request.Room. Otherwise it stays lent from offheap.Results, and its header has its address. The
// record is the caller's memory and may not change during the call.
func (s *Sampler) Call(m *app.NeighborSampling, record unsafe.Pointer, j *job.Job) error {
	r, batchSeeds, nodes, err := ReadRecord(s.Graph, record)
	if err != nil {
		return err
	}
	all, err := s.DrawMany(m, batchSeeds, nodes, int(r.Place), j)
	if err != nil {
		return err
	}
	r.Write(m, s.Graph, all)
	return nil
}

// Write writes the headers of mini-batches that were drawn on the CPU, and their arenas as Call does. It is called once.
func (r *Record) Write(m *app.NeighborSampling, h *graph.Hetero, all []output.NeighborBatch) {
	size := headerWords(m, h)
	headers := r.take(size * len(all))
	free := r.take(int(r.Room))
	for i, b := range all {
		header := headers[i*size : (i+1)*size]
		if len(b.Arena) > len(free) {
			address := int64(uintptr(unsafe.Pointer(unsafe.SliceData(b.Arena))))
			writeHeader(header, BatchHeader{Arena: address, Words: int64(len(b.Arena)), Host: 1}, h, b.BatchArrays, ofSlices(b.Arena))
			continue
		}
		packed, words := pack(b.BatchArrays, free)
		writeHeader(header, BatchHeader{Words: int64(words), Host: 1}, h, packed, ofSpans)
		free = free[words:]
		b.Return()
	}
}

// pack copies the arrays of a batch to an arena, one after another, and returns their places and the words of all. The ends of
// the edges of a relation are thus one array of two rows.
func pack(b output.BatchArrays[[]int64], arena []int64) (packed output.PlacedBatch, words int) {
	packed = output.ConvertArrays(b, func(array []int64) output.Span {
		s := output.Span{First: words, Count: copy(arena[words:], array)}
		words += s.Count
		return s
	})
	return packed, words
}

// CallOnDevices is Call on devices, which open opens by a set of their numbers with one bit each. The arenas stay in their memory, each with the batches of one launch.
// keep takes over an arena and returns its handle.
//
// If Request.Pending is -1, and only waiting is left, the call does not write the headers: later takes over the rest of the call and
// returns its handle, which is written to Request.Pending. The record must then stay until PendingCall.Finish.
func (s *Sampler) CallOnDevices(
	open func(devices uint64) ([]engine.Device, error), m *app.NeighborSampling, record unsafe.Pointer,
	keep func(engine.DeviceBatches) (handle int64), later func(*PendingCall) (handle int64), j *job.Job,
) error {
	r, batchSeeds, nodes, err := ReadRecord(s.Graph, record)
	if err != nil {
		return err
	}
	d, err := s.BeginOnDevices(func() ([]engine.Device, error) { return open(uint64(r.Place)) }, m, batchSeeds, nodes, int(r.Turn), j)
	if err != nil {
		return err
	}
	p, handle := &PendingCall{r, d, keep}, &(*Request)(record).Pending
	if *handle == -1 && d.Pending() {
		*handle = later(p)
		return nil
	}
	*handle = 0
	return p.Finish(j)
}

// PendingCall is a call on devices that has submitted its work. The caller calls Finish or Discard once.
type PendingCall struct {
	record *Record
	draw   *DeviceDraw
	keep   func(engine.DeviceBatches) (handle int64)
}

// Discard releases the batches when they are drawn.
func (p *PendingCall) Discard() error {
	all, err := p.draw.Finish(nil)
	return errors.Join(err, release(all))
}

// Finish writes the headers when the positions in the arenas are known.
func (p *PendingCall) Finish(j *job.Job) error {
	all, err := p.draw.Finish(j)
	if err != nil {
		return err
	}
	size := headerWords(p.draw.app, p.draw.from.Graph)
	headers := p.record.take(size * len(p.draw.nodes))
	for _, drawn := range all {
		begin := BatchHeader{Arena: p.keep(drawn.DeviceBatches), Words: int64(drawn.Words())}
		if drawn.OnCPU {
			begin.Host = 1
		}
		for i, b := range drawn.Batches() {
			at := size * drawn.Numbers[i]
			writeHeader(headers[at:at+size], begin, p.draw.from.Graph, b, ofSpans)
		}
	}
	return nil
}

// Record is the record of a call, of which the request has been read.
type Record struct {
	Request
	rest unsafe.Pointer // what has not been read or written
}

// ReadRecord reads the request of the record at an address, for batches of h: the random seed and the seed nodes of each, which
// share no memory with the record. The graphs of relations are not read.
func ReadRecord(h *graph.Hetero, at unsafe.Pointer) (r *Record, batchSeeds []uint64, nodes []app.SeedNodes, err error) {
	r = &Record{*(*Request)(at), unsafe.Add(at, unsafe.Sizeof(Request{}))}
	batchSeeds, nodes, err = r.read(h)
	return r, batchSeeds, nodes, err
}

// take returns the next n integers, which remain the caller's memory.
func (r *Record) take(n int) []int64 {
	s := unsafe.Slice((*int64)(r.rest), n)
	r.rest = unsafe.Add(r.rest, 8*n)
	return s
}

// read returns copies of the random seed and the seed nodes of each batch.
func (r *Record) read(h *graph.Hetero) (batchSeeds []uint64, all []app.SeedNodes, err error) {
	count, types, relations := int(r.Batches), len(h.Counts), len(h.Relations)
	batchSeeds, all = make([]uint64, count), make([]app.SeedNodes, count)
	for i, seed := range r.take(count) {
		batchSeeds[i] = uint64(seed)
	}
	sizes := r.take(count * types)
	if r.Excluded != 0 {
		excluded := cursorAt[int64](r.Excluded)
		counts := r.take(count * relations)
		for i := range all {
			all[i].Excluded = make([][]int64, relations)
			for e := range relations {
				all[i].Excluded[e] = append([]int64(nil), excluded.take(int(counts[i*relations+e]))...)
			}
		}
	}
	// Seed nodes that are not int64 have a separate address: they are never in the record.
	from := cursorAt[byte](r.SeedNodes)
	if r.SeedNodes == 0 {
		total := 0
		for _, n := range sizes {
			total += int(n)
		}
		from.at = r.rest
		r.take(total)
	}
	times, windows := cursorAt[int64](r.Times), cursorAt[int64](r.Windows)
	for i := range all {
		if err := r.readNodes(h, &all[i], sizes[i*types:(i+1)*types], &from); err != nil {
			return nil, nil, OfBatch(i, count, err)
		}
		if r.Times != 0 {
			all[i].Times = append([]int64{}, times.take(all[i].Count())...)
		}
		if r.Windows != 0 {
			all[i].Windows = append([]int64{}, windows.take(all[i].Count())...)
		}
	}
	return batchSeeds, all, nil
}

// readNodes validates the seed nodes of one batch and copies them.
func (r *Record) readNodes(h *graph.Hetero, to *app.SeedNodes, sizes []int64, from *cursor[byte]) error {
	to.Vertices = make([][]uint32, len(sizes))
	width := int(max(r.Kind, -r.Kind))
	for t, vertices := range h.Counts {
		n := int(sizes[t])
		to.Vertices[t] = make([]uint32, n)
		at := from.at
		from.take(n * width)
		if err := roots.CopyKind(vertices, h.OfType("seed_nodes", t), at, r.Kind, 0, to.Vertices[t], 1, false); err != nil {
			return err
		}
	}
	return nil
}

// cursor reads an array of the caller, front to back.
type cursor[T any] struct{ at unsafe.Pointer }

// cursorAt returns a cursor at the beginning of the array at an address.
func cursorAt[T any](address int64) cursor[T] {
	return cursor[T]{*(*unsafe.Pointer)(unsafe.Pointer(&address))} // vet would report a direct conversion of an integer
}

// take returns the next n elements, which remain the caller's memory.
func (c *cursor[T]) take(n int) []T {
	if n == 0 {
		return nil
	}
	var x T
	s := unsafe.Slice((*T)(c.at), n)
	c.at = unsafe.Add(c.at, n*int(unsafe.Sizeof(x)))
	return s
}
