package gpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/kernels"
)

// run is one call of the engine. All of it happens within Device.Do.
type run struct {
	engine   Engine
	device   *cuda.Device
	stream   cuda.Stream
	work     work
	plan     plan.Plan
	graph    *graph.Graph
	resident *resident.Resident
	batch    plan.Batch
	job      *job.Job
	rows     int // of this run

	kernel  kernel // of the way that was chosen
	args    kernels.Walk
	release func() // the graph's layouts
	scratch []cuda.Memory
	result  *Result
	pinned  cuda.Pinned  // what the host reads of the card
	watched bool         // there are several launches
	flight  []cuda.Event // launches that may not be done yet, the last ones
}

// begin puts the graph and the roots of the rows [lo, hi) on the card. On an error nothing is left behind.
func (e Engine) begin(w work, p plan.Plan, g *graph.Graph, b plan.Batch, lo, hi int, j *job.Job) (*run, error) {
	r := &run{
		engine: e, device: e.Device, work: w, plan: p, graph: g, resident: resident.Of(g, e.Device), batch: b, job: j, rows: hi - lo,
		release: func() {}, result: &Result{Device: e.Device, Rows: hi - lo, Width: p.Width, Roots: b.Roots.Width},
	}
	return r, r.end(r.prepare(lo, hi))
}

func (r *run) prepare(lo, hi int) (err error) {
	if r.stream, err = r.engine.stream(); err != nil {
		return err
	}
	r.result.Stream = r.stream
	if err := r.way(); err != nil {
		return err
	}
	if err := r.room(); err != nil {
		return err
	}
	if err := r.roots(lo, hi); err != nil {
		return err
	}
	if r.work.fill != nil {
		return r.work.fill(r, &r.args)
	}
	return nil
}

// roots fills the batch's parameters. Only the roots of the rows [lo, hi) are copied.
func (r *run) roots(lo, hi int) error {
	roots := r.batch.Roots
	r.args.B = kernels.Batch{
		Rows: uint64(r.rows), Row: uint64(lo), Repeat: uint64(roots.Repeat), Width: uint64(roots.Width), First: r.batch.First,
		Stream: uint64(rng.NewStream(r.batch.Seed, rng.Choices)),
	}
	if (roots.Vertices == nil && roots.OnDevice == 0 && !roots.Drawn) || hi == lo {
		return nil
	}
	first, end := lo/roots.Repeat, (hi-1)/roots.Repeat+1
	r.args.B.Row -= uint64(first * roots.Repeat)
	r.args.B.First += uint64(first * roots.Repeat)
	if roots.OnDevice != 0 {
		r.args.B.Roots = uint64(roots.OnDevice) + uint64(4*first*roots.Width)
		return nil
	}
	n := (end - first) * roots.Width
	at := r.result.Vertices.Address // the roots are its first column
	if roots.Width != 1 || roots.Repeat != 1 || at == 0 {
		m, err := r.take(4 * int64(n))
		if err != nil {
			return err
		}
		at = m.Address
	}
	r.args.B.Roots = uint64(at)
	if roots.Drawn {
		return r.draw(at, end-first)
	}
	part := roots.Vertices[first*roots.Width:][:n]
	return r.device.CopyIn(at, unsafe.Pointer(unsafe.SliceData(part)), 4*int64(len(part)), r.stream)
}

// draw draws so many roots.
func (r *run) draw(to uintptr, count int) error {
	a := kernels.Draw{
		To: uint64(to), Count: uint64(count), Width: r.args.B.Width, Stream: uint64(rng.NewStream(r.batch.Seed, rng.Roots)),
		First: r.args.B.First, Repeat: r.args.B.Repeat, Vertices: uint64(r.graph.NumVertices()),
	}
	return r.threads(kernel{image: "roots", name: "roots_drawn"}, int64(count)*int64(a.Width), unsafe.Pointer(&a), unsafe.Sizeof(a))
}

// take takes memory until the run's end.
func (r *run) take(bytes int64) (cuda.Memory, error) {
	m, err := resident.Alloc(r.device, bytes, r.stream)
	if err == nil {
		r.scratch = append(r.scratch, m)
	}
	return m, err
}

// end gives back what the run took, and the result too where it failed. It may be called again.
func (r *run) end(err error) error {
	if err == nil && r.result.Ready == (cuda.Event{}) {
		return nil // it goes on
	}
	if err == nil && r.result.later != nil {
		r.release()
		r.release = func() {}
		return nil
	}
	if err = r.give(err); err != nil {
		r.result.later = nil
		_ = r.result.free()
	}
	return err
}

// give gives back what the run took beside its result.
func (r *run) give(err error) error {
	if r.release != nil {
		r.release()
	}
	for _, m := range r.scratch {
		err = first(err, r.device.Free(m, r.stream))
	}
	for _, e := range r.flight {
		err = first(err, e.Destroy())
	}
	if r.pinned.Pointer != nil {
		if err != nil {
			_ = r.stream.Synchronize() // nothing may write there any more
		}
		err = first(err, r.device.Unpin(r.pinned))
	}
	r.scratch, r.flight, r.release, r.pinned = nil, nil, func() {}, cuda.Pinned{}
	return err
}

// ready has the result's event behind all work.
func (r *run) ready() (*Result, error) {
	if r.work.check != nil {
		if err := r.work.check(r); err != nil {
			return nil, err
		}
	}
	var err error
	if r.result.Ready, err = r.device.NewEvent(); err != nil {
		return nil, err
	}
	return r.result, r.result.Ready.Record(r.stream)
}

func (r *run) hands() graph.Options { return graph.Options{Threads: r.batch.Threads, Job: r.job} }

// first gives the first error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
