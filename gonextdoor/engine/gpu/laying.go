package gpu

import (
	"math"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/kernels"
)

// laying puts samples that differ in length one behind the other.
type laying struct {
	*run
	legs     []leg
	args     kernels.StepChunks
	sums     cuda.Memory
	counters *[2]uint64 // on the host
}

// The counters.
const (
	goOn  = iota // rows that have not ended
	total        // vertices
)

func (l *laying) begin() (err error) {
	if l.result.Offsets, err = l.device.Alloc(8*int64(l.rows+1), l.stream); err != nil {
		return err
	}
	if l.sums, err = l.take(8 * int64(l.parts()+l.tops()+1)); err != nil {
		return err
	}
	l.args = kernels.StepChunks{
		B: l.run.args.B, Lengths: l.run.args.T.Lengths, Offsets: uint64(l.result.Offsets.Address), Sums: uint64(l.sums.Address),
	}
	if l.rows > 0 {
		return nil
	}
	return l.device.Fill32(l.result.Offsets.Address, 0, 2, l.stream)
}

func (l *laying) parts() int { return (l.rows + legsRows - 1) / legsRows }
func (l *laying) tops() int  { return (l.parts() + sumsParts - 1) / sumsParts }

// guess lays the samples as if the first leg were the last one and they had the length that is expected: mostly so, and
// the card need not wait until the host knows.
func (l *laying) guess(first leg) error {
	mean := l.work.mean
	if mean == 0 {
		return nil
	}
	rows := float64(l.rows)
	room := rows*(float64(l.batch.Roots.Width)+mean) + 8*mean*math.Sqrt(rows)
	if err := l.room(int(room)); err != nil {
		return err
	}
	if err := l.add(); err != nil {
		return err
	}
	return l.layLegs([]leg{first})
}

// room takes memory for so many vertices, in place of what there was.
func (l *laying) room(vertices int) (err error) {
	r := l.result
	if err := first(l.device.Free(r.Vertices, l.stream), l.device.Free(r.Edges, l.stream)); err != nil {
		return err
	}
	r.Vertices, r.Edges = cuda.Memory{}, cuda.Memory{}
	if r.Vertices, err = l.device.Alloc(4*int64(vertices), l.stream); err != nil {
		return err
	}
	if l.batch.Edges {
		if r.Edges, err = l.device.Alloc(8*int64(vertices), l.stream); err != nil {
			return err
		}
	}
	l.args.ToVertices, l.args.ToEdges, l.args.Room = uint64(r.Vertices.Address), uint64(r.Edges.Address), uint64(vertices)
	return nil
}

// early says whether the result may be returned before it is known whether the guess was right.
func (l *laying) early() bool {
	return l.engine.Early && l.args.Room > 0 && l.calls.check == nil && l.batch.Roots.OnDevice == 0
}

// guessed says whether it was.
func (l *laying) guessed() bool {
	return len(l.legs) == 1 && l.counters[goOn] == 0 && l.counters[total] <= l.args.Room
}

// lay lays all legs, unless the guess was right.
func (l *laying) lay() error {
	if len(l.legs) > 1 || l.args.Room == 0 {
		if err := l.add(); err != nil {
			return err
		}
		if err := l.stream.Synchronize(); err != nil {
			return err
		}
	} else if l.counters[total] <= l.args.Room {
		l.result.Total = int(l.counters[total])
		return nil
	}
	l.result.Total = int(l.counters[total])
	return first(l.room(l.result.Total), l.layLegs(l.legs))
}

// add adds up the lengths.
func (l *laying) add() error {
	a := &l.args
	a.B.Alive, a.B.AliveCount, a.B.From, a.B.Rows = 0, 0, 0, uint64(l.rows)
	if err := l.start("stepchunks_sums", l.tops()*sumsParts*32, sumsParts*32); err != nil {
		return err
	}
	if err := l.start("stepchunks_tops", topsThreads, topsThreads); err != nil {
		return err
	}
	return l.device.CopyOut(unsafe.Pointer(&l.counters[total]), l.sums.Address+8*uintptr(l.parts()+l.tops()), 8, l.stream)
}

// layLegs lays some legs: the first one in order, and over what that leaves unfilled the others.
func (l *laying) layLegs(legs []leg) error {
	a := &l.args
	for i, leg := range legs {
		a.Vertices, a.Edges, a.Stride = uint64(leg.vertices.Address), uint64(leg.edges.Address), uint64(stride(leg.rows))
		a.Begin, a.End = uint64(leg.begin), uint64(leg.end)
		a.B.Alive, a.B.Rows = leg.list, uint64(leg.rows)
		name := "stepchunks"
		if l.work.woven {
			name = "interleaved"
		}
		if i == 0 {
			name += "_first"
		} else {
			name += "_more"
		}
		if err := l.start(name, leg.rows, legsRows); err != nil {
			return err
		}
	}
	return nil
}

func (l *laying) start(name string, n, block int) error {
	args := l.args
	return l.threads(kernel{image: "stepchunks", name: name, block: block}, int64(n), unsafe.Pointer(&args), unsafe.Sizeof(args))
}
