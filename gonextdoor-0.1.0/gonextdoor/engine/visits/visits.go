// Package visits counts how often the vertices of a graph occur in samples, and finds the last vertex of each sample. The
// samples are not kept: they are made and read range by range, or not stored at all on devices that can count during walks.
//
// It is not under internal/ so that programs that build engines themselves can use it.
package visits

import (
	"errors"

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

// Count adds to counts how often each vertex occurs in the batch's samples. It writes the last vertex of each sample to ends,
// or graph.None if the sample has no vertex; ends may be nil.
//
// A device that walks faster in the order of the vertices than in the order of the samples does so (Device.CountVisits).
// Otherwise samples are made in ranges of about plan.VisitsVertices vertices, or plan.VisitsDeviceVertices if they stay on a device.
func (c Counter) Count(b plan.Batch, counts *Counts, ends []uint32, j *job.Job) error {
	b.Edges = false
	// 1. Let the device count during the walks, if that is faster.
	var there engine.DeviceVisits
	device, onDevice := c.Engine.(engine.Device)
	if onDevice {
		var err error
		if there, err = counts.onDevice(device); err != nil {
			return err
		}
		if done, err := device.CountVisits(c.Plan, c.Graph, b, there, ends, j); err != nil || done {
			return err
		}
	}
	// 2. Choose the size of a range.
	rows, width, most := b.Roots.Samples(), max(c.Plan.Width, b.Roots.Width+plan.VisitsSteps), plan.VisitsVertices
	if ends != nil { // last vertices are found on the host
		there = nil
	}
	if there != nil {
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
		if err := c.countRange(b.Slice(lo, hi), there, counts, part, j); err != nil {
			return err
		}
	}
	return nil
}

// countRange makes the samples of a range of rows and reads them, on the device if it has counters and enough memory.
func (c Counter) countRange(b plan.Batch, there engine.DeviceVisits, counts *Counts, ends []uint32, j *job.Job) error {
	if there != nil {
		samples, err := c.Source.OnDevice(b, 4, j)
		if err != nil {
			return err
		}
		if samples != nil {
			return errors.Join(there.Add(samples), samples.Release())
		}
	}
	host := counts.onHost()
	switch {
	case c.Plan.Layered:
		r, err := c.Source.Layers(b, j)
		if err != nil {
			return err
		}
		defer r.Return()
		return view.AddVisits(r.Vertices, r.Offsets, host, ends, b.Threads)
	case c.Plan.Width == 0:
		r, err := c.Source.Ragged(b, j)
		if err != nil {
			return err
		}
		defer r.Return()
		return view.AddVisits(r.Vertices, r.Offsets, host, ends, b.Threads)
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
	return view.AddVisits(r.Vertices, r.Offsets, host, ends, b.Threads)
}
