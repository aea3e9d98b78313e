package launch

import (
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// columnMultiple is the multiple to which the length of a result's columns is rounded up: a warp then writes whole sectors.
const columnMultiple = 32

// Stride returns the length, in elements, of a column for that many rows.
func Stride(rows int) int { return (rows + columnMultiple - 1) / columnMultiple * columnMultiple }

// allocateMatrix allocates the result if samples have one width.
func allocateMatrix(r *Run) (err error) {
	width, roots := r.Plan.Width, r.Batch.Roots.Width
	if width == 0 {
		return nil
	}
	r.Result.Stride = Stride(r.Rows)
	if r.Result.Vertices, err = resident.Alloc(r.Device, 4*int64(r.Result.Stride)*int64(width), r.Stream); err != nil {
		return err
	}
	if r.Batch.Edges {
		if r.Result.Edges, err = resident.Alloc(r.Device, 8*int64(r.Result.Stride)*int64(width-roots), r.Stream); err != nil {
			return err
		}
	}
	t := &r.Args.T
	t.Vertices, t.Edges, t.Stride = uint64(r.Result.Vertices.Address), uint64(r.Result.Edges.Address), uint64(r.Result.Stride)
	return nil
}

// makeMatrix makes samples of one width. It returns before they are complete.
func makeMatrix(r *Run) (*Result, error) {
	var err error
	if r.Calls.Samples != nil {
		err = r.Calls.Samples(r)
	} else {
		err = launchRange(r, 0, (r.Plan.Width-r.Batch.Roots.Width)/r.Walkers())
	}
	if err != nil {
		return nil, err
	}
	r.Job.Add(int64(r.Rows))
	return r.Finished()
}

// Walkers returns how many vertices of a sample move at each step.
func (r *Run) Walkers() int {
	if r.Spec.SideBySide {
		return max(1, r.Batch.Roots.Width)
	}
	return 1
}

// launchRange makes the steps [begin, end) of all rows, in launches of about plan.LaunchSteps steps. There is one launch even
// without a step, since the roots fill slots too.
func launchRange(r *Run, begin, end int) error {
	rows, launchSteps := int(r.Args.B.Rows), r.LaunchSteps()
	if rows == 0 {
		return nil
	}
	// 1. Choose the rows and steps of a launch.
	perRow := int64(max(1, end-begin)) * int64(r.Walkers())
	each := min(rows, max(int(launchSteps/perRow), r.LaunchRows()))
	stepsEach := min(end-begin, plan.LaunchRowSteps)
	if int64(each)*perRow > 2*launchSteps {
		stepsEach = min(stepsEach, max(1, int(launchSteps/int64(each))))
	}
	r.Launcher.Limited = each < rows || stepsEach < end-begin
	// 2. Launch all steps of some rows, then those of the next.
	for lo := 0; lo < rows; lo += each {
		for s := begin; ; s += stepsEach {
			a := r.Args
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
func (r *Run) launch(a *kernels.Walk) error {
	if err := r.Launcher.Admit(r.Job); err != nil {
		return err
	}
	if r.Calls.Launch != nil {
		if err := r.Calls.Launch(r, a); err != nil {
			return err
		}
	} else {
		n := int64(a.B.Rows-a.B.From) * int64(max(1, r.Kernel.Lanes)) * int64(r.Walkers())
		if err := r.Launcher.Threads(r.Kernel, n, a); err != nil {
			return err
		}
	}
	return r.Launcher.Launched()
}

// LaunchSteps returns about how many steps a launch makes.
func (r *Run) LaunchSteps() int64 {
	if t := r.Engine.Tuning.LaunchSteps; t > 0 {
		return t
	}
	return plan.LaunchSteps / max(1, r.Spec.Slowdown)
}

// LaunchRows returns the smallest number of rows of a launch.
func (r *Run) LaunchRows() int {
	if t := r.Engine.Tuning.LaunchRows; t > 0 {
		return t
	}
	return plan.LaunchRows
}
