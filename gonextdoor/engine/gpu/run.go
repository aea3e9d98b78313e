package gpu

import (
	"errors"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/kernels"
)

// run is one call of the engine. It is used within Device.Do, by one thread at a time. It owns its scratch memory and, until
// it has returned the result, the result's memory.
type run struct {
	scratch  // memory that is freed at the end
	launcher launcher
	engine   Engine
	spec     launchSpec
	calls    callbacks // of the spec, for this run
	plan     plan.Plan
	batch    plan.Batch
	job      *job.Job
	rows     int // of this run

	graph    *graph.Graph
	resident *resident.Resident
	release  func() // gives up the graph's layouts
	kernel   kernel // of the variant that was chosen
	args     kernels.Walk

	result    *Result
	pinned    cuda.Pinned // host memory that the GPU writes
	gathering bool        // the graph does not fit: rows are copied when samples read them
	degrees   uint64      // the graph does not fit: the address of the degrees of all vertices, if walks read them

	kindOf func(label int32) int32 // of labels in the rows by label of parts; nil: there are none
}

// newRun returns a run of that many rows. It allocates nothing.
func (e Engine) newRun(p plan.Plan, g *graph.Graph, b plan.Batch, rows int, j *job.Job) *run {
	return &run{
		scratch: scratch{device: e.Device}, launcher: launcher{device: e.Device}, engine: e, plan: p, batch: b, job: j, rows: rows,
		graph: g, resident: resident.Of(g, e.Device), release: func() {},
		result: &Result{Device: e.Device, Rows: rows, Width: p.Width, Roots: b.Roots.Width},
	}
}

// begin uploads the graph's layouts and the roots of the rows [lo, hi). After an error nothing is held.
func (e Engine) begin(spec launchSpec, p plan.Plan, g *graph.Graph, b plan.Batch, lo, hi int, j *job.Job) (*run, error) {
	r := e.newRun(p, g, b, hi-lo, j)
	r.spec = spec
	if spec.calls != nil {
		r.calls = spec.calls()
	}
	return r, r.end(r.prepare(lo, hi))
}

// prepare uploads everything that the kernels read, and allocates the result if its size is known.
func (r *run) prepare(lo, hi int) error {
	// 1. Upload the graph, unless it is there.
	if err := r.chooseStream(); err != nil {
		return err
	}
	if err := r.chooseVariant(); err != nil {
		return err
	}
	// 2. Allocate the result and upload the roots, into the result if possible.
	if err := r.allocateMatrix(); err != nil {
		return err
	}
	if err := r.uploadRoots(lo, hi); err != nil {
		return err
	}
	// 3. Set the app's parameters.
	if r.calls.fill != nil {
		if err := r.calls.fill(r, &r.args); err != nil {
			return err
		}
	}
	if r.calls.reserve != nil {
		return r.calls.reserve(r, &r.args)
	}
	return nil
}

// chooseStream takes the engine's stream.
func (r *run) chooseStream() error {
	s, err := r.engine.stream()
	r.stream, r.launcher.stream, r.result.Stream = s, s, s
	return err
}

// chooseVariant holds the layouts of the first variant that suits the graph and fits the GPU's memory. If there is none, the
// graph is copied part by part, or row by row.
func (r *run) chooseVariant() (err error) {
	if r.engine.inParts(r.spec, r.graph, r.batch.Edges) {
		return r.chooseParts()
	}
	if r.engine.gathers(r.spec, r.graph, r.batch.Edges) {
		return r.chooseGathered()
	}
	variants := r.spec.variants
	for i := min(r.engine.Tuning.Variant, len(variants)-1); i < len(variants); i++ {
		if err = r.hold(variants[i]); err == nil || refuse.KindOf(err) != refuse.KindDevice {
			return err
		}
	}
	switch {
	case r.spec.parts != nil:
		return r.chooseParts()
	case r.spec.gathered != nil:
		return r.chooseGathered()
	case errors.Is(err, resident.ErrRoom) && r.plan.App != nil: // personalised PageRank has no plan
		return r.spec.refuseParts(r.plan, err)
	}
	return err
}

// hold holds the layouts of a variant until r.release is called, and selects its kernel.
func (r *run) hold(v variant) error {
	want := v.layout
	if r.batch.Edges {
		want |= resident.IDs
	}
	if err := resident.Fits(r.graph, want); err != nil {
		return err
	}
	g, release, err := r.resident.Hold(want, r.stream, r.options())
	if err == nil {
		r.args.G, r.release, r.kernel = g, release, v.kernel
	}
	return err
}

