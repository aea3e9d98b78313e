package launch

import (
	"errors"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/kernels"
)

// Run is one call of the engine. It is used within Device.Do, by one thread at a time. It owns its scratch memory and, until
// it has returned the result, the result's memory.
type Run struct {
	Scratch  // memory that is freed at the end
	Launcher Launcher
	Engine   Engine
	Spec     Spec
	Calls    Callbacks // of the spec, for this run
	Plan     plan.Plan
	Batch    plan.Batch
	Job      *job.Job
	Rows     int // of this run

	Graph    *graph.Graph
	Resident *resident.Resident
	Release  func() // gives up the graph's layouts
	Kernel   Kernel // of the variant that was chosen
	Args     kernels.Walk

	Result    *Result
	Pinned    cuda.Pinned // host memory that the GPU writes
	Gathering bool        // the graph does not fit: rows are copied when samples read them

	KindOf func(label int32) int32 // of labels in the rows by label of parts; nil: there are none
}

// NewRun returns a run of that many rows. It allocates nothing.
func NewRun(e Engine, spec Spec, p plan.Plan, g *graph.Graph, b plan.Batch, rows int, j *job.Job) *Run {
	r := &Run{
		Spec: spec, Scratch: Scratch{Device: e.Device}, Launcher: Launcher{device: e.Device}, Engine: e, Plan: p, Batch: b, Job: j, Rows: rows,
		Graph: g, Resident: resident.Of(g, e.Device), Release: func() {},
		Result: &Result{Device: e.Device, Rows: rows, Width: p.Width, Roots: b.Roots.Width},
	}
	if spec.Calls != nil {
		r.Calls = spec.Calls()
	}
	return r
}

// BeginRun uploads the graph's layouts and the roots of the rows [lo, hi). After an error nothing is held.
func BeginRun(e Engine, spec Spec, p plan.Plan, g *graph.Graph, b plan.Batch, lo, hi int, j *job.Job) (*Run, error) {
	r := NewRun(e, spec, p, g, b, hi-lo, j)
	return r, r.End(prepareRun(r, lo, hi))
}

// Rows makes the samples of the rows [lo, hi) of a batch. See gpu.Engine.Rows.
func Rows(e Engine, spec Spec, p plan.Plan, g *graph.Graph, b plan.Batch, lo, hi int, j *job.Job) (result *Result, err error) {
	err = e.Device.Do(func() error {
		r, err := BeginRun(e, spec, p, g, b, lo, hi, j)
		if err != nil {
			return err
		}
		switch {
		case spec.Samples != nil:
			result, err = spec.Samples(r)
		case p.Width == 0:
			result, err = makeRagged(r)
		default:
			result, err = makeMatrix(r)
		}
		return r.End(err)
	})
	if err == nil && result.later != nil {
		result.deferSettling()
	}
	return result, err
}

// prepareRun uploads everything that the kernels read, and allocates the result if its size is known.
func prepareRun(r *Run, lo, hi int) error {
	// 1. Upload the graph, unless it is there.
	if err := r.ChooseStream(); err != nil {
		return err
	}
	if err := r.ChooseVariant(); err != nil {
		return err
	}
	// 2. Allocate the result and upload the roots, into the result if possible.
	if err := allocateMatrix(r); err != nil {
		return err
	}
	if err := r.UploadRoots(lo, hi); err != nil {
		return err
	}
	// 3. Set the app's parameters.
	if r.Calls.Fill != nil {
		if err := r.Calls.Fill(r, &r.Args); err != nil {
			return err
		}
	}
	if r.Calls.Reserve != nil {
		return r.Calls.Reserve(r, &r.Args)
	}
	return nil
}

// ChooseStream takes the engine's stream.
func (r *Run) ChooseStream() error {
	s, err := r.Engine.WorkStream()
	r.Stream, r.Launcher.stream, r.Result.Stream = s, s, s
	return err
}

// ChooseVariant holds the layouts of the first variant that suits the graph and fits the GPU's memory. If there is none, the
// graph is copied part by part, or row by row.
func (r *Run) ChooseVariant() (err error) {
	if r.Spec.Beyond != nil && Exceeds(r.Engine, r.Spec, r.Graph, r.Batch.Edges) {
		return r.Spec.Beyond.Choose(r)
	}
	variants := r.Spec.Variants
	for i := min(r.Engine.Tuning.Variant, len(variants)-1); i < len(variants); i++ {
		if err = holdVariant(r, variants[i]); err == nil || refuse.KindOf(err) != refuse.KindDevice {
			return err
		}
	}
	switch {
	case r.Spec.Beyond != nil:
		return r.Spec.Beyond.Choose(r)
	case errors.Is(err, resident.ErrRoom) && r.Plan.App != nil: // personalised PageRank has no plan
		return r.Spec.refuseParts(r.Plan, err)
	}
	return err
}

