package backend

import (
	"errors"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
)

// visits are counters of visits in GPU memory.
type visits struct{ *gpu.VisitCounts }

var _ engine.DeviceVisits = visits{}

// NewVisits returns counters of the visits of a number of vertices.
func (d device) NewVisits(vertices int) (engine.DeviceVisits, error) {
	keepHostBlocks()
	v, err := d.NewVisitCounts(vertices)
	if err != nil {
		return nil, err
	}
	return visits{v}, nil
}

// CountVisits is gpu.Engine.CountVisits. Samples that the CPU makes are stored before they are counted.
func (d device) CountVisits(
	p plan.Plan, g *graph.Graph, b plan.Batch, counts engine.DeviceVisits, ends []uint32, j *job.Job,
) (done bool, err error) {
	if d.exceeded(p, b) != nil || d.slower(p, b) {
		return false, nil
	}
	done, err = d.Engine.CountVisits(p, g, b, countersOf(counts), ends, j)
	if d.host != nil && errors.Is(err, resident.ErrRoom) {
		return false, nil
	}
	return done, err
}

// countersOf returns the counters of this backend, or nil.
func countersOf(counts engine.DeviceVisits) *gpu.VisitCounts {
	v, _ := counts.(visits)
	return v.VisitCounts
}

// Add adds the vertices of samples of this backend.
func (v visits) Add(all engine.DeviceSamples) error {
	s, err := gpuSamples(all)
	if err != nil {
		return err
	}
	return v.VisitCounts.Add(s.Result)
}

// CopyOut adds the counts of a range of vertices in others and writes the sums to to.
func (v visits) CopyOut(others []engine.DeviceVisits, begin int, to []int64, threads int, j *job.Job) error {
	theirs := make([]*gpu.VisitCounts, len(others))
	for i, other := range others {
		theirs[i] = countersOf(other)
	}
	return v.VisitCounts.CopyOut(theirs, begin, to, threads, j)
}

// Release frees the memory.
func (v visits) Release() error { return v.Free() }
