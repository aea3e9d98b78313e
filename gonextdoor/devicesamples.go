package gonextdoor

import (
	"errors"
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/dlpack"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/transfer"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// Part names an array of samples on a card.
type Part int

// The arrays.
const (
	PartVertices Part = iota // of 4 bytes
	PartWide                 // the same with 8, made when they are first asked for
	PartEdges                // of 8
	PartOffsets              // of 8, where samples differ in length
)

// DeviceSamples are samples on a card. They stay there until all who hold them, the maker and each tensor, have let go.
type DeviceSamples struct {
	*gpu.Result
	loan
	link  *transfer.Link
	begun cuda.Event

	widening sync.Mutex
	wide     cuda.Memory
	made     cuda.Event // behind wide
}

// streams are those that samples are made in, one a device.
var streams struct {
	sync.Mutex
	of map[*cuda.Device]*cuda.Stream
}

// keepMore has large blocks of the host kept that results of GPUs were copied to: the link is several times faster than
// the system gives fresh memory.
var keepMore = sync.OnceFunc(func() {
	if left := offheap.Available(); left > 0 {
		offheap.Results.KeepMore(min(plan.DeviceKeep, left/16))
	}
})

// streamOf is called within Do.
func streamOf(d *cuda.Device) (*cuda.Stream, error) {
	streams.Lock()
	defer streams.Unlock()
	if s := streams.of[d]; s != nil {
		return s, nil
	}
	s, err := d.NewStream()
	if err != nil {
		return nil, err
	}
	if streams.of == nil {
		streams.of = map[*cuda.Device]*cuda.Stream{}
	}
	streams.of[d] = &s
	return &s, nil
}

// OnDevice makes the batch's samples on the card and leaves them there, vertices of size bytes. It mostly returns before
// they are made. Where the card has no room for them it gives nil: Matrix and Ragged make them piece by piece.
func (s *Sampler) OnDevice(b plan.Batch, size int, j *job.Job) (held *DeviceSamples, err error) {
	e, ok := s.Engine.(gpu.Engine)
	if !ok {
		return nil, refuse.Value("device: expected one GPU")
	}
	d := e.Device
	if s.bytes(b, size) > float64(d.Total) {
		return nil, nil
	}
	keepMore()
	r := &DeviceSamples{}
	r.device, r.holders, r.free = d, 1, r.give
	err = d.Do(func() (err error) {
		if r.link, err = transfer.Of(d); err != nil {
			return err
		}
		if e.Stream, err = streamOf(d); err != nil {
			return err
		}
		if r.begun, err = d.NewEvent(); err != nil {
			return err
		}
		r.stream = *e.Stream
		return r.begun.Record(*e.Stream)
	})
	if err != nil {
		return nil, err
	}
	p, fault, err := s.begin(b, j)
	if err == nil {
		e.Early = true
		r.Result, err = e.Run(p, s.Graph, b, j)
	}
	if err != nil {
		ended := d.Do(r.begun.Destroy)
		if errors.Is(err, cuda.ErrMemory) {
			return nil, ended
		}
		return nil, errors.Join(s.Graph.Blame(err), ended)
	}
	if err := fault(); err != nil {
		return nil, errors.Join(err, r.Release())
	}
	return r, nil
}

// bytes is what a result of one width takes on the card.
func (s *Sampler) bytes(b plan.Batch, size int) float64 {
	each := 4.0
	if size == 8 {
		each += 8
	}
	if b.Edges {
		each += 8
	}
	rows := float64(b.Roots.Count) * float64(b.Roots.Repeat) // whose product may not fit in an int
	return rows * float64(max(1, s.Plan.Width)) * each
}

// give gives the memory back, behind the work that is in the stream.
func (r *DeviceSamples) give() error {
	return errors.Join(r.Device.Free(r.wide, r.Stream), end(r.made), end(r.begun), r.Result.Free())
}

func end(e cuda.Event) error {
	if e == (cuda.Event{}) {
		return nil
	}
	return e.Destroy()
}

// Seconds waits for the samples and gives the time that the card took for them.
func (r *DeviceSamples) Seconds() (seconds float64, err error) {
	if err := r.Settle(); err != nil {
		return 0, err
	}
	err = r.Device.Do(func() error {
		if err := r.Ready.Synchronize(); err != nil {
			return err
		}
		t, err := r.begun.Elapsed(r.Ready)
		seconds = t.Seconds()
		return err
	})
	return seconds, err
}

// columns describes an array, and gives the event behind which it is complete. It is called within Do.
func (r *DeviceSamples) columns(which Part) (c transfer.Columns, ready cuda.Event, err error) {
	if err := r.Settle(); err != nil {
		return c, ready, err
	}
	c = transfer.Columns{Address: r.Vertices.Address, Rows: r.Rows, Width: r.Width, Stride: r.Stride, Size: 4}
	if r.Width == 0 {
		c.Rows, c.Width, c.Stride = r.Total, 1, r.Total
	}
	ready = r.Ready
	switch which {
	case PartWide:
		c.Size = 8
		c.Address, ready, err = r.widened()
	case PartEdges:
		c.Address, c.Size = r.Result.Edges.Address, 8
		if r.Width > 0 {
			c.Width -= r.Roots
		}
	case PartOffsets:
		c = transfer.Columns{Address: r.Result.Offsets.Address, Rows: r.Rows + 1, Width: 1, Stride: r.Rows + 1, Size: 8}
	}
	return c, ready, err
}

// widened gives the vertices with 64 bits.
func (r *DeviceSamples) widened() (at uintptr, ready cuda.Event, err error) {
	r.widening.Lock()
	defer r.widening.Unlock()
	if r.made != (cuda.Event{}) {
		return r.wide.Address, r.made, nil
	}
	c, _, _ := r.columns(PartVertices)
	if r.wide, err = r.link.Widen(c, r.Stream); err != nil {
		return 0, ready, err
	}
	made, err := r.Device.NewEvent()
	if err != nil {
		return 0, ready, err
	}
	r.made = made
	return r.wide.Address, made, made.Record(r.Stream)
}

// Address waits for an array and gives where it lies, for readers in streams that are not named.
func (r *DeviceSamples) Address(which Part) (at uintptr, err error) {
	err = r.Device.Do(func() error {
		c, ready, err := r.columns(which)
		if err != nil {
			return err
		}
		at = c.Address
		return r.complete(ready)
	})
	return at, err
}

// Tensor gives an array as a DLPack tensor for a stream of another library's, which waits for the samples: 1 is the
// legacy default stream, 2 the thread's own, -1 none. The tensor holds the samples.
func (r *DeviceSamples) Tensor(which Part, versioned bool, stream int64) (at uintptr, err error) {
	err = r.Device.Do(func() error {
		c, ready, err := r.columns(which)
		if err != nil {
			return err
		}
		t := dlpack.Tensor{Address: c.Address, Bits: uint8(8 * c.Size), Shape: []int64{int64(c.Rows)}, Strides: []int64{1}}
		if r.Width > 0 && which != PartOffsets {
			t.Shape, t.Strides = append(t.Shape, int64(c.Width)), append(t.Strides, int64(c.Stride))
		}
		at, err = r.tensor(t, versioned, stream, ready)
		return err
	})
	return at, err
}

// CopyOut copies the first width slots of an array to the host: rows one behind the other.
func (r *DeviceSamples) CopyOut(which Part, width int, to unsafe.Pointer, threads int, j *job.Job) error {
	size := 8
	if which == PartVertices {
		size = 4
	}
	if which == PartWide { // widened on the way
		which = PartVertices
	}
	return r.Device.Do(func() error {
		c, ready, err := r.columns(which)
		if err != nil {
			return err
		}
		c.Width = min(c.Width, width)
		return r.link.Rows(c, to, size, ready, threads, j)
	})
}

// Lengths counts the vertices of each sample.
func (r *DeviceSamples) Lengths(lengths []int64, j *job.Job) error {
	return r.Device.Do(func() error {
		c, ready, err := r.columns(PartVertices)
		if err != nil {
			return err
		}
		return r.link.Lengths(c, lengths, ready, j)
	})
}

// Visits counts how often each vertex stands in the samples.
func (r *DeviceSamples) Visits(counts []int64, j *job.Job) error {
	return r.Device.Do(func() error {
		c, ready, err := r.columns(PartVertices)
		if err != nil {
			return err
		}
		return r.link.Visits(c, counts, ready, j)
	})
}
