package gpu

import (
	"math"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
)

// countInParts is CountVisits for a graph that is copied part by part. It returns false for walks of second order, whose
// samples may have to be made by the host.
func (e Engine) countInParts(
	spec launchSpec, p plan.Plan, g *graph.Graph, b plan.Batch, counts *VisitCounts, ends []uint32, j *job.Job,
) (done bool, err error) {
	if spec.parts.second {
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
		err = e.countRowsInParts(spec, p, g, b, lo, hi, counts, part, j)
		j.Add(int64(hi - lo))
		lo = hi
	}
	return err == nil, err
}

// countRowsInParts is countInParts for the rows [lo, hi).
func (e Engine) countRowsInParts(
	spec launchSpec, p plan.Plan, g *graph.Graph, b plan.Batch, lo, hi int, counts *VisitCounts, ends []uint32, j *job.Job,
) error {
	return e.Device.Do(func() error {
		b.Edges = false
		r := e.newRun(p, g, b, hi-lo, j)
		r.spec = spec
		if spec.calls != nil {
			r.calls = spec.calls()
		}
		r.result.Stride = stride(r.rows)
		return r.freeScratch(r.countVisitsInParts(lo, hi, counts, ends))
	})
}

// countVisitsInParts makes the walks of all rows without a trace. It adds the visits to counts, and copies the last vertices
// to the host.
func (r *run) countVisitsInParts(lo, hi int, counts *VisitCounts, ends []uint32) error {
	for _, prepare := range []func() error{r.chooseStream, r.beginParts, func() error { return r.uploadRoots(lo, hi) }} {
		if err := prepare(); err != nil {
			return err
		}
	}
	if fill := r.calls.fill; fill != nil {
		if err := fill(r, &r.args); err != nil {
			return err
		}
	}
	a, last := r.args, cuda.Memory{}
	a.T.End = uint64(r.mostSteps())
	if counts != nil {
		a.Counts = uint64(counts.memory.Address)
	}
	if ends != nil {
		var err error
		if last, err = r.take(4 * int64(r.rows)); err != nil {
			return err
		}
	}
	if err := r.walkPartsTo(&a, last); err != nil {
		return err
	}
	if ends == nil {
		return r.stream.Synchronize()
	}
	return r.copyEnds(uint64(last.Address), ends)
}

// mostSteps returns the largest number of steps of a sample.
func (r *run) mostSteps() int {
	switch {
	case r.plan.Width > 0:
		return (r.plan.Width - r.batch.Roots.Width) / r.walkers()
	case r.spec.maxSteps > 0:
		return r.spec.maxSteps
	}
	return math.MaxUint32
}
