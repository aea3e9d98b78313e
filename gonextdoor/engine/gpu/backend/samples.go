package backend

import (
	"errors"
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/dlpack"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/transfer"
	"gonextdoor/gonextdoor/job"
)

// samples are samples in GPU memory, shared by reference counting. The methods are safe for concurrent use.
type samples struct {
	*gpu.Result
	sharedBuffer
	link     *transfer.Link
	begun    cuda.Event // before the first work of the run
	fromHost bool       // the CPU made the samples

	converting sync.Mutex  // guards the fields below
	int64s     cuda.Memory // the vertices as 64-bit integers, once they have been requested
	converted  cuda.Event  // reached when int64s is complete
}

var _ engine.DeviceSamples = (*samples)(nil)

// Gather copies samples in the memory of several GPUs to GPU id.
func (CUDA) Gather(shards []engine.DeviceSamples, id int) (engine.DeviceSamples, error) {
	d, err := cuda.Open(id)
	if err != nil {
		return nil, err
	}
	all := &samples{}
	results := make([]*gpu.Result, len(shards))
	for i, shard := range shards {
		if err := shard.Settle(); err != nil {
			return nil, err
		}
		one, err := gpuSamples(shard)
		if err != nil {
			return nil, err
		}
		results[i], all.fromHost = one.Result, all.fromHost || one.fromHost
	}
	if err := all.begin(d); err != nil {
		return nil, err
	}
	if all.Result, err = launch.Gather(d, all.stream, results); err != nil {
		return nil, errors.Join(err, d.Do(all.begun.Destroy))
	}
	return all, nil
}

// begin makes s the owner of one reference, and marks the beginning of its run in the GPU's stream for results.
func (s *samples) begin(d *cuda.Device) error {
	s.device, s.references, s.free = d, 1, s.freeAll
	return d.Do(func() (err error) {
		if s.link, err = transfer.Of(d); err != nil {
			return err
		}
		stream, err := resultStream(d)
		if err != nil {
			return err
		}
		s.stream = *stream
		if s.begun, err = d.NewEvent(); err != nil {
			return err
		}
		return s.begun.Record(s.stream)
	})
}

// Shape describes the samples.
func (s *samples) Shape() engine.SamplesShape {
	r := s.Result
	shape := engine.SamplesShape{
		Rows: r.Rows, Width: r.Width, Stride: r.Stride, Roots: r.Roots, Device: r.Device.ID, Ends: -1, Links: -1,
		FromHost: s.fromHost,
	}
	if l := r.Layers; l != nil {
		if shape.Ends = l.EndCount; l.Recorded() {
			shape.Links = l.LinkCount
		}
	}
	return shape
}

// Total returns the number of vertices, once Settle has returned nil.
func (s *samples) Total() int {
	if s.Width > 0 {
		return s.Rows * s.Width
	}
	return s.Result.Total
}

// freeAll frees the memory after the work that is in the stream. It is called within Device.Do.
func (s *samples) freeAll() error {
	return errors.Join(s.Device.Free(s.int64s, s.Stream), destroy(s.converted), destroy(s.begun), s.Result.Free())
}

// destroy destroys an event if there is one.
func destroy(e cuda.Event) error {
	if e == (cuda.Event{}) {
		return nil
	}
	return e.Destroy()
}

// Seconds waits for the samples and returns the time between the begin of the run and their completion on the GPU.
func (s *samples) Seconds() (seconds float64, err error) {
	if err := s.Settle(); err != nil {
		return 0, err
	}
	err = s.Device.Do(func() error {
		if err := s.Ready.Synchronize(); err != nil {
			return err
		}
		t, err := s.begun.Elapsed(s.Ready)
		seconds = t.Seconds()
		return err
	})
	return seconds, err
}

// columns describes an array and returns the event after which it is complete. It is called within Device.Do.
func (s *samples) columns(which engine.Part) (c transfer.Columns, ready cuda.Event, err error) {
	if err := s.Settle(); err != nil {
		return c, ready, err
	}
	c = transfer.Columns{Address: s.Vertices.Address, Rows: s.Rows, Width: s.Width, Stride: s.Stride, Size: 4}
	if s.Width == 0 {
		c.Rows, c.Width, c.Stride = s.Result.Total, 1, s.Result.Total
	}
	ready = s.Ready
	switch which {
	case engine.PartInt64:
		c.Size = 8
		c.Address, ready, err = s.asInt64()
	case engine.PartEdges:
		c.Address, c.Size = s.Result.Edges.Address, 8
		if s.Width > 0 {
			c.Width -= s.Roots
		}
	case engine.PartOffsets:
		c = column(s.Result.Offsets, s.Rows+1, 8)
	}
	if which > engine.PartOffsets {
		c = s.layerPart(which)
	}
	return c, ready, err
}

