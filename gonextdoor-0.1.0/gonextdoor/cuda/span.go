package cuda

import (
	"errors"

	"gonextdoor/gonextdoor/refuse"
)

// Chunk is physical memory of one GPU. It has no address until a Span maps it. The zero value is no memory.
type Chunk struct {
	handle uint64
	Bytes  int64
}

// Span is a range of virtual addresses, at which chunks of one or several GPUs are mapped. Arrays in it are contiguous for
// kernels. The zero value is no addresses.
type Span struct {
	Address uintptr
	Bytes   int64
}

// Granularity returns the number of bytes of which all sizes and positions of chunks and spans are multiples.
func (d *Device) Granularity() (int64, error) {
	bytes, err := granularity(d.ID)
	return bytes, fault("asking for the granularity of GPU memory", err)
}

// NewChunk allocates physical memory with arbitrary content. The caller releases it. If the GPU is full, NewChunk waits for
// it, releases unused memory of the pool and tries once more. It is called within Do.
//
// Errors: DeviceError that wraps ErrMemory and names the bytes needed and free.
func (d *Device) NewChunk(bytes int64) (Chunk, error) {
	h, err := makeChunk(d.ID, bytes)
	if errors.Is(err, codeOutOfMemory) {
		if err = d.Trim(); err == nil {
			h, err = makeChunk(d.ID, bytes)
		}
	}
	if errors.Is(err, codeOutOfMemory) {
		return Chunk{}, d.outOfMemory(bytes)
	}
	return Chunk{h, bytes}, fault("taking GPU memory", err)
}

// Release frees a chunk once no span maps it. Release of Chunk{} does nothing. It need not be called within Do.
func (c Chunk) Release() error {
	if c.Bytes == 0 {
		return nil
	}
	return fault("freeing GPU memory", releaseChunk(c.handle))
}

// NewSpan reserves addresses at which nothing is mapped yet. The caller frees them. It need not be called within Do.
func NewSpan(bytes int64) (Span, error) {
	at, err := reserveSpan(bytes)
	return Span{at, bytes}, fault("reserving addresses of GPUs", err)
}

// Map maps a chunk at the position `at` of the span. Nothing may be mapped there before. Allow must be called before the memory
// is used. It need not be called within Do.
func (s Span) Map(at int64, c Chunk) error {
	return fault("mapping GPU memory", mapChunk(s.Address+uintptr(at), c.Bytes, c.handle))
}

// Allow permits d to read and write a part of the span, which consists of whole chunks. It need not be called within Do.
func (s Span) Allow(d *Device, at, bytes int64) error {
	return fault("opening GPU memory to a GPU", allowSpan(s.Address+uintptr(at), bytes, d.ID))
}

// Unmap removes whole chunks from a part of the span. No work may be using it. It need not be called within Do.
func (s Span) Unmap(at, bytes int64) error {
	return fault("unmapping GPU memory", unmapSpan(s.Address+uintptr(at), bytes))
}

// Free returns the addresses of a span at which nothing is mapped. Free of Span{} does nothing. It need not be called within
// Do.
func (s Span) Free() error {
	if s.Address == 0 {
		return nil
	}
	return fault("returning addresses of GPUs", freeSpan(s.Address, s.Bytes))
}

// CheckPeers returns nil if one span can have memory of all GPUs of ids, and kernels of each can read, write and atomically
// change all of it. It need not be called within Do.
//
// Errors: DeviceError that names the GPU, or the pair of GPUs, and what to do.
func CheckPeers(ids []int) error {
	for _, id := range ids {
		if _, err := Open(id); err != nil {
			return err
		}
		spans, err := supportsSpans(id)
		if err != nil {
			return fault("asking the GPU what it is", err)
		}
		if !spans {
			return refuse.Device("cuda:%d does not support virtual memory management, which a graph split over GPUs needs: place the graph on one GPU, or use device=\"cpu\"", id)
		}
	}
	for _, id := range ids {
		for _, other := range ids {
			if other == id {
				continue
			}
			reads, err := canAccess(id, other)
			if err != nil {
				return fault("asking whether a GPU can read another", err)
			}
			if !reads {
				return refuse.Device("cuda:%d cannot use the memory of cuda:%d as its own: a graph is split over GPUs that NVLink connects (nvidia-smi topo -p2p n shows them): place it on such GPUs or on one, or use device=\"cpu\"", id, other)
			}
		}
	}
	return nil
}
