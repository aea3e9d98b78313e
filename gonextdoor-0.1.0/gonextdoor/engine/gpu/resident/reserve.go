package resident

import (
	"errors"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/refuse"
)

// ErrNoRoom is wrapped by the errors of Reserve.
var ErrNoRoom = errors.New("the cache does not fit")

// Reserved is GPU memory that counts as memory of graphs, but belongs to no graph and is never evicted. nil is no memory.
type Reserved struct {
	cuda.Memory
	store *store
}

// Reserve allocates memory that counts as memory of graphs until it is released. It evicts layouts if the budget or the GPU is
// full. what names it in errors. It is called within Device.Do.
//
// Errors: DeviceError that wraps ErrNoRoom if it exceeds what the budget or the GPU leaves.
func Reserve(d *cuda.Device, bytes int64, what string, s cuda.Stream) (*Reserved, error) {
	if err := CheckBudget(); err != nil {
		return nil, err
	}
	st := storeOf(d)
	if err := st.reserve(bytes, what); err != nil {
		return nil, err
	}
	m, err := d.Alloc(bytes, s)
	if err != nil {
		return nil, err
	}
	st.lock.Lock()
	defer st.lock.Unlock()
	st.held += bytes
	return &Reserved{m, st}, nil
}

// reserve evicts layouts until there is room.
func (s *store) reserve(bytes int64, what string) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.evictFor(bytes, func(_, free, limit int64) error {
		bound := ""
		if s.held+bytes > limit {
			bound = ", of " + cuda.Size(limit) + " that graphs and caches may take (GONEXTDOOR_DEVICE_MEMORY)"
		}
		return refuse.Device("%w on cuda:%d: %s are needed for %s, %s are free, graphs and caches hold %s%s: cache fewer rows, release graphs (graph.release_device()), or free what other libraries hold (torch.cuda.empty_cache())",
			ErrNoRoom, s.device.ID, cuda.Size(bytes), what, cuda.Size(free), cuda.Size(s.held), bound)
	})
}

// Size returns the bytes of the memory.
func (r *Reserved) Size() int64 {
	if r == nil {
		return 0
	}
	return r.Bytes
}

// At returns the address of the memory, or 0.
func (r *Reserved) At() uintptr {
	if r == nil {
		return 0
	}
	return r.Address
}

// Release frees the memory in the order of a stream. It is called within Device.Do.
func (r *Reserved) Release(s cuda.Stream) error {
	if r == nil {
		return nil
	}
	r.store.lock.Lock()
	r.store.held -= r.Bytes
	r.store.lock.Unlock()
	return r.store.device.Free(r.Memory, s)
}

// Spare returns how many bytes Reserve can allocate without evicting a layout, with memory to spare for results. It is called
// within Device.Do.
func Spare(d *cuda.Device) (int64, error) {
	if err := CheckBudget(); err != nil {
		return 0, err
	}
	free, total, err := d.FreeMemory()
	if err != nil {
		return 0, err
	}
	limit, reserve := budget(total)
	s := storeOf(d)
	s.lock.Lock()
	defer s.lock.Unlock()
	return max(0, min(free-reserve, limit-s.held)), nil
}

// ReservedChunk is physical memory for a cuda.Span that counts as memory of graphs. nil is no memory.
type ReservedChunk struct {
	cuda.Chunk
	store *store
}

// ReserveChunk is Reserve of a chunk, whose bytes are a multiple of the granularity. It returns nil for 0 bytes.
func ReserveChunk(d *cuda.Device, bytes int64, what string) (*ReservedChunk, error) {
	if bytes == 0 {
		return nil, nil
	}
	if err := CheckBudget(); err != nil {
		return nil, err
	}
	st := storeOf(d)
	if err := st.reserve(bytes, what); err != nil {
		return nil, err
	}
	c, err := d.NewChunk(bytes)
	if err != nil {
		return nil, err
	}
	st.lock.Lock()
	defer st.lock.Unlock()
	st.held += bytes
	return &ReservedChunk{c, st}, nil
}

// Release frees the chunk once no span maps it.
func (c *ReservedChunk) Release() error {
	if c == nil {
		return nil
	}
	c.store.lock.Lock()
	c.store.held -= c.Bytes
	c.store.lock.Unlock()
	return c.Chunk.Release()
}
