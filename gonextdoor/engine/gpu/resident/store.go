package resident

import (
	"errors"
	"fmt"
	"sync"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// store is all that lies on a device.
type store struct {
	device *cuda.Device
	stream cuda.Stream // in which memory is given back

	lock      sync.Mutex // guards all that follows, and the parts of all residents
	residents map[*graph.Graph]*Resident
	held      int64 // bytes of all parts
	clock     int64 // counts Holds
}

var stores struct {
	lock sync.Mutex
	of   map[*cuda.Device]*store
}

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

// all gives the stores that there are.
func all() (list []*store) {
	stores.lock.Lock()
	defer stores.lock.Unlock()
	for _, s := range stores.of {
		list = append(list, s)
	}
	return list
}

// Bytes gives how much memory a graph and its views take, by the number of the device.
func Bytes(g *graph.Graph) map[int]int64 {
	bytes := map[int]int64{}
	for _, s := range all() {
		s.lock.Lock()
		for other, r := range s.residents {
			if other.Base() != g.Base() {
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

// Drop gives back the memory that a graph and its views take, but for layouts that running work holds, and with it all
// memory that the devices' pools keep unused: other libraries can have it. It waits for the devices.
func Drop(g *graph.Graph) error {
	var failed error
	for _, s := range all() {
		err := s.drop(func(r *Resident, p *part) bool { return r.graph.Base() == g.Base() && p.holds == 0 })
		if err == nil {
			err = s.device.Do(s.device.Trim)
		}
		if failed == nil {
			failed = err
		}
	}
	return failed
}

// MakeRoom gives back layouts that nobody holds, those that were not asked for longest first, until so many bytes are
// free or no such layout is left. It is called within Do, by who was refused memory for something else.
func MakeRoom(d *cuda.Device, bytes int64) error {
	s := storeOf(d)
	s.lock.Lock()
	defer s.lock.Unlock()
	for {
		free, _, err := d.Room()
		if err != nil || free >= bytes {
			return err
		}
		if given, err := s.giveWay(); err != nil || !given {
			return err
		}
	}
}

// Alloc takes memory for something else than graphs, which give way to it.
func Alloc(d *cuda.Device, bytes int64, s cuda.Stream) (cuda.Memory, error) {
	m, err := d.Alloc(bytes, s)
	if !errors.Is(err, cuda.ErrMemory) {
		return m, err
	}
	if err := MakeRoom(d, bytes); err != nil {
		return m, err
	}
	return d.Alloc(bytes, s)
}

// forget ends what a closed graph has on the device.
func (s *store) forget(r *Resident) {
	_ = s.drop(func(other *Resident, _ *part) bool { return other == r }) // a card that is lost has nothing to give back
	s.lock.Lock()
	defer s.lock.Unlock()
	delete(s.residents, r.graph)
}

// drop gives back the parts that are of a kind.
func (s *store) drop(which func(*Resident, *part) bool) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	waited := false
	for _, r := range s.residents {
		for one, p := range r.parts {
			if !which(r, p) {
				continue
			}
			err := s.device.Do(func() error {
				if !waited {
					if err := s.device.Synchronize(); err != nil {
						return err
					}
					waited = true
				}
				return s.give(p)
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

// giveWay gives back the layout that was not asked for longest, among those that nobody holds.
func (s *store) giveWay() (given bool, err error) {
	var oldest *part
	var owner *Resident
	var layout Layout
	for _, r := range s.residents {
		for one, p := range r.parts {
			if p.holds == 0 && p.bytes > 0 && (oldest == nil || p.used < oldest.used) {
				oldest, owner, layout = p, r, one
			}
		}
	}
	if oldest == nil {
		return false, nil
	}
	if err := s.device.Synchronize(); err != nil {
		return false, err
	}
	delete(owner.parts, layout)
	s.held -= oldest.bytes
	return true, s.give(oldest)
}

// give returns a part's memory once the device is idle.
func (s *store) give(p *part) error {
	failed := p.ready.Destroy()
	for _, m := range p.memory {
		if err := s.device.Free(m, s.stream); failed == nil {
			failed = err
		}
	}
	return failed
}

// admit makes room for a layout of so many bytes.
func (s *store) admit(r *Resident, one Layout, bytes int64) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	for {
		free, total, err := s.device.Room()
		if err != nil {
			return err
		}
		limit, reserve := budget(total)
		if free-bytes >= reserve && s.held+bytes <= limit {
			return nil
		}
		given, err := s.giveWay()
		if err != nil {
			return err
		}
		if given {
			continue
		}
		if free >= bytes && s.held+bytes <= limit {
			return nil // results have less room than they should
		}
		return s.full(r, one, bytes, free, limit)
	}
}

func (s *store) full(r *Resident, one Layout, bytes, free, limit int64) error {
	bound := ""
	if s.held+bytes > limit {
		bound = fmt.Sprintf(", of %s that graphs may take (GONEXTDOOR_DEVICE_MEMORY)", cuda.Size(limit))
	}
	return refuse.Device(
		"the graph does not fit on cuda:%d: %s are needed for the layout %v of %d vertices and %d edges, %s are free, graphs in use hold %s%s: release other graphs (graph.release_device()), free what other libraries hold (torch.cuda.empty_cache()), or use device=\"cpu\"",
		s.device.ID, cuda.Size(bytes), one, r.graph.NumVertices(), r.graph.NumEdges(), cuda.Size(free), cuda.Size(s.held), bound)
}
