package sharded

import (
	"errors"
	"unsafe"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

// matrix is samples of one width that several devices make and write to host memory.
type matrix struct {
	devices Engine
	plan    plan.Plan
	graph   *graph.Graph
	batch   plan.Batch
	out     output.Matrix
	job     *job.Job
	each    int // rows that all devices make together before they are copied
}

// rows returns the rows [lo, hi), of which there must be some.
func (m matrix) rows(lo, hi int) matrix {
	width, choices := m.out.Width, m.out.Width-m.out.Roots
	m.batch = m.batch.Slice(lo, hi)
	m.out.Vertices = m.out.Vertices[lo*width : hi*width]
	if m.out.Edges != nil {
		m.out.Edges = m.out.Edges[lo*choices : hi*choices]
	}
	return m
}

// fill makes the rows together as far as possible, and the rest alone.
func (m matrix) fill() error {
	all := m.batch.Roots.Samples()
	made, err := m.together()
	if err != nil || made == all {
		return err
	}
	return m.rows(made, all).alone()
}

// alone lets each device make its rows.
func (m matrix) alone() error {
	return m.devices.each(m.batch, func(i int, part plan.Batch, lo, hi int) error {
		return m.devices[i].Matrix(m.plan, m.graph, part, m.rows(lo, hi).out, m.job)
	})
}

// together lets all devices make the rows by KeepTogether, in ranges. Each range is copied to the host while the next one is
// made. It returns the number of rows that it has made: 0 if the devices are faster alone, and fewer than all if the memory of
// a device is too small for a range.
func (m matrix) together() (made int, err error) {
	all := m.batch.Roots.Samples()
	copied := func() error { return nil } // waits for the copy of the range before
	for made < all {
		part := m.rows(made, min(all, made+m.each))
		if made > 0 {
			part.batch.Order = plan.TransitOrder // as the first range, even if this one is short
		}
		bounds := m.devices.bounds(part.batch.Roots.Samples())
		keep := func() ([]engine.DeviceSamples, bool, error) {
			return m.devices[0].KeepTogether(m.devices, m.plan, m.graph, part.batch, bounds, 4, m.job)
		}
		shards, done, err := keep()
		err = errors.Join(err, copied())
		if shards == nil && done && err == nil && made > 0 { // the range before has left its memory
			shards, done, err = keep()
		}
		if err != nil || !done || shards == nil {
			return made, errors.Join(err, Release(shards))
		}
		copied = part.copyOut(shards, bounds)
		made += part.batch.Roots.Samples()
	}
	return made, copied()
}

// copyOut copies samples of KeepTogether to the host and releases them. It returns at once; wait returns the error.
func (m matrix) copyOut(shards []engine.DeviceSamples, bounds []int) (wait func() error) {
	end := make(chan error, 1)
	go func() {
		end <- parallel.For(nil, len(shards), len(shards), 1, func(i, _ int) error {
			if shards[i] == nil {
				return nil
			}
			out := m.rows(bounds[i], bounds[i+1]).out
			err := shards[i].CopyOut(engine.PartVertices, out.Width, address(out.Vertices), m.batch.Threads, m.job)
			if err == nil && out.Edges != nil {
				err = shards[i].CopyOut(engine.PartEdges, out.Width-out.Roots, address(out.Edges), m.batch.Threads, m.job)
			}
			return errors.Join(err, shards[i].Release())
		})
	}()
	return func() error { return <-end }
}

// address returns the address of the first element.
func address[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }
