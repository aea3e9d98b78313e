package resident

import (
	"errors"
	"fmt"
	"sync"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/graph"
)

// store is everything that graphs have on one device.
type store struct {
	device *cuda.Device
	stream cuda.Stream // the default stream, in which evicted memory is freed

	lock      sync.Mutex // guards the fields below and the parts of all residents
	residents map[*graph.Graph]*Resident
	held      int64 // bytes of all parts
	replicas  int64 // those of replicas
	clock     int64 // number of Holds, for the order of eviction
}

// stores are the stores of all devices. A store stays as long as the process.
var stores struct {
	lock sync.Mutex
	of   map[*cuda.Device]*store
}

// storeOf returns the device's store and creates it at the first call.
func storeOf(d *cuda.Device) *store {
	stores.lock.Lock()
	defer stores.lock.Unlock()
	s := stores.of[d]
	if s == nil {
		if stores.of == nil {
			stores.of = map[*cuda.Device]*store{}
		}
		s = &store{device: d, residents: map[*graph.Graph]*Resident{}}
		stores.of[d] = s
	}
	return s
}

// allStores returns the stores of the devices that have been used.
func allStores() (list []*store) {
	stores.lock.Lock()
	defer stores.lock.Unlock()
	for _, s := range stores.of {
		list = append(list, s)
	}
	return list
}

// Bytes returns how many bytes of GPU memory a graph, its views and its reordered copies take, by device number. Devices without any are left
// out.
func Bytes(g *graph.Graph) map[int]int64 {
	bytes := map[int]int64{}
	for _, s := range allStores() {
		s.lock.Lock()
		for other, r := range s.residents {
			if other.Origin() != g.Origin() {
				continue
			}
			for _, p := range r.parts {
				bytes[s.device.ID] += p.bytes
			}
		}
		s.lock.Unlock()
		if bytes[s.device.ID] == 0 {
			delete(bytes, s.device.ID)
		}
	}
	return bytes
}

// Drop frees the layouts of a graph, its views and its reordered copies on all devices, except those that calls are using. It also returns the
// unused memory of the devices' pools to the system, so that other libraries can allocate it. It waits for the devices.
func Drop(g *graph.Graph) error {
	var failed error
	for _, s := range allStores() {
		err := s.drop(false, func(r *Resident, _ fmt.Stringer) bool { return r.graph.Origin() == g.Origin() })
		if err == nil {
			err = s.device.Do(s.device.Trim)
		}
		if failed == nil {
			failed = err
		}
	}
	return failed
}

// Evict frees layouts that no call is using, the least recently used first, until that many bytes are free or no such
// layout is left. It waits for the device if it frees any. It is called within Device.Do.
func Evict(d *cuda.Device, bytes int64) error {
	s := storeOf(d)
	s.lock.Lock()
	defer s.lock.Unlock()
	for {
		free, _, err := d.FreeMemory()
		if err != nil || free >= bytes {
			return err
		}
		if evicted, err := s.evictOldest(bytes - free); err != nil || !evicted {
			return err
		}
	}
}

// Alloc is cuda.Device.Alloc for memory other than graphs, such as results. If the GPU is full, it evicts layouts and tries
// again.
func Alloc(d *cuda.Device, bytes int64, s cuda.Stream) (cuda.Memory, error) {
	m, err := d.Alloc(bytes, s)
	if !errors.Is(err, cuda.ErrMemory) {
		return m, err
	}
	if err := Evict(d, bytes); err != nil {
		return m, err
	}
	return d.Alloc(bytes, s)
}

// forget frees all layouts of a closed graph, and removes its entry.
func (s *store) forget(r *Resident) {
	_ = s.drop(true, func(other *Resident, _ fmt.Stringer) bool { return other == r }) // if the GPU's context is lost, so is its memory
	s.lock.Lock()
	defer s.lock.Unlock()
	delete(s.residents, r.graph)
}

// drop frees the parts that match, on all GPUs if they are split; those that calls are using only if force is true. It waits
// for the devices once.
func (s *store) drop(force bool, match func(*Resident, fmt.Stringer) bool) error {
	splits, err := s.dropWhole(force, match)
	for _, one := range splits {
		_, failed := one.remove(force)
		err = errors.Join(err, failed)
	}
	return err
}

// dropWhole is drop for parts that are not split. It returns the others.
func (s *store) dropWhole(force bool, match func(*Resident, fmt.Stringer) bool) (splits []*split, err error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	waited := false
	for _, r := range s.residents {
		for one, p := range r.parts {
			if !match(r, one) || !force && !p.idle() {
				continue
			}
			if p.split != nil {
				splits = append(splits, p.split)
				continue
			}
			err := s.device.Do(func() error {
				if !waited {
					if err := s.device.Synchronize(); err != nil {
						return err
					}
					waited = true
				}
				return s.freePart(p)
			})
			delete(r.parts, one)
			s.held -= p.bytes
			if err != nil {
				return splits, err
			}
		}
	}
	return splits, nil
}

// evictOldest frees the least recently used layout that no call is using, or up to that many bytes of its replicas if it has
// any. It returns false if there is none. The lock is held, and is released meanwhile if the layout is split. It waits for the
// whole device, because work of any stream may still read a layout that is no longer held.
func (s *store) evictOldest(bytes int64) (evicted bool, err error) {
	var oldest *part
	var owner *Resident
	var id fmt.Stringer
	for _, r := range s.residents {
		for one, p := range r.parts {
			if p.idle() && p.bytes > 0 && (oldest == nil || p.used < oldest.used) {
				oldest, owner, id = p, r, one
			}
		}
	}
	switch {
	case oldest == nil:
		return false, nil
	case oldest.split != nil && oldest.replicas > 0:
		return true, s.thin(oldest, bytes)
	case oldest.split != nil:
		s.lock.Unlock() // remove locks the stores of all GPUs
		defer s.lock.Lock()
		_, err := oldest.split.remove(false)
		return err == nil, err
	}
	if err := s.device.Synchronize(); err != nil {
		return false, err
	}
	delete(owner.parts, id)
	s.held -= oldest.bytes
	return true, s.freePart(oldest)
}

// freePart frees a part's memory. The device must be idle.
func (s *store) freePart(p *part) error {
	failed := p.ready.Destroy()
	for _, m := range p.memory {
		if err := s.device.Free(m, s.stream); failed == nil {
			failed = err
		}
	}
	return failed
}
