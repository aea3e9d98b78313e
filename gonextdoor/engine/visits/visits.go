// Package visits counts how often the vertices of a graph occur in samples, and finds the last vertex of each sample. The
// samples are not kept: they are made and read range by range, or not stored at all on devices that can count during walks.
//
// It is not under internal/ so that programs that build engines themselves can use it.
package visits

import (
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/output/view"
	"gonextdoor/gonextdoor/plan"
)

// Source makes samples. gonextdoor.Sampler implements it.
type Source interface {
	Matrix(b plan.Batch, out output.Matrix, j *job.Job) error
	Ragged(b plan.Batch, j *job.Job) (output.Ragged, error)
	Layers(b plan.Batch, j *job.Job) (output.Layers, error)
	// OnDevice returns samples that stay on the device, or nil if its memory is too small.
	OnDevice(b plan.Batch, size int, j *job.Job) (engine.DeviceSamples, error)
}

// Counter counts the visits of one sampler's samples.
type Counter struct {
	Source Source
	Plan   plan.Plan
	Graph  *graph.Graph
	Engine engine.Engine
}

// Count adds to counts, atomically, how often each vertex occurs in the batch's samples. It writes the last vertex of each
// sample to ends, or graph.None if the sample has no vertex. Either slice may be nil.
//
// A device that walks faster in the order of the vertices than in the order of the samples does so (Device.CountVisits).
// Otherwise samples are made in ranges of about plan.VisitsVertices vertices, or plan.VisitsDeviceVertices if they stay on a device.
func (c Counter) Count(b plan.Batch, counts []int64, ends []uint32, j *job.Job) error {
	b.Edges = false
	// 1. Let the device count during the walks, if that is faster.
	device, onDevice := c.Engine.(engine.Device)
	if onDevice {
		if done, err := device.CountVisits(c.Plan, c.Graph, b, counts, ends, j); err != nil || done {
			return err
		}
	}
	// 2. Choose the size of a range.
	rows, width, most := b.Roots.Samples(), max(c.Plan.Width, b.Roots.Width+plan.VisitsSteps), plan.VisitsVertices
	onDevice = onDevice && ends == nil // last vertices are found on the host
	if onDevice {
		most = plan.VisitsDeviceVertices
	}
	each := max(1, most/max(1, width))
	// 3. Make and read the samples, range by range.
	for lo := 0; lo < rows; lo += each {
		hi := min(rows, lo+each)
		var part []uint32
		if ends != nil {
			part = ends[lo:hi]
		}
		if err := c.countRange(b.Slice(lo, hi), onDevice, counts, part, j); err != nil {
			return err
		}
	}
	return nil
}

// countRange makes the samples of a range of rows and reads them.
func (c Counter) countRange(b plan.Batch, onDevice bool, counts []int64, ends []uint32, j *job.Job) error {
	if onDevice {
		if samples, err := c.Source.OnDevice(b, 4, j); err != nil || samples != nil {
			return addDeviceVisits(samples, err, counts, b.Threads, j)
		}
	}
	switch {
	case c.Plan.Layered:
		r, err := c.Source.Layers(b, j)
		if err != nil {
			return err
		}
		defer r.Return()
		return view.AddVisits(r.Vertices, r.Offsets, counts, ends, b.Threads)
	case c.Plan.Width == 0:
		r, err := c.Source.Ragged(b, j)
		if err != nil {
			return err
		}
		defer r.Return()
		return view.AddVisits(r.Vertices, r.Offsets, counts, ends, b.Threads)
	}
	rows, width := b.Roots.Samples(), c.Plan.Width
	r, err := output.LendRagged(rows, rows*width, false)
	if err != nil {
		return err
	}
	defer r.Return()
	if err := c.Source.Matrix(b, output.Matrix{Vertices: r.Vertices, Width: width, Roots: b.Roots.Width}, j); err != nil {
		return err
	}
	for i := range r.Offsets {
		r.Offsets[i] = int64(i * width)
	}
	return view.AddVisits(r.Vertices, r.Offsets, counts, ends, b.Threads)
}

// addDeviceVisits adds the visits of samples on a device to counts and releases the samples.
func addDeviceVisits(samples engine.DeviceSamples, err error, counts []int64, threads int, j *job.Job) error {
	if err != nil {
		return err
	}
	part := make([]int64, len(counts))
	if err = samples.Visits(part, j); err == nil {
		err = view.AddCounts(part, counts, threads)
	}
	if released := samples.Release(); err == nil {
		err = released
	}
	return err
}
