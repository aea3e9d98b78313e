package gpu

import (
	"math"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// leg is what the rows that were still going on have walked at a stretch: a trace by steps, a column for each of them.
type leg struct {
	begin, end int    // steps
	rows       int    // columns
	list       uint64 // their rows; 0: all, in order
	vertices   cuda.Memory
	edges      cuda.Memory
}

// Sizes of blocks, as kernels/driver/offsets.cuh and legs.cuh have them.
const (
	offsetsThreads = 256
	offsetsBlock   = 8 * offsetsThreads // rows
	legsThreads    = 128                // rows, too
)

// ragged makes samples that differ in length: leg by leg until no row goes on, then laid one behind the other.
//
// A kernel of such samples writes step s of the row on place i at (s-begin)*stride + i of the leg (the addresses that it
// is given are those of slot 0); leaves in Lengths how many steps each row has; and where a row has not ended after the
// leg's last step, its vertex in Ends (and the one before in Previous), and the row in the list Alive, which AliveCount
// counts. Most, where it is not 0, is where all end.
func (r *run) ragged() (*Result, error) {
	a := &r.args
	state, err := r.take(3 * 4 * int64(max(1, r.rows)))
	if err != nil {
		return nil, err
	}
	at := uint64(state.Address)
	a.T.Lengths, a.T.Ends, a.T.Previous = at, at+4*uint64(r.rows), at+8*uint64(r.rows)
	counter, err := r.device.Pin(8)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.device.Unpin(counter) }()
	var legs []leg
	for next := (leg{rows: r.rows}); next.rows > 0; {
		if next, err = r.walkLeg(next, counter); err != nil {
			return nil, err
		}
		legs = append(legs, next)
		next = leg{begin: next.end, rows: int(*(*uint64)(counter.Pointer)), list: r.args.T.Alive}
	}
	if err := r.lay(legs, counter); err != nil {
		return nil, err
	}
	r.job.Add(int64(r.rows))
	return r.ready()
}

// walkLeg walks a leg of some steps, and waits until the host knows how many rows go on.
func (r *run) walkLeg(l leg, counter cuda.Pinned) (leg, error) {
	a := &r.args
	l.end = l.begin + r.legSteps(l)
	columns := stride(l.rows)
	list, err := r.take(4 * int64(l.rows))
	if err != nil {
		return l, err
	}
	count, err := r.take(8)
	if err != nil {
		return l, err
	}
	if err := r.device.Fill32(count.Address, 0, 2, r.stream); err != nil {
		return l, err
	}
	if l.vertices, err = r.take(4 * int64(columns) * int64(l.end-l.begin)); err != nil {
		return l, err
	}
	if r.batch.Edges {
		if l.edges, err = r.take(8 * int64(columns) * int64(l.end-l.begin)); err != nil {
			return l, err
		}
	}
	a.B.Alive, a.B.From, a.B.Rows = l.list, 0, uint64(l.rows)
	a.T.Stride, a.T.Alive, a.T.AliveCount = uint64(columns), uint64(list.Address), uint64(count.Address)
	a.T.Vertices = uint64(l.vertices.Address) - 4*uint64(columns)*uint64(r.batch.Roots.Width+l.begin)
	if a.T.Edges = 0; r.batch.Edges {
		a.T.Edges = uint64(l.edges.Address) - 8*uint64(columns)*uint64(l.begin)
	}
	if err := r.legLaunches(l); err != nil {
		return l, err
	}
	if err := r.device.CopyOut(counter.Pointer, count.Address, 8, r.stream); err != nil {
		return l, err
	}
	return l, r.stream.Synchronize()
}

// legLaunches cuts the rows of a leg: a launch takes all its steps, since rows that have stopped are not told apart
// within it.
func (r *run) legLaunches(l leg) error {
	mean := min(float64(l.end-l.begin), max(1, r.work.mean))
	each := max(int(float64(r.launchSteps())/mean), r.launchRows())
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
		steps = mean*math.Log(float64(l.rows)+1) + plan.LegSteps
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

// lay puts the samples one behind the other.
func (r *run) lay(legs []leg, counter cuda.Pinned) (err error) {
	result := r.result
	if result.Offsets, err = r.device.Alloc(8*int64(r.rows+1), r.stream); err != nil {
		return err
	}
	blocks := (r.rows + offsetsBlock - 1) / offsetsBlock
	sums, err := r.take(8 * int64(blocks+1))
	if err != nil {
		return err
	}
	a := kernels.Legs{B: r.args.B, Lengths: r.args.T.Lengths, Offsets: uint64(result.Offsets.Address), Sums: uint64(sums.Address)}
	a.B.Alive, a.B.AliveCount, a.B.From, a.B.Rows = 0, 0, 0, uint64(r.rows)
	if err := first(
		r.legsKernel("legs_sums", blocks*offsetsThreads, &a),
		r.legsKernel("legs_blocks", offsetsThreads, &a),
		r.legsKernel("legs_offsets", r.rows, &a),
	); err != nil {
		return err
	}
	if err := r.device.CopyOut(counter.Pointer, sums.Address+8*uintptr(blocks), 8, r.stream); err != nil {
		return err
	}
	if err := r.stream.Synchronize(); err != nil {
		return err
	}
	result.Total = int(*(*int64)(counter.Pointer))
	if result.Vertices, err = r.device.Alloc(4*int64(result.Total), r.stream); err != nil {
		return err
	}
	if r.batch.Edges {
		if result.Edges, err = r.device.Alloc(8*int64(result.Total), r.stream); err != nil {
			return err
		}
	}
	a.ToVertices, a.ToEdges = uint64(result.Vertices.Address), uint64(result.Edges.Address)
	return r.layLegs(legs, a)
}

// layLegs copies the legs to where they belong: the first one in order, and over what that leaves unfilled the others.
func (r *run) layLegs(legs []leg, a kernels.Legs) error {
	for i, l := range legs {
		a.Vertices, a.Edges, a.Stride = uint64(l.vertices.Address), uint64(l.edges.Address), uint64(stride(l.rows))
		a.Begin, a.End = uint64(l.begin), uint64(l.end)
		name := "legs_first"
		if i > 0 {
			name, a.B.Alive, a.B.Rows = "legs_more", l.list, uint64(l.rows)
		}
		if err := r.legsKernel(name, l.rows, &a); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) legsKernel(name string, n int, a *kernels.Legs) error {
	k := kernel{image: "legs", name: name, block: offsetsThreads}
	if name == "legs_first" {
		k.block = legsThreads
	}
	return r.threads(k, int64(n), unsafe.Pointer(a), unsafe.Sizeof(*a))
}
