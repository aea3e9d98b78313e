package resident

import (
	"errors"
	"fmt"
	"sync"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// store is everything that graphs have on one device.
type store struct {
	device *cuda.Device
	stream cuda.Stream // the default stream, in which evicted memory is freed

	lock      sync.Mutex // guards the fields below and the parts of all residents
	residents map[*graph.Graph]*Resident
	held      int64 // bytes of all parts
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
		err := s.drop(func(r *Resident, _ fmt.Stringer, p *part) bool { return r.graph.Origin() == g.Origin() && p.holds == 0 })
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
		if evicted, err := s.evictOldest(); err != nil || !evicted {
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
	_ = s.drop(func(other *Resident, _ fmt.Stringer, _ *part) bool { return other == r }) // if the GPU's context is lost, so is its memory
	s.lock.Lock()
	defer s.lock.Unlock()
	delete(s.residents, r.graph)
}

// drop frees the parts that match. It waits for the device once.
func (s *store) drop(match func(*Resident, fmt.Stringer, *part) bool) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	waited := false
	for _, r := range s.residents {
		for one, p := range r.parts {
			if !match(r, one, p) {
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
				return err
			}
		}
	}
	return nil
}

// evictOldest frees the least recently used layout that no call is using. It returns false if there is none. The lock is
// held. It waits for the whole device, because work of any stream may still read a layout that is no longer held.
func (s *store) evictOldest() (evicted bool, err error) {
	var oldest *part
	var owner *Resident
	var id fmt.Stringer
	for _, r := range s.residents {
		for one, p := range r.parts {
			if p.holds == 0 && p.bytes > 0 && (oldest == nil || p.used < oldest.used) {
				oldest, owner, id = p, r, one
			}
		}
	}
	if oldest == nil {
		return false, nil
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

// admit evicts layouts until the budget permits a layout of that many bytes, with memory to spare for results if possible.
// It allocates nothing.
func (s *store) admit(r *Resident, one fmt.Stringer, bytes int64) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	for {
		free, total, err := s.device.FreeMemory()
		if err != nil {
			return err
		}
		limit, reserve := budget(total)
		if free-bytes >= reserve && s.held+bytes <= limit {
			return nil
		}
		evicted, err := s.evictOldest()
		if err != nil {
			return err
		}
		if evicted {
			continue
		}
		if free >= bytes && s.held+bytes <= limit {
			return nil // the layout fits, but less than the reserve is left for results
		}
		return s.outOfMemory(r, one, bytes, free, limit)
	}
}

// ErrRoom is wrapped by the errors of graphs for which a device has too little memory.
var ErrRoom = errors.New("the graph does not fit")

// outOfMemory is the error of admit.
func (s *store) outOfMemory(r *Resident, one fmt.Stringer, bytes, free, limit int64) error {
	bound := ""
	if s.held+bytes > limit {
		bound = fmt.Sprintf(", of %s that graphs may take (GONEXTDOOR_DEVICE_MEMORY)", cuda.Size(limit))
	}
	return refuse.Device(
		"%w on cuda:%d: %s are needed for %s %v of %d vertices and %d edges, %s are free, graphs in use hold %s%s: release other graphs (graph.release_device()), free what other libraries hold (torch.cuda.empty_cache()), or use device=\"cpu\"",
		ErrRoom, s.device.ID, cuda.Size(bytes), kindOf(one), one, r.graph.NumVertices(), r.graph.NumEdges(), cuda.Size(free), cuda.Size(s.held), bound)
}

// kindOf returns what to call a part in an error message.
func kindOf(id fmt.Stringer) string {
	if _, ok := id.(Table); ok {
		return "the table of"
	}
	return "the layout"
}
