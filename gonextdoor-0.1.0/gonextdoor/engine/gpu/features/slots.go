package features

import (
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// slots is the memory of the rows of a cache: that of one GPU, or shared with other GPUs. nil is no memory.
type slots struct {
	own    *resident.Reserved
	shared *Shared
	device *cuda.Device
}

// newSlots allocates the slots of a store, or begins to use the shared memory of its options.
func (s *Store) newSlots() (*slots, error) {
	bytes, d := int64(s.options.Slots)*int64(s.rowBytes), s.link.device
	m, _ := s.options.Memory.(*Shared)
	if m == nil {
		own, err := s.reserve(bytes, "the cached rows")
		return &slots{own: own, device: d}, err
	}
	switch {
	case m.number(d) < 0 || bytes != m.bytes:
		return nil, refuse.Value("features: memory of other GPUs or for other slots is shared")
	case s.options.Lookahead:
		return nil, refuse.Value("features: a cache that looks ahead has slots on one GPU")
	}
	m.use()
	return &slots{shared: m, device: d}, nil
}

// At returns the address of the rows on the GPU of the store, or 0.
func (m *slots) At() uintptr {
	switch {
	case m == nil:
		return 0
	case m.shared != nil:
		return m.shared.views[m.shared.number(m.device)].Address
	}
	return m.own.At()
}

// Size returns the memory that the rows take of the GPU.
func (m *slots) Size() int64 {
	switch {
	case m == nil:
		return 0
	case m.shared != nil:
		return m.shared.Bytes(m.device)
	}
	return m.own.Size()
}

// Release frees the memory in the order of a stream. Shared memory is freed by the last of its stores, each of which waits for its
// work before.
func (m *slots) Release(s cuda.Stream) error {
	switch {
	case m == nil:
		return nil
	case m.shared != nil:
		return m.shared.Release()
	}
	return m.own.Release(s)
}

// fillOwned copies rows to the first n slots, as far as they are in the replica or in the part of this GPU. A turn is held.
func (s *Store) fillOwned(n int, row func(i int) uint32, j *job.Job) error {
	most := max(1, plan.FeatureSharedFill/s.rowBytes)
	for _, e := range s.slots.shared.owned(s.link.device, int64(s.rowBytes)) {
		for lo, end := e[0], min(n, e[1]); lo < end; lo += most {
			ids := make([]uint32, min(most, end-lo))
			for i := range ids {
				ids[i] = row(lo + i)
			}
			if err := s.refresh(ids, j); err != nil {
				return err
			}
		}
	}
	return nil
}
