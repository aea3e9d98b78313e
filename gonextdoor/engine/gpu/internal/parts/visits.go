package parts

import (
	"math"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
)

// CountVisits is CountVisits for a graph that is copied part by part. It returns false for walks of second order, whose
// samples may have to be made by the host.
func CountVisits(e launch.Engine,
	spec launch.Spec, p plan.Plan, g *graph.Graph, b plan.Batch, counts *launch.VisitCounts, ends []uint32, j *job.Job,
) (done bool, err error) {
	if spec.Beyond.(*Spec).second {
		return false, nil
	}
	rows := b.Roots.Samples()
	most := e.Tuning.PartitionedRows
	if most == 0 {
		err = e.Device.Do(func() error {
			_, free, err := resident.Budget(e.Device)
			most = int(min(free/4/plan.PartVisitBytes, math.MaxUint32))
			return err
		})
	}
	for lo := 0; lo < rows && err == nil; {
		hi := min(rows, lo+max(1, most))
		part := ends
		if ends != nil {
			part = ends[lo:hi]
		}
		err = countRowsInParts(e, spec, p, g, b, lo, hi, counts, part, j)
		j.Add(int64(hi - lo))
		lo = hi
	}
	return err == nil, err
}

// countRowsInParts is CountVisits for the rows [lo, hi).
func countRowsInParts(e launch.Engine,
	spec launch.Spec, p plan.Plan, g *graph.Graph, b plan.Batch, lo, hi int, counts *launch.VisitCounts, ends []uint32, j *job.Job,
) error {
	return e.Device.Do(func() error {
		b.Edges = false
		r := launch.NewRun(e, spec, p, g, b, hi-lo, j)
		r.Result.Stride = launch.Stride(r.Rows)
		return r.FreeScratch(countVisitsInParts(r, lo, hi, counts, ends))
	})
}

// countVisitsInParts makes the walks of all rows without a trace. It adds the visits to counts, and copies the last vertices
// to the host.
func countVisitsInParts(r *launch.Run, lo, hi int, counts *launch.VisitCounts, ends []uint32) error {
	prepare := []func() error{
		r.ChooseStream, func() error { return beginParts(r) }, func() error { return r.UploadRoots(lo, hi) },
	}
	for _, f := range prepare {
		if err := f(); err != nil {
			return err
		}
	}
	if fill := r.Calls.Fill; fill != nil {
		if err := fill(r, &r.Args); err != nil {
			return err
		}
	}
	a, last := r.Args, cuda.Memory{}
	a.T.End = uint64(mostSteps(r))
	if counts != nil {
		a.Counts = uint64(counts.Memory.Address)
	}
	if ends != nil {
		var err error
		if last, err = r.Take(4 * int64(r.Rows)); err != nil {
			return err
		}
	}
	if err := walkPartsTo(r, &a, last); err != nil {
		return err
	}
	if ends == nil {
		return r.Stream.Synchronize()
	}
	return launch.CopyEnds(r, uint64(last.Address), ends)
}

// mostSteps returns the largest number of steps of a sample.
func mostSteps(r *launch.Run) int {
	switch {
	case r.Plan.Width > 0:
		return (r.Plan.Width - r.Batch.Roots.Width) / r.Walkers()
	case r.Spec.MaxSteps > 0:
		return r.Spec.MaxSteps
	}
	return math.MaxUint32
}