// layerPart describes a part of layered samples.
func (s *samples) layerPart(which engine.Part) transfer.Columns {
	l := s.Layers
	switch which {
	case engine.PartParents:
		return column(l.Parents, s.Result.Total, 4)
	case engine.PartEndsFrom:
		return column(l.EndsFrom, s.Rows+1, 8)
	case engine.PartEnds:
		return column(l.Ends, l.EndCount, 4)
	case engine.PartLinksFrom:
		return column(l.LinksFrom, s.Rows+1, 8)
	case engine.PartSources:
		return column(l.Sources, l.LinkCount, 4)
	case engine.PartTargets:
		return column(l.Targets, l.LinkCount, 4)
	case engine.PartLinkEdges:
		return column(l.LinkEdges, l.LinkCount, 8)
	}
	return column(l.Values, l.LinkCount, 8)
}

// column describes an array of n elements of size bytes.
func column(m cuda.Memory, n, size int) transfer.Columns {
	return transfer.Columns{Address: m.Address, Rows: n, Width: 1, Stride: n, Size: size}
}

// asInt64 returns the vertices as 64-bit integers. It is called within Device.Do.
func (s *samples) asInt64() (at uintptr, ready cuda.Event, err error) {
	s.converting.Lock()
	defer s.converting.Unlock()
	if s.converted != (cuda.Event{}) {
		return s.int64s.Address, s.converted, nil
	}
	c, _, _ := s.columns(engine.PartVertices)
	if s.int64s, err = s.link.ToInt64(c, s.Stream); err != nil {
		return 0, ready, err
	}
	converted, err := s.Device.NewEvent()
	if err != nil {
		return 0, ready, err
	}
	s.converted = converted
	return s.int64s.Address, converted, converted.Record(s.Stream)
}

// Address waits for an array and returns its address, for readers whose stream is unknown.
func (s *samples) Address(which engine.Part) (at uintptr, err error) {
	err = s.Device.Do(func() error {
		c, ready, err := s.columns(which)
		if err != nil {
			return err
		}
		at = c.Address
		return s.complete(ready)
	})
	return at, err
}

// Tensor returns the address of a DLPack tensor that shares an array. See engine.DeviceSamples.
func (s *samples) Tensor(which engine.Part, versioned bool, stream int64) (at uintptr, err error) {
	err = s.Device.Do(func() error {
		c, ready, err := s.columns(which)
		if err != nil {
			return err
		}
		t := dlpack.Tensor{Address: c.Address, Bits: uint8(8 * c.Size), Shape: []int64{int64(c.Rows)}, Strides: []int64{1}}
		if which == engine.PartValues {
			t.Code = dlpack.Float
		}
		if s.Width > 0 && which != engine.PartOffsets {
			t.Shape, t.Strides = append(t.Shape, int64(c.Width)), append(t.Strides, int64(c.Stride))
		}
		at, err = s.tensor(t, versioned, stream, ready)
		return err
	})
	return at, err
}

// CopyOut copies the first width slots of an array to the host, row by row.
func (s *samples) CopyOut(which engine.Part, width int, to unsafe.Pointer, threads int, j *job.Job) error {
	size := 8
	switch which {
	case engine.PartVertices, engine.PartParents, engine.PartEnds, engine.PartSources, engine.PartTargets:
		size = 4
	}
	if which == engine.PartInt64 { // converted on the way
		which = engine.PartVertices
	}
	return s.Device.Do(func() error {
		c, ready, err := s.columns(which)
		if err != nil {
			return err
		}
		c.Width = min(c.Width, width)
		return s.link.Rows(c, to, size, ready, threads, j)
	})
}

// Lengths writes the number of vertices of each sample.
func (s *samples) Lengths(lengths []int64, j *job.Job) error {
	return s.Device.Do(func() error {
		c, ready, err := s.columns(engine.PartVertices)
		if err != nil {
			return err
		}
		return s.link.Lengths(c, lengths, ready, j)
	})
}

// Filled returns the number of vertices of all samples together, without graph.None.
func (s *samples) Filled(j *job.Job) (n int64, err error) {
	err = s.Device.Do(func() error {
		c, ready, err := s.columns(engine.PartVertices)
		if err != nil {
			return err
		}
		n, err = s.link.Filled(c, ready, j)
		return err
	})
	return n, err
}

// Visits writes how often each vertex occurs in the samples.
func (s *samples) Visits(counts []int64, j *job.Job) error {
	return s.Device.Do(func() error {
		c, ready, err := s.columns(engine.PartVertices)
		if err != nil {
			return err
		}
		return s.link.Visits(c, counts, ready, j)
	})
}
