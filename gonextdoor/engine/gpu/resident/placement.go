package resident

import (
	"slices"
	"sync"

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
	of   map[*graph.Graph]Placement
}

// Place records the placement of a graph, after its layouts have been freed on all GPUs. An empty placement undoes it.
//
// Errors: ValueError for a placement that does not cover the rows of g, and DeviceError if a call is using g.
func Place(g *graph.Graph, p Placement, _ graph.Options) error {
	if err := p.validate(g); err != nil {
		return err
	}
	if err := Drop(g); err != nil {
		return err
	}
	if len(Bytes(g)) != 0 {
		return refuse.Device("the graph cannot be placed while a call on a GPU is using it: wait for the call, or close its sampler or loader")
	}
	placements.lock.Lock()
	defer placements.lock.Unlock()
	origin := g.Origin()
	if len(p.Devices) == 0 {
		delete(placements.of, origin)
		return nil
	}
	if placements.of == nil {
		placements.of = map[*graph.Graph]Placement{}
	}
	if _, placed := placements.of[origin]; !placed {
		origin.OnClose(func() { forgetPlacement(origin) })
	}
	placements.of[origin] = Placement{slices.Clone(p.Devices), slices.Clone(p.Bounds)}
	return nil
}

// PlacementOf returns the placement of a graph, and whether it has one.
func PlacementOf(g *graph.Graph) (p Placement, placed bool) {
	placements.lock.Lock()
	defer placements.lock.Unlock()
	p, placed = placements.of[g.Origin()]
	return p, placed
}

// forgetPlacement removes the placement of a closed graph.
func forgetPlacement(origin *graph.Graph) {
	placements.lock.Lock()
	defer placements.lock.Unlock()
	delete(placements.of, origin)
}

// validate returns a ValueError unless the bounds cut all rows of g in as many parts as there are devices.
func (p Placement) validate(g *graph.Graph) error {
	n := len(p.Devices)
	if n == 0 && len(p.Bounds) == 0 {
		return nil
	}
	if len(p.Bounds) != n+1 {
		return refuse.Value("placement: %d bounds for %d parts: expected %d", len(p.Bounds), n, n+1)
	}
	if p.Bounds[0] != 0 || p.Bounds[n] != g.NumVertices() || !slices.IsSorted(p.Bounds) {
		return refuse.Value("placement: bounds %v: expected increasing bounds from 0 to %d, the number of vertices", p.Bounds, g.NumVertices())
	}
	return nil
}
