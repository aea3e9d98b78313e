package launch

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/engine/gpu/transfer"
	"gonextdoor/gonextdoor/job"
)

// VisitCounts are counters in GPU memory: how often each vertex occurs in samples. The work on them is submitted to one
// stream, that of the engine that made them. They are used by one thread at a time.
type VisitCounts struct {
	Device *cuda.Device
	Memory cuda.Memory // 8 bytes per vertex
	stream cuda.Stream
}

// NewVisitCounts returns counters that are 0. The caller frees them.
func (e Engine) NewVisitCounts(vertices int) (v *VisitCounts, err error) {
	v = &VisitCounts{Device: e.Device}
	err = e.Device.Do(func() (err error) {
		if v.stream, err = e.WorkStream(); err != nil {
			return err
		}
		if v.Memory, err = resident.Alloc(e.Device, 8*int64(vertices), v.stream); err != nil {
			return err
		}
		if err = e.Device.Fill32(v.Memory.Address, 0, 2*int64(vertices), v.stream); err != nil {
			_ = e.Device.Free(v.Memory, v.stream)
		}
		return err
	})
	return v, err
}

// Add adds the vertices of samples on the same GPU. The samples may be freed afterwards.
func (v *VisitCounts) Add(samples *Result) error {
	if err := samples.Settle(); err != nil {
		return err
	}
	c := transfer.Columns{Address: samples.Vertices.Address, Rows: samples.Rows, Width: samples.Width, Stride: samples.Stride, Size: 4}
	if samples.Width == 0 {
		c.Rows, c.Width, c.Stride = samples.Total, 1, samples.Total
	}
	return v.Device.Do(func() error {
		link, err := transfer.Of(v.Device)
		if err == nil {
			err = v.stream.Wait(samples.Ready)
		}
		if err == nil {
			err = link.AddVisits(c, v.Memory.Address, v.stream)
		}
		if err != nil {
			return err
		}
		counted, err := v.Device.NewEvent()
		if err != nil {
			return err
		}
		return First(counted.Record(v.stream), samples.Stream.Wait(counted), counted.Destroy()) // they are freed in their stream
	})
}

// CopyOut adds the counts of the vertices from begin on in others, which other GPUs have, and copies the sums to the host. It
// waits for all counts. Threads and job are those of transfer.Link.Rows. The sums replace the counts of v in this range, so
// ranges of several GPUs must not overlap. If each GPU adds one range, all links are in use at once.
func (v *VisitCounts) CopyOut(others []*VisitCounts, begin int, to []int64, threads int, j *job.Job) error {
	if len(to) == 0 {
		return nil
	}
	return v.Device.Do(func() error {
		theirs := &Scratch{Device: v.Device, Stream: v.stream}
		err := v.sum(theirs, others, begin, len(to))
		if err == nil {
			err = v.copySums(begin, to, threads, j)
		}
		if err != nil {
			for _, other := range others { // they may be writing to the memory
				_ = other.Device.Do(other.stream.Synchronize)
			}
		}
		return First(err, theirs.Free())
	})
}

// sum adds the counts of n vertices in others. It is called within Device.Do.
func (v *VisitCounts) sum(theirs *Scratch, others []*VisitCounts, begin, n int) error {
	if len(others) == 0 {
		return nil
	}
	link, err := transfer.Of(v.Device)
	if err != nil {
		return err
	}
	m, err := theirs.Take(8 * int64(len(others)*n))
	if err != nil {
		return err
	}
	allocated, err := v.Device.NewEvent()
	if err == nil {
		err = allocated.Record(v.stream)
	}
	for i := 0; i < len(others) && err == nil; i++ {
		other, at := others[i], m.Address+uintptr(8*i*n)
		err = joined(v.stream, other.Device, other.stream, allocated, func() error {
			return v.Device.CopyFrom(other.Device, at, other.Memory.Address+uintptr(8*begin), 8*int64(n), other.stream)
		})
		if err == nil {
			err = link.Sum(v.Memory.Address+uintptr(8*begin), at, n, v.stream)
		}
	}
	return First(err, allocated.Destroy())
}

// copySums copies counts to the host. It is called within Device.Do.
func (v *VisitCounts) copySums(begin int, to []int64, threads int, j *job.Job) error {
	link, err := transfer.Of(v.Device)
	if err != nil {
		return err
	}
	ready, err := v.Device.NewEvent()
	if err != nil {
		return err
	}
	c := transfer.Columns{Address: v.Memory.Address + uintptr(8*begin), Rows: len(to), Width: 1, Stride: len(to), Size: 8}
	return First(
		ready.Record(v.stream), link.Rows(c, unsafe.Pointer(unsafe.SliceData(to)), 8, ready, threads, j), ready.Destroy(),
	)
}

// Free frees the counters after the present work of their stream.
func (v *VisitCounts) Free() error {
	return v.Device.Do(func() error { return v.Device.Free(v.Memory, v.stream) })
}