// holdTable returns the addresses of the arrays of a table, which stays in GPU memory with the graph. It is held until
// r.release is called.
func (r *run) holdTable(t resident.Table, arrays ...resident.HostArray) ([]uint64, error) {
	at, release, err := r.resident.HoldTable(t, r.stream, r.options(), arrays...)
	if err != nil {
		return nil, err
	}
	others := r.release
	r.release = func() { release(); others() }
	return at, nil
}

// uploadRoots sets the batch's parameters. It copies only the roots of the rows [lo, hi).
func (r *run) uploadRoots(lo, hi int) error {
	// 1. Count rows from the first row of the first root.
	roots := r.batch.Roots
	lo, hi = roots.From+lo, roots.From+hi
	first := lo / roots.Repeat
	r.args.B = kernels.Batch{
		Rows: uint64(r.rows), Row: uint64(lo), Repeat: uint64(roots.Repeat), Width: uint64(roots.Width),
		First:  r.batch.First - uint64(roots.From),
		Stream: uint64(rng.NewStream(r.batch.Seed, rng.Choices)),
	}
	if (roots.Vertices == nil && roots.OnDevice == 0 && !roots.Drawn) || hi == lo {
		return nil
	}
	end := (hi-1)/roots.Repeat + 1
	r.args.B.Row -= uint64(first * roots.Repeat)
	r.args.B.First += uint64(first * roots.Repeat)
	if roots.OnDevice != 0 {
		r.args.B.Roots = uint64(roots.OnDevice) + uint64(4*first*roots.Width)
		return nil
	}
	// 2. Find memory: one root per row is the first column of the result.
	n := (end - first) * roots.Width
	at := r.result.Vertices.Address
	if roots.Width != 1 || roots.Repeat != 1 || at == 0 {
		m, err := r.take(4 * int64(n))
		if err != nil {
			return err
		}
		at = m.Address
	}
	r.args.B.Roots = uint64(at)
	// 3. Draw the roots there, or copy them.
	if roots.Drawn {
		return r.drawRoots(at, end-first)
	}
	part := roots.Vertices[first*roots.Width:][:n]
	return resident.Upload(r.device, r.stream, r.options(), at, resident.ArrayOf(part))
}

// drawRoots draws random roots on the GPU.
func (r *run) drawRoots(to uintptr, count int) error {
	a := kernels.Draw{
		To: uint64(to), Count: uint64(count), Width: r.args.B.Width, Stream: uint64(rng.NewStream(r.batch.Seed, rng.Roots)),
		First: r.args.B.First, Repeat: r.args.B.Repeat, Vertices: uint64(r.graph.NumVertices()),
	}
	return r.launcher.threads(kernel{image: "roots", name: "roots_draw"}, int64(count)*int64(a.Width), unsafe.Pointer(&a), unsafe.Sizeof(a))
}

// end frees the memory of the run, unless the run continues: the result has no event yet, or is settled later. After an error
// it also frees the result. It may be called again.
func (r *run) end(err error) error {
	if err == nil && r.result.Ready == (cuda.Event{}) {
		return nil
	}
	if err == nil && r.result.later != nil {
		r.release()
		r.release = func() {}
		return nil
	}
	if err = r.freeScratch(err); err != nil {
		r.result.later = nil
		_ = r.result.free()
	}
	return err
}

// freeScratch frees what the run holds except its result. It returns err, or the first error of freeing.
func (r *run) freeScratch(err error) error {
	r.release()
	r.release = func() {}
	err = first(err, r.scratch.free(), r.launcher.end())
	if r.pinned.Pointer != nil {
		if err != nil {
			_ = r.stream.Synchronize() // the GPU must not write there any more
		}
		err = first(err, r.device.Unpin(r.pinned))
		r.pinned = cuda.Pinned{}
	}
	return err
}

// finished checks the run and marks the present work of the stream as the one that completes the result.
func (r *run) finished() (*Result, error) {
	if r.calls.check != nil {
		if err := r.calls.check(r); err != nil {
			return nil, err
		}
	}
	var err error
	if r.result.Ready, err = r.device.NewEvent(); err != nil {
		return nil, err
	}
	return r.result, r.result.Ready.Record(r.stream)
}

// options returns the threads and the job of the call, for uploads of the graph.
func (r *run) options() graph.Options { return graph.Options{Threads: r.batch.Threads, Job: r.job} }

// first returns the first error that is not nil.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
