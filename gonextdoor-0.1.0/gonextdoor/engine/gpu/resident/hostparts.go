package resident

import (
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/graph"
)

// HostParts copies parts of arrays of a graph from the host to the GPU, in a stream. Arrays are pinned, so that a copy is
// one transfer that does not block the host. Arrays that the system does not permit to be pinned are copied through two
// buffers of pinned memory. It serves one thread and is used within Device.Do. The caller calls End.
type HostParts struct {
	device  *cuda.Device
	stream  cuda.Stream
	options graph.Options
	staged  *uploader // nil: no array has been copied through buffers
}

// NewHostParts returns a HostParts whose copies run in s.
func NewHostParts(d *cuda.Device, s cuda.Stream, options graph.Options) *HostParts {
	return &HostParts{device: d, stream: s, options: options}
}

// Copy copies bytes to GPU memory, which are part of an array that Pin was called for. pinned is the result of Pin. The
// host's memory may not change before the stream has reached the end of the copy.
func (h *HostParts) Copy(to uintptr, from unsafe.Pointer, bytes int64, pinned bool) error {
	if pinned || bytes == 0 {
		return h.device.CopyIn(to, from, bytes, h.stream)
	}
	if h.staged == nil {
		u, err := newUploader(h.device, h.stream, h.options, bytes)
		if err != nil {
			return err
		}
		h.staged = u
	}
	return h.staged.copy(to, from, bytes)
}

// End waits for all copies, also after an error, and releases the buffers.
func (h *HostParts) End() error {
	err := h.stream.Synchronize()
	if h.staged != nil {
		h.staged.end()
	}
	return err
}

// pins are the arrays of one graph that are pinned. They stay pinned until the graph is closed, because pinning an array
// takes longer than copying it.
type pins struct {
	lock   sync.Mutex
	device *cuda.Device
	arrays map[unsafe.Pointer]bool // by address: whether the system permitted it
}

// pinsKey keeps the pins with a graph. Graph.Close frees what was cached last first, so that arrays are released before
// tables that they belong to are freed.
var pinsKey = graph.NewKey(func(p *pins) { p.end() })

// Pin pins an array of g, or of a table that is cached with g, and reports whether it is pinned. Only the first call for an
// array takes time. It is called within d.Do.
func Pin(g *graph.Graph, d *cuda.Device, from unsafe.Pointer, bytes int64) bool {
	if bytes == 0 {
		return false
	}
	p, _ := pinsKey.Get(g, func() (*pins, error) { return &pins{device: d, arrays: map[unsafe.Pointer]bool{}}, nil })
	p.lock.Lock()
	defer p.lock.Unlock()
	pinned, known := p.arrays[from]
	if !known {
		pinned = d.Register(from, bytes) == nil
		p.arrays[from] = pinned
	}
	return pinned
}

// end releases all arrays.
func (p *pins) end() {
	p.lock.Lock()
	defer p.lock.Unlock()
	_ = p.device.Do(func() error { // in a forked child, or if the context is lost, the pins are gone
		for at, pinned := range p.arrays {
			if pinned {
				_ = p.device.Unregister(at)
			}
		}
		return nil
	})
	p.arrays = nil
}
