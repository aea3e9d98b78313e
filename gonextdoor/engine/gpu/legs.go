package gpu

import (
	"math"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/plan"
)

// leg is what the rows that were still going on have walked at a stretch: a trace by steps, a column for each of them.
type leg struct {
	begin, end int    // steps
	rows       int    // columns
	list       uint64 // their rows; 0: all, in order
	vertices   cuda.Memory
	edges      cuda.Memory
}

// Sizes that kernels/driver/offsets.cuh has too.
const (
	legsRows    = 256
	sumsParts   = 8
	topsThreads = 1024
)

// ragged makes samples that differ in length: leg by leg until no row goes on, then laid one behind the other.
//
// A kernel of such samples writes step s of the row on place i at (s-begin)*stride + i of the leg (the addresses that it
// is given are those of slot 0); leaves in Lengths how many steps each row has; and where a row has not ended after the
// leg's last step, its vertex in Ends (and the one before in Previous), and the row in the list Alive, which AliveCount
// counts. Most, where it is not 0, is where all end. Or the leg is woven: kernels/driver/stopped.cuh says how.
func (r *run) ragged() (*Result, error) {
	a := &r.args
	state, err := r.take(3 * 4 * int64(max(1, r.rows)))
	if err != nil {
		return nil, err
	}
	at := uint64(state.Address)
	a.T.Lengths, a.T.Ends, a.T.Previous = at, at+4*uint64(r.rows), at+8*uint64(r.rows)
	if r.pinned, err = r.device.Pin(16); err != nil {
		return nil, err
	}
	l := &laying{run: r, counters: (*[2]uint64)(r.pinned.Pointer)}
	if err := l.begin(); err != nil {
		return nil, err
	}
	if r.rows > 0 {
		if err := l.walk(leg{rows: r.rows}); err != nil {
			return nil, err
		}
	}
	r.job.Add(int64(r.rows))
	if l.early() {
		r.result.later, r.job = l, nil // the caller's job ends with the call
		return r.ready()
	}
	if err := l.finish(); err != nil {
		return nil, err
	}
	return r.ready()
}

// walk starts a leg of some steps, and lays the samples by a guess if it is the first.
func (l *laying) walk(next leg) error {
	count, err := l.run.startLeg(&next)
	if err != nil {
		return err
	}
	l.legs = append(l.legs, next)
	if next.begin == 0 {
		if err := l.guess(next); err != nil {
			return err
		}
	}
	return l.device.CopyOut(unsafe.Pointer(&l.counters[goOn]), count.Address, 8, l.stream)
}

// finish waits until the host knows how many rows go on, has them do so until none does, and lays the samples.
func (l *laying) finish() error {
	if l.rows == 0 {
		return nil
	}
	for {
		if err := l.stream.Synchronize(); err != nil {
			return err
		}
		if l.counters[goOn] == 0 {
			return l.lay()
		}
		last := l.legs[len(l.legs)-1]
		if err := l.walk(leg{begin: last.end, rows: int(l.counters[goOn]), list: l.run.args.T.Alive}); err != nil {
			return err
		}
	}
}

// startLeg starts a leg, and gives the cell that counts its rows that go on.
func (r *run) startLeg(l *leg) (count cuda.Memory, err error) {
	a := &r.args
	l.end = l.begin + r.legSteps(*l)
	columns := stride(l.rows)
	list, err := r.take(4 * int64(l.rows))
	if err != nil {
		return count, err
	}
	if count, err = r.take(8); err != nil {
		return count, err
	}
	if err := r.device.Fill32(count.Address, 0, 2, r.stream); err != nil {
		return count, err
	}
	if l.vertices, err = r.take(4 * int64(columns) * int64(l.end-l.begin)); err != nil {
		return count, err
	}
	if r.batch.Edges {
		if l.edges, err = r.take(8 * int64(columns) * int64(l.end-l.begin)); err != nil {
			return count, err
		}
	}
	a.B.Alive, a.B.From, a.B.Rows = l.list, 0, uint64(l.rows)
	a.T.Stride, a.T.Alive, a.T.AliveCount = uint64(columns), uint64(list.Address), uint64(count.Address)
	a.T.Vertices, a.T.Edges = uint64(l.vertices.Address), uint64(l.edges.Address)
	if !r.work.woven {
		a.T.Vertices -= 4 * uint64(columns) * uint64(r.batch.Roots.Width+l.begin)
		a.T.Edges -= 8 * uint64(columns) * uint64(l.begin)
	}
	if !r.batch.Edges {
		a.T.Edges = 0
	}
	return count, r.legLaunches(*l)
}

// legLaunches cuts the rows of a leg: a launch takes all its steps, since rows that have stopped are not told apart
// within it.
func (r *run) legLaunches(l leg) error {
	mean := min(float64(l.end-l.begin), max(1, r.work.mean))
	each := stride(max(int(float64(r.launchSteps())/mean), r.launchRows())) // whole warps
	r.watched = each < l.rows
	for lo := 0; lo < l.rows; lo += each {
		a := r.args
		a.B.From, a.B.Rows = uint64(lo), uint64(min(lo+each, l.rows))
		a.T.Begin, a.T.End = uint64(l.begin), uint64(l.end)
		if err := r.launch(&a); err != nil {
			return err
		}
	}
	return nil
}

// legSteps gives how many steps a leg has: so many that hardly a row goes on, as far as memory allows. A leg that is
// longer than its rows costs no time.
func (r *run) legSteps(l leg) int {
	steps := float64(max(plan.LegSteps, l.begin))
	if mean := r.work.mean; mean > 0 {
		steps = mean*(math.Log(float64(l.rows)+1)+plan.LegMeans) + plan.LegSteps
	}
	each := int64(4)
	if r.batch.Edges {
		each = 12
	}
	n := max(1, min(int(steps), int(min(plan.LegBytes, r.device.Total/8)/(each*int64(stride(l.rows))))))
	if t := r.engine.Tuning.LegSteps; t > 0 {
		n = min(n, t)
	}
	if most := r.work.most; most > 0 {
		n = min(n, most-l.begin)
	}
	return n
}
