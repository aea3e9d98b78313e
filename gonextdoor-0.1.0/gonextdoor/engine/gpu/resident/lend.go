package resident

import (
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/graph"
)

// slots names memory for parts, in errors.
type slots struct{}

func (slots) String() string { return "of parts" }

// Budget returns how many bytes of graphs the GPU may hold beside those that calls are using (limit), and how many bytes
// are free once all others are evicted, less those that should be left to results (free). It evicts nothing. It is called
// within Device.Do.
func Budget(d *cuda.Device) (limit, free int64, err error) {
	if err := CheckBudget(); err != nil {
		return 0, 0, err
	}
	limit, available, reserve, err := unused(d)
	return limit, max(0, available-reserve), err
}

// Room returns how many bytes layouts can take beside those that calls are using, if no memory is left to results. It evicts
// nothing. It is called within Device.Do.
func Room(d *cuda.Device) (int64, error) {
	limit, available, _, err := unused(d)
	return min(limit, available), err
}

// unused returns the bytes of Budget before some are left to results, and how many should be.
func unused(d *cuda.Device) (limit, available, reserve int64, err error) {
	available, total, err := d.FreeMemory()
	if err != nil {
		return 0, 0, 0, err
	}
	limit, reserve = budget(total)
	s := storeOf(d)
	s.lock.Lock()
	defer s.lock.Unlock()
	used := s.held
	for _, r := range s.residents {
		for _, p := range r.parts {
			if p.idle() {
				used -= p.bytes
				available += p.bytes
			}
		}
	}
	return max(0, limit-used), available, reserve, nil
}

// Limit returns how many bytes of graphs a GPU with total bytes may hold.
func Limit(total int64) int64 {
	limit, _ := budget(total)
	return min(limit, total)
}

// Lend allocates memory for parts of the graph, which counts as memory of graphs until release is called. It evicts layouts
// if the budget or the GPU is full. release frees the memory in the order of s. It is called within Device.Do.
func (r *Resident) Lend(bytes int64, s cuda.Stream, options graph.Options) (m cuda.Memory, release func() error, err error) {
	st := r.store
	if err := st.admit(r, slots{}, bytes, &hold{store: st}, options.Job); err != nil {
		return m, nil, err
	}
	if m, err = st.device.Alloc(bytes, s); err != nil {
		return m, nil, err
	}
	st.lock.Lock()
	st.held += bytes
	st.lock.Unlock()
	return m, func() error {
		st.lock.Lock()
		st.held -= bytes
		st.lock.Unlock()
		return st.device.Free(m, s)
	}, nil
}
