package backend

import (
	"sync"
	"time"
	"unsafe"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

// hosted are samples of a GPU that the CPU has made. They stay in host memory until an array is asked for in GPU memory: a reader
// on the host then waits for no copy. The methods are safe for concurrent use.
type hosted struct {
	device  device
	shape   engine.SamplesShape
	total   int
	seconds float64 // that the CPU took
	upload  func(e launch.Engine) (*gpu.Result, error)

	mu    sync.Mutex // guards the fields below
	parts [engine.PartValues + 1]hostPart
	free  func()   // frees the memory of the parts; nil: they have been copied, or released
	there *samples // in GPU memory; nil: not copied yet
}

var _ engine.DeviceSamples = (*hosted)(nil)

// hostPart is an array in host memory, row by row.
type hostPart struct {
	from              unsafe.Pointer
	rows, width, size int // size: bytes per element
}

// hostPartOf returns the array of a slice with some elements per row.
func hostPartOf[T any](values []T, width int) hostPart {
	var one T
	return hostPart{unsafe.Pointer(unsafe.SliceData(values)), len(values) / max(1, width), width, int(unsafe.Sizeof(one))}
}

// draw lets the CPU make samples of a batch, and copies them to the GPU if they are large.
func (d device) draw(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (engine.DeviceSamples, error) {
	began := time.Now()
	h := &hosted{device: d, shape: engine.SamplesShape{
		Rows: b.Roots.Samples(), Width: p.Width, Roots: b.Roots.Width, Device: d.ID(), Ends: -1, Links: -1, FromHost: true,
	}}
	var err error
	switch {
	case p.Layered:
		err = h.drawLayers(p, g, b, j)
	case p.Width == 0:
		err = h.drawRagged(p, g, b, j)
	default:
		choices := 0
		if b.Edges {
			choices = p.Width - b.Roots.Width
		}
		if h.shape.Rows*(4*p.Width+8*choices) > d.kept { // each range is copied while the next one is made
			s, err := d.made(func(e launch.Engine) (*gpu.Result, error) {
				return e.UploadMatrix(p.Width, b, func(part plan.Batch, out output.Matrix) error { return d.host.Matrix(p, g, part, out, j) })
			})
			if err != nil {
				return nil, err
			}
			s.fromHost = true
			return s, nil
		}
		err = h.drawMatrix(p, g, b, j)
	}
	if err != nil {
		return nil, err
	}
	if h.seconds = time.Since(began).Seconds(); h.bytes() > d.kept {
		if _, err = h.onGPU(); err != nil {
			h.free()
			return nil, err
		}
	}
	return h, nil
}

// drawMatrix makes samples of one width.
func (h *hosted) drawMatrix(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) error {
	all, err := output.LendMatrix(h.shape.Rows, p.Width, b.Roots.Width, b.Edges)
	if err == nil {
		err = h.device.host.Matrix(p, g, b, all, j)
	}
	if err != nil {
		all.Return()
		return err
	}
	h.shape.Stride, h.total, h.free = launch.Stride(h.shape.Rows), h.shape.Rows*p.Width, all.Return
	h.parts[engine.PartVertices] = hostPartOf(all.Vertices, p.Width)
	h.parts[engine.PartEdges] = hostPartOf(all.Edges, p.Width-b.Roots.Width)
	h.upload = func(e launch.Engine) (*gpu.Result, error) {
		return e.UploadMatrix(p.Width, b, func(part plan.Batch, out output.Matrix) error {
			first := part.Roots.From - b.Roots.From
			err := copyRows(all.Vertices[first*p.Width:], out.Vertices, b.Threads)
			if err == nil && b.Edges {
				err = copyRows(all.Edges[first*(p.Width-b.Roots.Width):], out.Edges, b.Threads)
			}
			return err
		})
	}
	return nil
}

// drawRagged makes samples that differ in length.
func (h *hosted) drawRagged(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) error {
	all, err := h.device.host.Ragged(p, g, b, j)
	if err != nil {
		return err
	}
	h.setRagged(all)
	h.free = all.Return
	h.upload = func(e launch.Engine) (*gpu.Result, error) { return e.UploadRagged(b.Roots.Width, b.Threads, all) }
	return nil
}

// setRagged sets the parts of samples that differ in length.
func (h *hosted) setRagged(all output.Ragged) {
	h.total = len(all.Vertices)
	h.parts[engine.PartVertices], h.parts[engine.PartOffsets] = hostPartOf(all.Vertices, 1), hostPartOf(all.Offsets, 1)
	h.parts[engine.PartEdges] = hostPartOf(all.Edges, 1)
}

// drawLayers makes layered samples.
func (h *hosted) drawLayers(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) error {
	all, err := h.device.host.Layers(p, g, b, j)
	if err != nil {
		return err
	}
	h.setRagged(all.Ragged)
	if h.shape.Ends = len(all.Ends); all.LinksFrom != nil {
		h.shape.Links = len(all.Sources)
	}
	h.free = all.Return
	h.parts[engine.PartParents], h.parts[engine.PartEndsFrom] = hostPartOf(all.Parents, 1), hostPartOf(all.EndsFrom, 1)
	h.parts[engine.PartEnds], h.parts[engine.PartLinksFrom] = hostPartOf(all.Ends, 1), hostPartOf(all.LinksFrom, 1)
	h.parts[engine.PartSources], h.parts[engine.PartTargets] = hostPartOf(all.Sources, 1), hostPartOf(all.Targets, 1)
	h.parts[engine.PartLinkEdges], h.parts[engine.PartValues] = hostPartOf(all.LinkEdges, 1), hostPartOf(all.Values, 1)
	h.upload = func(e launch.Engine) (*gpu.Result, error) { return e.UploadLayers(b.Roots.Width, b.Threads, all) }
	return nil
}

// bytes returns the bytes of all parts.
func (h *hosted) bytes() (n int) {
	for _, part := range h.parts {
		n += part.rows * part.width * part.size
	}
	return n
}

// copyRows copies the elements of to from the beginning of from.
func copyRows[T any](from, to []T, threads int) error {
	return parallel.For(nil, threads, len(to), plan.UploadPiece, func(lo, hi int) error {
		copy(to[lo:hi], from[lo:hi])
		return nil
	})
}

// onGPU returns the samples in GPU memory. The first call copies them there and frees those in host memory.
//
// Errors: DeviceError if the GPU's memory is too small, or the GPU fails. The samples then stay in host memory.
func (h *hosted) onGPU() (*samples, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.there != nil {
		return h.there, nil
	}
	s, err := h.device.made(h.upload)
	if err != nil {
		return nil, err
	}
	s.fromHost = true
	h.there = s
	h.free()
	h.free = nil
	return s, nil
}

// gpuSamples returns samples of this backend in GPU memory.
func gpuSamples(all engine.DeviceSamples) (*samples, error) {
	if h, ok := all.(*hosted); ok {
		return h.onGPU()
	}
	return all.(*samples), nil
}

func (h *hosted) Shape() engine.SamplesShape { return h.shape }
func (h *hosted) Settled() bool              { return true }
func (h *hosted) Settle() error              { return nil }
func (h *hosted) Total() int                 { return h.total }

// Seconds returns the time that the CPU took.
func (h *hosted) Seconds() (float64, error) { return h.seconds, nil }

// Address copies the samples to the GPU and returns the address of an array.
func (h *hosted) Address(which engine.Part) (uintptr, error) {
	s, err := h.onGPU()
	if err != nil {
		return 0, err
	}
	return s.Address(which)
}

// Tensor copies the samples to the GPU and returns a tensor of an array.
func (h *hosted) Tensor(which engine.Part, versioned bool, stream int64) (uintptr, error) {
	s, err := h.onGPU()
	if err != nil {
		return 0, err
	}
	return s.Tensor(which, versioned, stream)
}

// CopyOut copies an array from host memory, or from the GPU if it has been copied there.
func (h *hosted) CopyOut(which engine.Part, width int, to unsafe.Pointer, threads int, j *job.Job) error {
	h.mu.Lock()
	if s := h.there; s != nil {
		h.mu.Unlock()
		return s.CopyOut(which, width, to, threads, j)
	}
	defer h.mu.Unlock()
	wide := which == engine.PartInt64
	if wide {
		which = engine.PartVertices
	}
	return h.parts[which].copyOut(min(width, h.parts[which].width), wide, to, threads, j)
}

// copyOut copies the first elements of each row, of which there are some. wide converts vertices to 64 bits.
func (p hostPart) copyOut(width int, wide bool, to unsafe.Pointer, threads int, j *job.Job) error {
	size := p.size
	if wide {
		size = 8
	}
	rows, from := p.rows, p
	if width == p.width { // one row
		width, from.width, rows = width*rows, width*rows, min(1, rows)
	}
	each := max(1, width)
	return parallel.For(j, threads, rows*each, plan.UploadPiece/8, func(lo, hi int) error {
		for lo < hi && width > 0 {
			row, slot := lo/each, lo%each
			n := min(each-slot, hi-lo)
			source, target := unsafe.Add(p.from, (row*from.width+slot)*p.size), unsafe.Add(to, lo*size)
			if wide {
				engine.Widen(unsafe.Slice((*uint32)(source), n), unsafe.Slice((*int64)(target), n))
			} else {
				copy(unsafe.Slice((*byte)(target), n*size), unsafe.Slice((*byte)(source), n*size))
			}
			lo += n
		}
		return nil
	})
}

// Lengths copies the samples to the GPU, which counts their vertices.
func (h *hosted) Lengths(lengths []int64, j *job.Job) error {
	s, err := h.onGPU()
	if err != nil {
		return err
	}
	return s.Lengths(lengths, j)
}

// Filled copies the samples to the GPU, which counts their vertices.
func (h *hosted) Filled(j *job.Job) (int64, error) {
	s, err := h.onGPU()
	if err != nil {
		return 0, err
	}
	return s.Filled(j)
}

// Visits copies the samples to the GPU, which counts their vertices.
func (h *hosted) Visits(counts []int64, j *job.Job) error {
	s, err := h.onGPU()
	if err != nil {
		return err
	}
	return s.Visits(counts, j)
}

// Release frees the samples. Tensors of the GPU's memory stay.
func (h *hosted) Release() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.free != nil {
		h.free()
		h.free = nil
	}
	if h.there != nil {
		return h.there.Release()
	}
	return nil
}
