package gpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// column is to how many elements the columns of a result are rounded up: a warp then writes whole sectors.
const column = 32

func stride(rows int) int { return (rows + column - 1) / column * column }

// room takes the memory of a result whose samples have one width.
func (r *run) room() (err error) {
	width, roots := r.plan.Width, r.batch.Roots.Width
	if width == 0 {
		return nil
	}
	r.result.Stride = stride(r.rows)
	if r.result.Vertices, err = resident.Alloc(r.device, 4*int64(r.result.Stride)*int64(width), r.stream); err != nil {
		return err
	}
	if r.batch.Edges {
		if r.result.Edges, err = resident.Alloc(r.device, 8*int64(r.result.Stride)*int64(width-roots), r.stream); err != nil {
			return err
		}
	}
	t := &r.args.T
	t.Vertices, t.Edges, t.Stride = uint64(r.result.Vertices.Address), uint64(r.result.Edges.Address), uint64(r.result.Stride)
	return nil
}

// matrix makes samples of one width.
func (r *run) matrix() (*Result, error) {
	if err := r.steps(0, (r.plan.Width-r.batch.Roots.Width)/r.walkers()); err != nil {
		return nil, err
	}
	r.job.Add(int64(r.rows))
	return r.ready()
}

// walkers gives how many vertices of a sample move at each step.
func (r *run) walkers() int {
	if r.work.side {
		return max(1, r.batch.Roots.Width)
	}
	return 1
}

// steps takes the steps [begin, end) of all rows, in launches of about plan.LaunchSteps. There is one even for no step:
// the roots are slots too.
func (r *run) steps(begin, end int) error {
	rows, most := int(r.args.B.Rows), r.launchSteps()
	if rows == 0 {
		return nil
	}
	perRow := int64(max(1, end-begin)) * int64(r.walkers())
	each := min(rows, max(int(most/perRow), r.launchRows()))
	turn := min(end-begin, plan.LaunchTurn)
	if int64(each)*perRow > 2*most {
		turn = min(turn, max(1, int(most/int64(each))))
	}
	r.watched = each < rows || turn < end-begin
	for lo := 0; lo < rows; lo += each {
		for s := begin; ; s += turn {
			a := r.args
			a.B.From, a.B.Rows = uint64(lo), uint64(min(lo+each, rows))
			a.T.Begin, a.T.End = uint64(s), uint64(min(s+turn, end))
			if err := r.launch(&a); err != nil {
				return err
			}
			if s+turn >= end {
				break
			}
		}
	}
	return nil
}

// launch starts the driver's kernel, once no more than plan.Flights earlier ones are on their way, unless the job was
// stopped.
func (r *run) launch(a *kernels.Walk) error {
	if err := r.job.Err(); err != nil {
		return err
	}
	if len(r.flight) == plan.Flights {
		oldest := r.flight[0]
		r.flight = append(r.flight[:0], r.flight[1:]...)
		if err := first(oldest.Synchronize(), oldest.Destroy()); err != nil {
			return err
		}
	}
	if r.calls.launch != nil {
		if err := r.calls.launch(r, a); err != nil {
			return err
		}
	} else {
		n := int64(a.B.Rows-a.B.From) * int64(max(1, r.work.threads, r.kernel.lanes)) * int64(r.walkers())
		if err := r.threads(r.kernel, n, unsafe.Pointer(a), unsafe.Sizeof(*a)); err != nil {
			return err
		}
	}
	if !r.watched {
		return nil
	}
	done, err := r.device.NewEvent()
	if err != nil {
		return err
	}
	r.flight = append(r.flight, done)
	return done.Record(r.stream)
}

// threads starts a kernel with a thread for each of n things.
func (r *run) threads(k kernel, n int64, argument unsafe.Pointer, size uintptr) error {
	f, err := r.function(k)
	if err != nil || n == 0 {
		return err
	}
	block := k.block
	if block == 0 {
		block = plan.GPUBlock
	}
	blocks := min((n+int64(block)-1)/int64(block), 1<<31-1)
	return f.Launch(cuda.Grid{Blocks: int(blocks), Threads: block}, r.stream, argument, size)
}

// function gives a kernel, which is loaded at its first use.
func (r *run) function(k kernel) (cuda.Function, error) {
	if m := r.device.Loaded(k.image); m != nil {
		return m.Function(k.name)
	}
	text, err := k.text, error(nil)
	if text == nil {
		if text, err = kernels.Image(k.image); err != nil {
			return cuda.Function{}, err
		}
	}
	m, err := r.device.Load(k.image, text)
	if err != nil {
		return cuda.Function{}, err
	}
	return m.Function(k.name)
}

func (r *run) launchSteps() int64 {
	if t := r.engine.Tuning.LaunchSteps; t > 0 {
		return t
	}
	return plan.LaunchSteps / max(1, r.work.slow)
}

func (r *run) launchRows() int {
	if t := r.engine.Tuning.LaunchRows; t > 0 {
		return t
	}
	return plan.LaunchRows
}
