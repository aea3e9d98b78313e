package transfer

import (
	"errors"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/internal/streamstore"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// transposeKernels are the kernels that copy columns to rows, by the bytes per element of the source and the destination.
var transposeKernels = map[[2]int]string{{4, 4}: "result_rows", {4, 8}: "result_rows_wide", {8, 8}: "result_rows_edges"}

// Rows copies columns to host memory, row by row:
//
//	for r := range c.Rows { for s := range c.Width { to[r*c.Width+s] = c[r, s] } }
//
// The destination has size bytes per element; vertices of 4 bytes are converted if size is 8. The transfer begins when the
// event is reached and is complete when Rows returns. threads bounds the CPU threads that copy from pinned memory (0: all);
// plan.TransferThreads is a second bound. A stopped job ends the transfer after the pieces in progress.
//
// Cost: at most plan.TransferPlaces pieces of about plan.TransferPiece bytes each of GPU memory and of pinned memory.
func (l *Link) Rows(c Columns, to unsafe.Pointer, size int, after cuda.Event, threads int, j *job.Job) error {
	bytes := c.Width * size
	if c.Rows == 0 || bytes == 0 {
		return nil
	}
	p := pipeline{link: l, columns: c, to: to, size: size, bytes: bytes, each: min(c.Rows, max(1, plan.TransferPiece/bytes)), job: j}
	return l.with(func(one *lane) error {
		p.lane = one
		if err := p.begin(after); err != nil {
			return first(err, p.end())
		}
		return first(p.run(threads), p.end())
	})
}

// Columns writes rows in GPU memory to columns, from row number first on. The rows have c.Width elements of c.Size bytes each. The
// work is submitted to a stream.
func (l *Link) Columns(rows uintptr, count int, c Columns, first int, s cuda.Stream) error {
	if count == 0 || c.Width == 0 {
		return nil
	}
	return l.transpose(c.Size, c.Size, kernels.Columns{
		From: uint64(rows), To: uint64(c.Address) + uint64(first*c.Size), Rows: uint64(c.Width), Width: uint64(count),
		Stride: uint64(c.Width), Across: uint64(c.Stride),
	}, s)
}

// transpose starts the kernel that copies columns to rows, from elements of some bytes to elements of others.
func (l *Link) transpose(from, to int, a kernels.Columns, s cuda.Stream) error {
	tiles := ((int(a.Rows) + kernels.TileRows - 1) / kernels.TileRows) * ((int(a.Width) + kernels.TileSlots - 1) / kernels.TileSlots)
	return l.launch(transposeKernels[[2]int{from, to}], tiles, a, s)
}

// pipeline is one transfer. Its pieces, ranges of rows, pass three stages:
//
//  1. a kernel transposes the piece into the staging memory on the GPU (stream lane.kernels),
//  2. the copy engine copies it to pinned memory (stream lane.copies),
//  3. a CPU thread copies it to the destination.
//
// Each piece in progress has a place in both buffers. A place is reused after the third stage.
type pipeline struct {
	link         *Link
	lane         *lane
	columns      Columns
	to           unsafe.Pointer
	size         int // bytes per element of the destination
	bytes        int // bytes per row of the destination
	each, pieces int // rows per piece; number of pieces
	job          *job.Job
	staging      cuda.Memory // on the GPU; Memory{} if no piece has to be transposed
	pinned       cuda.Pinned
}

// isCopy reports whether the columns have the layout of the destination, so that nothing has to be transposed.
func (p *pipeline) isCopy() bool { return p.columns.Width == 1 && p.columns.Size == p.size }

// places returns the number of pieces in progress at a time.
func (p *pipeline) places() int { return min(maxPieces, p.pieces) }

// begin allocates the buffers and lets both streams wait for the event.
func (p *pipeline) begin(after cuda.Event) (err error) {
	for _, s := range []cuda.Stream{p.lane.kernels, p.lane.copies} {
		if err := s.Wait(after); err != nil {
			return err
		}
	}
	// If the GPU is full, try smaller pieces.
	for d := p.link.device; ; p.each = (p.each + 1) / 2 {
		p.pieces = (p.columns.Rows + p.each - 1) / p.each
		bytes := int64(p.places()) * int64(p.each*p.bytes)
		if !p.isCopy() {
			p.staging, err = d.Alloc(bytes, p.lane.kernels)
		}
		if err == nil {
			p.pinned, err = d.Pin(bytes)
			return err
		}
		if p.each == 1 || !errors.Is(err, cuda.ErrMemory) {
			return err
		}
	}
}

// placed is a piece in progress and its place in the buffers.
type placed struct{ piece, place int }

// run transfers all pieces. Worker 0 submits the work of the GPU; the other workers copy pieces to the destination. A place
// travels from the channel free to the channel sent and back.
func (p *pipeline) run(threads int) error {
	if p.pieces == 1 {
		return first(p.send(placed{}), p.receive(placed{}))
	}
	free, sent := make(chan int, maxPieces), make(chan placed, maxPieces)
	for place := range p.places() {
		free <- place
	}
	copiers := max(1, min(parallel.Threads(threads), plan.TransferThreads, p.pieces))
	return parallel.Do(1+copiers, func(worker int) error {
		return p.link.device.Do(func() (err error) {
			if worker == 0 {
				defer close(sent) // ends the other workers
				for k := 0; k < p.pieces && err == nil; k++ {
					u := placed{k, <-free}
					if err = first(p.job.Err(), p.send(u)); err == nil {
						sent <- u
					}
				}
				return err
			}
			for u := range sent { // places are returned after an error too, so that worker 0 does not block
				err = first(err, p.receive(u))
				free <- u.place
			}
			return err
		})
	})
}

// send submits the first two stages of a piece: the transposition and the copy to pinned memory.
func (p *pipeline) send(u placed) error {
	c, one := p.columns, p.lane
	lo, hi := u.piece*p.each, min(c.Rows, (u.piece+1)*p.each)
	from := c.Address + uintptr(lo*p.bytes)
	if !p.isCopy() {
		from = p.staging.Address + uintptr(u.place*p.each*p.bytes)
		a := c.arguments()
		a.To, a.First, a.Rows, a.Across = uint64(from), uint64(lo), uint64(hi-lo), uint64(c.Width)
		err := first(
			p.link.transpose(c.Size, p.size, a, one.kernels), one.transposed[u.place].Record(one.kernels),
			one.copies.Wait(one.transposed[u.place]),
		)
		if err != nil {
			return err
		}
	}
	into := unsafe.Add(p.pinned.Pointer, u.place*p.each*p.bytes)
	return first(p.link.device.CopyOut(into, from, int64((hi-lo)*p.bytes), one.copies), one.copied[u.place].Record(one.copies))
}

// receive waits until a piece is in pinned memory and copies it to the destination.
func (p *pipeline) receive(u placed) error {
	if err := p.lane.copied[u.place].Synchronize(); err != nil {
		return err
	}
	lo, hi := u.piece*p.each, min(p.columns.Rows, (u.piece+1)*p.each)
	from := unsafe.Slice((*byte)(unsafe.Add(p.pinned.Pointer, u.place*p.each*p.bytes)), (hi-lo)*p.bytes)
	to := unsafe.Slice((*byte)(unsafe.Add(p.to, lo*p.bytes)), len(from))
	if p.columns.Rows*p.bytes >= plan.TransferStreamed {
		streamstore.Bytes(to, from)
	} else {
		copy(to, from) // the caller may read it from the caches
	}
	return nil
}

// end frees the buffers. It waits for the copies first: after an error or a stop the GPU may still be writing to pinned
// memory.
func (p *pipeline) end() error {
	err := p.lane.copies.Synchronize()
	return first(err, p.link.device.Free(p.staging, p.lane.kernels), p.link.device.Unpin(p.pinned))
}
