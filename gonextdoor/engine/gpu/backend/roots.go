package backend

import (
	"errors"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/gpu/transfer"
)

// roots are validated 32-bit roots in GPU memory.
type roots struct {
	device *cuda.Device
	memory cuda.Memory
	count  int // vertices
}

var _ engine.DeviceRoots = (*roots)(nil)

// CheckRoots validates integers that another library has in GPU memory, and copies them.
func (d device) CheckRoots(a engine.DeviceArray, vertices int) (engine.DeviceRoots, error) {
	r := &roots{device: d.Device, count: a.Rows * a.Width}
	return r, d.Device.Do(func() error {
		l, err := transfer.Of(d.Device)
		if err != nil {
			return err
		}
		r.memory, err = l.Roots(a, d.Device.ForeignStream(a.Stream), vertices)
		return err
	})
}

// UploadRoots copies n roots to the GPU. fill validates and writes those from number first on, some at a time, in order.
func (d device) UploadRoots(n int, fill func(first int, into []uint32) error) (engine.DeviceRoots, error) {
	r := &roots{device: d.Device, count: n}
	return r, d.Device.Do(func() error {
		l, err := transfer.Of(d.Device)
		if err != nil {
			return err
		}
		r.memory, err = l.Upload(n, fill)
		return err
	})
}

// Count returns the number of vertices.
func (r *roots) Count() int { return r.count }

// Address returns the address of the first vertex.
func (r *roots) Address() uintptr { return r.memory.Address }

// CopyOut copies the roots to the host.
func (r *roots) CopyOut(to unsafe.Pointer) error {
	return r.device.Do(func() error {
		l, err := transfer.Of(r.device)
		if err != nil {
			return err
		}
		ready, err := r.device.NewEvent() // the roots are complete already
		if err != nil {
			return err
		}
		c := transfer.Columns{Address: r.memory.Address, Rows: r.count, Width: 1, Stride: r.count, Size: 4}
		return errors.Join(l.Rows(c, to, 4, ready, 0, nil), ready.Destroy())
	})
}

// Free frees the memory after the samples that began from the roots.
func (r *roots) Free() error {
	return r.device.Do(func() error {
		s, err := resultStream(r.device)
		if err != nil {
			return err
		}
		return r.device.Free(r.memory, *s)
	})
}
