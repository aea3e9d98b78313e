package transfer

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

const (
	inFlight   = 2 // pieces that are under way at a time
	tileRows   = 64
	tileSlots  = 64
	copyAtOnce = 1 << 20 // bytes that a thread of the host copies at a time
)

// Host is memory of the host that a transfer fills.
type Host struct {
	Pointer unsafe.Pointer
	Pinned  bool // the card writes straight into it
}

// Rows writes the columns into the host's memory row by row, elements of size bytes, once `after` has been reached, and
// waits until they are there. It goes piece by piece: while one is on the link, the next is turned on the card. A stopped
// job ends it soon. It is
//
//	for r := range c.Rows { for s := range c.Width { to[r*c.Width+s] = c[r, s] } }
func (l *Link) Rows(c Columns, to Host, size int, after cuda.Event, threads int, j *job.Job) error {
	row := c.Width * size
	if c.Rows == 0 || row == 0 {
		return nil
	}
	rows := min(c.Rows, max(1, plan.TransferPiece/row))
	if c.Width == 1 && c.Size == size { // already as it is wanted
		return l.pieces(c.Rows, rows, row, to, after, threads, j, nil, c.Address)
	}
	name := map[[2]int]string{{4, 4}: "result_rows", {4, 8}: "result_rows_wide", {8, 8}: "result_rows_edges"}[[2]int{c.Size, size}]
	turn := func(stage uintptr, first, end int, s cuda.Stream) error {
		a := c.arguments()
		a.To, a.First, a.Rows = uint64(stage), uint64(first), uint64(end-first)
		tiles := ((end - first + tileRows - 1) / tileRows) * ((c.Width + tileSlots - 1) / tileSlots)
		return l.launch(name, tiles, a, s)
	}
	return l.pieces(c.Rows, rows, row, to, after, threads, j, turn, 0)
}

// pieces brings n units of so many bytes to the host, each at a time. turn makes a piece in a stage on the card; without
// it they lie from `at` on as they are wanted.
func (l *Link) pieces(n, each, bytes int, to Host, after cuda.Event, threads int, j *job.Job,
	turn func(stage uintptr, first, end int, s cuda.Stream) error, at uintptr,
) (err error) {
	one, err := l.take()
	if err != nil {
		return err
	}
	p := passage{link: l, lane: one, to: to, bytes: bytes, each: each, threads: threads, turn: turn, at: at}
	defer func() {
		if e := p.end(); err == nil {
			err = e
		}
		l.give(one)
	}()
	if err := p.begin(after, min(inFlight, (n+each-1)/each)); err != nil {
		return err
	}
	for first := 0; first < n; first += each {
		if err := j.Err(); err != nil {
			return err
		}
		if err := p.send(first, min(first+each, n)); err != nil {
			return err
		}
	}
	for p.arrived < p.sent {
		if err := p.receive(); err != nil {
			return err
		}
	}
	return nil
}

// passage is one transfer.
type passage struct {
	link          *Link
	lane          *lane
	to            Host
	bytes, each   int
	threads       int
	turn          func(stage uintptr, first, end int, s cuda.Stream) error
	at            uintptr
	stages        [inFlight]cuda.Memory
	buffers       [inFlight]cuda.Pinned
	bounds        [inFlight][2]int // the units of the piece in each place
	sent, arrived int
}

func (p *passage) begin(after cuda.Event, places int) (err error) {
	d := p.link.device
	for _, s := range []cuda.Stream{p.lane.kernels, p.lane.copies} {
		if err := s.Wait(after); err != nil {
			return err
		}
	}
	for i := range places {
		if p.turn != nil {
			if p.stages[i], err = d.Alloc(int64(p.each*p.bytes), p.lane.kernels); err != nil {
				return err
			}
		}
		if !p.to.Pinned {
			if p.buffers[i], err = d.Pin(int64(p.each * p.bytes)); err != nil {
				return err
			}
		}
	}
	return nil
}

// send puts units [first, end) on their way.
func (p *passage) send(first, end int) error {
	if p.sent-p.arrived == inFlight {
		if err := p.receive(); err != nil {
			return err
		}
	}
	place := p.sent % inFlight
	from := p.at + uintptr(first*p.bytes)
	if p.turn != nil {
		from = p.stages[place].Address
		if err := p.turn(from, first, end, p.lane.kernels); err != nil {
			return err
		}
		if err := p.lane.made[place].Record(p.lane.kernels); err != nil {
			return err
		}
		if err := p.lane.copies.Wait(p.lane.made[place]); err != nil {
			return err
		}
	}
	into := p.buffers[place].Pointer
	if p.to.Pinned {
		into = unsafe.Add(p.to.Pointer, first*p.bytes)
	}
	if err := p.link.device.CopyOut(into, from, int64((end-first)*p.bytes), p.lane.copies); err != nil {
		return err
	}
	p.bounds[place] = [2]int{first, end}
	p.sent++
	return p.lane.gone[place].Record(p.lane.copies)
}

// receive waits for the piece that was sent first, and copies it to where it is wanted if it is not there.
func (p *passage) receive() error {
	place := p.arrived % inFlight
	if err := p.lane.gone[place].Synchronize(); err != nil {
		return err
	}
	p.arrived++
	if p.to.Pinned {
		return nil
	}
	first, end := p.bounds[place][0]*p.bytes, p.bounds[place][1]*p.bytes
	from := unsafe.Slice((*byte)(p.buffers[place].Pointer), end-first)
	to := unsafe.Slice((*byte)(unsafe.Add(p.to.Pointer, first)), end-first)
	return parallel.For(nil, p.threads, len(to), copyAtOnce, func(lo, hi int) error {
		copy(to[lo:hi], from[lo:hi])
		return nil
	})
}

// end waits for what is still under way and gives everything back.
func (p *passage) end() (err error) {
	keep := func(e error) {
		if err == nil {
			err = e
		}
	}
	if p.arrived < p.sent { // an error or a stop: the card may still write into our memory
		keep(p.lane.copies.Synchronize())
	}
	d := p.link.device
	for i := range inFlight {
		if p.turn != nil && p.sent > i {
			keep(p.lane.kernels.Wait(p.lane.gone[i]))
		}
		keep(d.Free(p.stages[i], p.lane.kernels))
		if p.buffers[i].Pointer != nil {
			keep(d.Unpin(p.buffers[i]))
		}
	}
	return err
}
