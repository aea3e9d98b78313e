package gpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// columnMultiple is the multiple to which the length of a result's columns is rounded up: a warp then writes whole sectors.
const columnMultiple = 32

// stride returns the length, in elements, of a column for that many rows.
func stride(rows int) int { return (rows + columnMultiple - 1) / columnMultiple * columnMultiple }

// allocateMatrix allocates the result if samples have one width.
func (r *run) allocateMatrix() (err error) {
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

// matrix makes samples of one width. It returns before they are complete.
func (r *run) matrix() (*Result, error) {
	var err error
	if r.calls.samples != nil {
		err = r.calls.samples(r)
	} else {
		err = r.steps(0, (r.plan.Width-r.batch.Roots.Width)/r.walkers())
	}
	if err != nil {
		return nil, err
	}
	r.job.Add(int64(r.rows))
	return r.finished()
}

// walkers returns how many vertices of a sample move at each step.
func (r *run) walkers() int {
	if r.spec.sideBySide {
		return max(1, r.batch.Roots.Width)
	}
	return 1
}

// steps makes the steps [begin, end) of all rows, in launches of about plan.LaunchSteps steps. There is one launch even
// without a step, since the roots fill slots too.
func (r *run) steps(begin, end int) error {
	rows, launchSteps := int(r.args.B.Rows), r.launchSteps()
	if rows == 0 {
		return nil
	}
	// 1. Choose the rows and steps of a launch.
	perRow := int64(max(1, end-begin)) * int64(r.walkers())
	each := min(rows, max(int(launchSteps/perRow), r.launchRows()))
	stepsEach := min(end-begin, plan.LaunchRowSteps)
	if int64(each)*perRow > 2*launchSteps {
		stepsEach = min(stepsEach, max(1, int(launchSteps/int64(each))))
	}
	r.launcher.limited = each < rows || stepsEach < end-begin
	// 2. Launch all steps of some rows, then those of the next.
	for lo := 0; lo < rows; lo += each {
		for s := begin; ; s += stepsEach {
			a := r.args
			a.B.From, a.B.Rows = uint64(lo), uint64(min(lo+each, rows))
			a.T.Begin, a.T.End = uint64(s), uint64(min(s+stepsEach, end))
			if err := r.launch(&a); err != nil {
				return err
			}
			if s+stepsEach >= end {
				break
			}
		}
	}
	return nil
}

// launch starts the driver's kernel once no more than plan.Flights earlier launches are incomplete.
func (r *run) launch(a *kernels.Walk) error {
	if err := r.launcher.admit(r.job); err != nil {
		return err
	}
	if r.calls.launch != nil {
		if err := r.calls.launch(r, a); err != nil {
			return err
		}
	} else {
		n := int64(a.B.Rows-a.B.From) * int64(max(1, r.kernel.lanes)) * int64(r.walkers())
		if err := r.launcher.threads(r.kernel, n, unsafe.Pointer(a), unsafe.Sizeof(*a)); err != nil {
			return err
		}
	}
	return r.launcher.launched()
}

// launchSteps returns about how many steps a launch makes.
func (r *run) launchSteps() int64 {
	if t := r.engine.Tuning.LaunchSteps; t > 0 {
		return t
	}
	return plan.LaunchSteps / max(1, r.spec.slowdown)
}

// launchRows returns the smallest number of rows of a launch.
func (r *run) launchRows() int {
	if t := r.engine.Tuning.LaunchRows; t > 0 {
		return t
	}
	return plan.LaunchRows
}
