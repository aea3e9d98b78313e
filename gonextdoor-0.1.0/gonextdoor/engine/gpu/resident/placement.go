package resident

import (
	"slices"
	"sync"
	"time"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// Placement says on which GPUs the rows of a graph are: GPU Devices[i] has the rows [Bounds[i], Bounds[i+1]).
type Placement struct {
	Devices []int
	Bounds  []int
}

// placements are the placements of all graphs, by graph.Graph.Origin. Views and reordered copies share that of their origin.
var placements struct {
	lock sync.Mutex
	of   map[*graph.Graph]*placing
}

// placing is the placement of one graph. lock is locked for reading while a thread builds layouts, and for writing while the
// placement changes.
type placing struct {
	lock  sync.RWMutex
	group *group // nil: the graph is not placed
}

// group is the GPUs over which a graph is split.
type group struct {
	Placement
	stores      []*store // of the GPUs, without duplicates
	homes       []int    // of each part: its GPU in stores
	granularity int64
	building    sync.Mutex // locked while a thread builds layouts of the graph, on whichever GPU
}

// placingOf returns the placement of a graph.
func placingOf(g *graph.Graph) *placing {
	placements.lock.Lock()
	defer placements.lock.Unlock()
	origin := g.Origin()
	p := placements.of[origin]
	if p == nil {
		if placements.of == nil {
			placements.of = map[*graph.Graph]*placing{}
		}
		p = &placing{}
		placements.of[origin] = p
		origin.OnClose(func() { forgetPlacement(origin) })
	}
	return p
}

// forgetPlacement removes the placement of a closed graph.
func forgetPlacement(origin *graph.Graph) {
	placements.lock.Lock()
	defer placements.lock.Unlock()
	delete(placements.of, origin)
}

// Place splits a graph over GPUs: from then on, Hold on one of them returns layouts whose memory is on all of them. An empty
// placement undoes it. The memory of the graph's layouts is freed first, on all GPUs. It waits until no layout is being built.
//
// Errors: ValueError for a placement that does not cover the rows of g; DeviceError if a call is using g, or for GPUs that
// cannot read each other.
func Place(g *graph.Graph, p Placement, options graph.Options) error {
	made, err := p.group(g)
	if err != nil {
		return err
	}
	to := placingOf(g)
	for !to.lock.TryLock() {
		if err := options.Job.Err(); err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	defer to.lock.Unlock()
	if err := Drop(g); err != nil {
		return err
	}
	if len(Bytes(g)) != 0 {
		return refuse.Device("the graph cannot be placed while a call on a GPU is using it: wait for the call, or close its sampler or loader")
	}
	to.group = made
	return nil
}

// PlacementOf returns the placement of a graph, and whether it has one.
func PlacementOf(g *graph.Graph) (p Placement, placed bool) {
	if of := current(g); of != nil {
		return of.Placement, true
	}
	return Placement{}, false
}

// current returns the GPUs over which a graph is split, or nil.
func current(g *graph.Graph) *group {
	placements.lock.Lock()
	of := placements.of[g.Origin()]
	placements.lock.Unlock()
	if of == nil {
		return nil
	}
	of.lock.RLock()
	defer of.lock.RUnlock()
	return of.group
}

// group returns the GPUs of a placement, or nil if it is empty. Its errors are those of Place.
func (p Placement) group(g *graph.Graph) (*group, error) {
	n := len(p.Devices)
	if n == 0 && len(p.Bounds) == 0 {
		return nil, nil
	}
	if len(p.Bounds) != n+1 {
		return nil, refuse.Value("placement: %d bounds for %d parts: expected %d", len(p.Bounds), n, n+1)
	}
	if p.Bounds[0] != 0 || p.Bounds[n] != g.NumVertices() || !slices.IsSorted(p.Bounds) {
		return nil, refuse.Value("placement: bounds %v: expected increasing bounds from 0 to %d, the number of vertices", p.Bounds, g.NumVertices())
	}
	if err := cuda.CheckPeers(p.Devices); err != nil {
		return nil, err
	}
	made := &group{Placement: Placement{slices.Clone(p.Devices), slices.Clone(p.Bounds)}}
	for _, id := range p.Devices {
		d, err := cuda.Open(id)
		if err != nil {
			return nil, err
		}
		s := storeOf(d)
		if !slices.Contains(made.stores, s) {
			made.stores = append(made.stores, s)
		}
		made.homes = append(made.homes, slices.Index(made.stores, s))
		bytes, err := d.Granularity()
		if err != nil {
			return nil, err
		}
		made.granularity = max(made.granularity, bytes)
	}
	return made, nil
}

// lock locks the stores of all GPUs, in an order that all groups share.
func (p *group) lock() (unlock func()) {
	ordered := slices.SortedFunc(slices.Values(p.stores), func(a, b *store) int { return a.device.ID - b.device.ID })
	for _, s := range ordered {
		s.lock.Lock()
	}
	return func() {
		for _, s := range ordered {
			s.lock.Unlock()
		}
	}
}

// on returns a GPU's number in the group, or -1.
func (p *group) on(id int) int {
	if p == nil {
		return -1
	}
	return slices.IndexFunc(p.stores, func(s *store) bool { return s.device.ID == id })
}

// lockBuilding locks building of the graph, and of its base graph, and its placement. It returns the GPUs over which layouts of
// the graph are split, or nil if this GPU is none of them. Tables are not split, so they do not wait for other GPUs. It polls,
// so that a stopped job ends the wait.
func (r *Resident) lockBuilding(tables bool, options graph.Options) (over *group, unlock func(), err error) {
	unlock = func() {}
	take := func(try func() bool, release func()) error {
		for !try() {
			if err := options.Job.Err(); err != nil {
				unlock()
				return err
			}
			time.Sleep(time.Millisecond)
		}
		before := unlock
		unlock = func() { release(); before() }
		return nil
	}
	p := placingOf(r.graph)
	if err := take(p.lock.TryRLock, p.lock.RUnlock); err != nil {
		return nil, nil, err
	}
	mutexes := []*sync.Mutex{&r.building}
	if !tables && p.group.on(r.store.device.ID) >= 0 {
		over, mutexes = p.group, []*sync.Mutex{&p.group.building}
	} else if r.base != r {
		mutexes = append(mutexes, &r.base.building)
	}
	for _, m := range mutexes {
		if err := take(m.TryLock, m.Unlock); err != nil {
			return nil, nil, err
		}
	}
	return over, unlock, nil
}
