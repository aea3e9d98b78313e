package transfer

import (
	"errors"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

// turns are the kernels that make rows of columns, by the bytes of an element there and here.
var turns = map[[2]int]string{{4, 4}: "result_rows", {4, 8}: "result_rows_wide", {8, 8}: "result_rows_edges"}

// Rows writes the columns into the host's memory row by row, elements of size bytes, once `after` has been reached, and
// waits until they are there. It goes piece by piece: while some are turned on the card, others are on the link, and others
// are copied from pinned memory to where they are wanted. A stopped job ends it soon. It is
//
//	for r := range c.Rows { for s := range c.Width { to[r*c.Width+s] = c[r, s] } }
func (l *Link) Rows(c Columns, to unsafe.Pointer, size int, after cuda.Event, threads int, j *job.Job) error {
	bytes := c.Width * size
	if c.Rows == 0 || bytes == 0 {
		return nil
	}
	p := passage{link: l, columns: c, to: to, size: size, bytes: bytes, each: min(c.Rows, max(1, plan.TransferPiece/bytes)), job: j}
	return l.with(func(one *lane) error {
		p.lane = one
		if err := p.begin(after); err != nil {
			return first(err, p.end())
		}
		return first(p.run(threads), p.end())
	})
}

// passage is one transfer.
type passage struct {
	link         *Link
	lane         *lane
	columns      Columns
	to           unsafe.Pointer
	size         int // bytes of an element on the host
	bytes        int // of a row
	each, pieces int // rows of a piece; how many there are
	job          *job.Job
	stage        cuda.Memory // on the card, a place for each piece under way
	buffer       cuda.Pinned // on the host, likewise
}

// straight says that the columns are already as they are wanted.
func (p *passage) straight() bool { return p.columns.Width == 1 && p.columns.Size == p.size }

func (p *passage) places() int { return min(inFlight, p.pieces) }

func (p *passage) begin(after cuda.Event) (err error) {
	for _, s := range []cuda.Stream{p.lane.kernels, p.lane.copies} {
		if err := s.Wait(after); err != nil {
			return err
		}
	}
	for d := p.link.device; ; p.each = (p.each + 1) / 2 { // smaller pieces where the card is full
		p.pieces = (p.columns.Rows + p.each - 1) / p.each
		whole := int64(p.places()) * int64(p.each*p.bytes)
		if !p.straight() {
			p.stage, err = d.Alloc(whole, p.lane.kernels)
		}
		if err == nil {
			p.buffer, err = d.Pin(whole)
			return err
		}
		if p.each == 1 || !errors.Is(err, cuda.ErrMemory) {
			return err
		}
	}
}

// under is a piece on its way, and the place that it has.
type under struct{ piece, place int }

// run sends all pieces and copies them to where they are wanted, in as many threads as that takes.
func (p *passage) run(threads int) error {
	if p.pieces == 1 {
		return first(p.send(under{}), p.receive(under{}))
	}
	free, sent := make(chan int, inFlight), make(chan under, inFlight)
	for place := range p.places() {
		free <- place
	}
	copiers := max(1, min(parallel.Threads(threads), plan.TransferThreads, p.pieces))
	return parallel.Do(1+copiers, func(worker int) error {
		return p.link.device.Do(func() (err error) {
			if worker == 0 {
				defer close(sent)
				for k := 0; k < p.pieces && err == nil; k++ {
					u := under{k, <-free}
					if err = first(p.job.Err(), p.send(u)); err == nil {
						sent <- u
					}
				}
				return err
			}
			for u := range sent {
				err = first(err, p.receive(u))
				free <- u.place
			}
			return err
		})
	})
}

// send has a piece turned on the card and put on the link.
func (p *passage) send(u under) error {
	c, one := p.columns, p.lane
	lo, hi := u.piece*p.each, min(c.Rows, (u.piece+1)*p.each)
	from := c.Address + uintptr(lo*p.bytes)
	if !p.straight() {
		from = p.stage.Address + uintptr(u.place*p.each*p.bytes)
		a := c.arguments()
		a.To, a.First, a.Rows = uint64(from), uint64(lo), uint64(hi-lo)
		tiles := ((hi - lo + tileRows - 1) / tileRows) * ((c.Width + tileSlots - 1) / tileSlots)
		err := first(
			p.link.launch(turns[[2]int{c.Size, p.size}], tiles, a, one.kernels), one.made[u.place].Record(one.kernels),
			one.copies.Wait(one.made[u.place]),
		)
		if err != nil {
			return err
		}
	}
	into := unsafe.Add(p.buffer.Pointer, u.place*p.each*p.bytes)
	return first(p.link.device.CopyOut(into, from, int64((hi-lo)*p.bytes), one.copies), one.gone[u.place].Record(one.copies))
}

// receive waits for a piece and copies it to where it is wanted.
func (p *passage) receive(u under) error {
	if err := p.lane.gone[u.place].Synchronize(); err != nil {
		return err
	}
	lo, hi := u.piece*p.each, min(p.columns.Rows, (u.piece+1)*p.each)
	from := unsafe.Slice((*byte)(unsafe.Add(p.buffer.Pointer, u.place*p.each*p.bytes)), (hi-lo)*p.bytes)
	copy(unsafe.Slice((*byte)(unsafe.Add(p.to, lo*p.bytes)), len(from)), from)
	return nil
}

// end gives everything back. After an error or a stop the card may still write.
func (p *passage) end() error {
	err := p.lane.copies.Synchronize()
	return first(err, p.link.device.Free(p.stage, p.lane.kernels), p.link.device.Unpin(p.buffer))
}
