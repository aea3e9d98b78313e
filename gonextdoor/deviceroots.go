package gonextdoor

import (
	"errors"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/transfer"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// DeviceRoots are roots that another library had on a card: checked, a copy of 32 bits each.
type DeviceRoots struct {
	Device *cuda.Device
	Memory cuda.Memory
	Count  int // of all vertices
}

// NewDeviceRoots checks that all of the integers are vertices of g; the refusal names the first that is none.
func NewDeviceRoots(g *graph.Graph, device int, given transfer.Given, stream uintptr) (*DeviceRoots, error) {
	d, err := cuda.Open(device)
	if err != nil {
		return nil, err
	}
	r := &DeviceRoots{Device: d, Count: given.Rows * given.Width}
	return r, d.Do(func() error {
		l, err := transfer.Of(d)
		if err != nil {
			return err
		}
		given.Stream = d.Foreign(stream)
		r.Memory, err = l.Roots(given, g.NumVertices())
		return err
	})
}

// UploadRoots brings n roots to a card, which fill checks and writes.
func UploadRoots(device, n int, fill func(into []uint32) error) (*DeviceRoots, error) {
	d, err := cuda.Open(device)
	if err != nil {
		return nil, err
	}
	r := &DeviceRoots{Device: d, Count: n}
	return r, d.Do(func() error {
		l, err := transfer.Of(d)
		if err != nil {
			return err
		}
		r.Memory, err = l.Upload(n, fill)
		return err
	})
}

// CopyOut copies the roots to the host.
func (r *DeviceRoots) CopyOut(to unsafe.Pointer) error {
	return r.Device.Do(func() error {
		l, err := transfer.Of(r.Device)
		if err != nil {
			return err
		}
		ready, err := r.Device.NewEvent() // the check has been waited for
		if err != nil {
			return err
		}
		c := transfer.Columns{Address: r.Memory.Address, Rows: r.Count, Width: 1, Stride: r.Count, Size: 4}
		return errors.Join(l.Rows(c, to, 4, ready, 0, nil), ready.Destroy())
	})
}

// Free gives the memory back, behind the samples that began with the roots.
func (r *DeviceRoots) Free() error {
	return r.Device.Do(func() error {
		s, err := streamOf(r.Device)
		if err != nil {
			return err
		}
		return r.Device.Free(r.Memory, *s)
	})
}

// rootsOnHost gives the batch with roots that the host can look at, to be cut into pieces: those that lie on a GPU, or that
// it would draw, are brought.
func (s *Sampler) rootsOnHost(b plan.Batch, j *job.Job) (plan.Batch, error) {
	r := b.Roots
	if r.OnDevice == 0 && !r.Drawn {
		return b, nil
	}
	b.Roots.Vertices, b.Roots.OnDevice, b.Roots.Drawn = make([]uint32, r.Count*r.Width), 0, false
	if r.Drawn {
		return b, graph.FillRoots(s.Graph, b.Roots.Vertices, b.Seed, b.First, r.Repeat, r.Width, j)
	}
	e, ok := s.Engine.(gpu.Engine)
	if !ok {
		return b, refuse.Value("device: roots on a GPU are that GPU's alone")
	}
	lie := DeviceRoots{Device: e.Device, Memory: cuda.Memory{Address: r.OnDevice}, Count: r.Count * r.Width}
	return b, lie.CopyOut(unsafe.Pointer(unsafe.SliceData(b.Roots.Vertices)))
}