// holdVariant holds the layouts of a variant until r.release is called, and selects its kernel.
func holdVariant(r *Run, v Variant) error {
	want := v.Layout
	if r.Batch.Edges {
		want |= resident.IDs
	}
	if err := resident.Fits(r.Graph, want); err != nil {
		return err
	}
	g, release, err := r.Resident.Hold(want, r.Stream, r.Options())
	if err == nil {
		r.Args.G, r.Release, r.Kernel = g, release, v.Kernel
	}
	return err
}

// HoldTable returns the addresses of the arrays of a table, which stays in GPU memory with the graph. It is held until
// r.release is called.
func (r *Run) HoldTable(t resident.Table, arrays ...resident.HostArray) ([]uint64, error) {
	at, release, err := r.Resident.HoldTable(t, r.Stream, r.Options(), arrays...)
	if err != nil {
		return nil, err
	}
	others := r.Release
	r.Release = func() { release(); others() }
	return at, nil
}

// UploadRoots sets the batch's parameters. It copies only the roots of the rows [lo, hi).
func (r *Run) UploadRoots(lo, hi int) error {
	// 1. Count rows from the first row of the first root.
	roots := r.Batch.Roots
	lo, hi = roots.From+lo, roots.From+hi
	first := lo / roots.Repeat
	r.Args.B = kernels.Batch{
		Rows: uint64(r.Rows), Row: uint64(lo), Repeat: uint64(roots.Repeat), Width: uint64(roots.Width),
		First:  r.Batch.First - uint64(roots.From),
		Stream: uint64(rng.NewStream(r.Batch.Seed, rng.Choices)),
	}
	if (roots.Vertices == nil && roots.OnDevice == 0 && !roots.Drawn) || hi == lo {
		return nil
	}
	end := (hi-1)/roots.Repeat + 1
	r.Args.B.Row -= uint64(first * roots.Repeat)
	r.Args.B.First += uint64(first * roots.Repeat)
	if roots.OnDevice != 0 {
		r.Args.B.Roots = uint64(roots.OnDevice) + uint64(4*first*roots.Width)
		return nil
	}
	// 2. Find memory: one root per row is the first column of the result.
	n := (end - first) * roots.Width
	at := r.Result.Vertices.Address
	if roots.Width != 1 || roots.Repeat != 1 || at == 0 {
		m, err := r.Take(4 * int64(n))
		if err != nil {
			return err
		}
		at = m.Address
	}
	r.Args.B.Roots = uint64(at)
	// 3. Draw the roots there, or copy them.
	if roots.Drawn {
		return drawRoots(r, at, end-first)
	}
	part := roots.Vertices[first*roots.Width:][:n]
	return resident.Upload(r.Device, r.Stream, r.Options(), at, resident.ArrayOf(part))
}

// drawRoots draws random roots on the GPU.
func drawRoots(r *Run, to uintptr, count int) error {
	a := kernels.Draw{
		To: uint64(to), Count: uint64(count), Width: r.Args.B.Width, Stream: uint64(rng.NewStream(r.Batch.Seed, rng.Roots)),
		First: r.Args.B.First, Repeat: r.Args.B.Repeat, Vertices: uint64(r.Graph.NumVertices()),
	}
	return r.Launcher.Threads(Kernel{Name: "roots_draw"}, int64(count)*int64(a.Width), &a)
}

// End frees the memory of the run, unless the run continues: the result has no event yet, or is settled later. After an error
// it also frees the result. It may be called again.
func (r *Run) End(err error) error {
	if err == nil && r.Result.Ready == (cuda.Event{}) {
		return nil
	}
	if err == nil && r.Result.later != nil {
		r.Release()
		r.Release = func() {}
		return nil
	}
	if err = r.FreeScratch(err); err != nil {
		r.Result.later = nil
		_ = r.Result.Discard()
	}
	return err
}

// FreeScratch frees what the run holds except its result. It returns err, or the first error of freeing.
func (r *Run) FreeScratch(err error) error {
	r.Release()
	r.Release = func() {}
	err = First(err, r.Scratch.Free(), r.Launcher.end())
	if r.Pinned.Pointer != nil {
		if err != nil {
			_ = r.Stream.Synchronize() // the GPU must not write there any more
		}
		err = First(err, r.Device.Unpin(r.Pinned))
		r.Pinned = cuda.Pinned{}
	}
	return err
}

// Finished checks the run and marks the present work of the stream as the one that completes the result.
func (r *Run) Finished() (*Result, error) {
	if r.Calls.Check != nil {
		if err := r.Calls.Check(r); err != nil {
			return nil, err
		}
	}
	var err error
	if r.Result.Ready, err = r.Device.NewEvent(); err != nil {
		return nil, err
	}
	return r.Result, r.Result.Ready.Record(r.Stream)
}

// Options returns the threads and the job of the call, for uploads of the graph.
func (r *Run) Options() graph.Options { return graph.Options{Threads: r.Batch.Threads, Job: r.Job} }
