package gonextdoor

import (
	"fmt"
	"sync"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// PlacedPart is the part of a graph that one device has.
type PlacedPart struct {
	Device     string `json:"device"`
	First      int    `json:"first"` // its rows are First to End-1
	End        int    `json:"end"`
	Edges      int64  `json:"edges"`
	Bytes      int64  `json:"bytes"`            // of device memory, replicas included
	Replicated int64  `json:"replicated_bytes"` // of which are copies of data that another device has too
}

// Placed is how the rows of a graph are split over devices.
type Placed struct {
	Automatic bool         `json:"automatic"` // a call split the graph, because it does not fit one device
	Parts     []PlacedPart `json:"parts"`     // in the order of the rows
}

// placing is locked while a placement is made. automatic is the set of graphs, by origin, that a call has split.
var (
	placing   sync.Mutex
	automatic sync.Map
)

// Place splits the rows of a graph over devices: device ids[i] gets the rows [bounds[i], bounds[i+1]), or parts with equal
// numbers of edges if bounds is nil. With fewer than two devices it undoes the split.
//
// Errors: ValueError for invalid bounds; DeviceError if a call is using the graph, or a device cannot read the memory of
// another.
func Place(g *graph.Graph, ids, bounds []int, options graph.Options) error {
	placing.Lock()
	defer placing.Unlock()
	if len(ids) < 2 {
		return place(g, engine.Placement{}, false, options)
	}
	if bounds == nil {
		bounds = g.RowRanges(len(ids))
	}
	if err := checkBounds(bounds, len(ids), g.NumVertices()); err != nil {
		return err
	}
	return place(g, engine.Placement{Devices: ids, Bounds: bounds}, false, options)
}

// checkBounds returns an error unless the bounds cut rows into parts.
func checkBounds(bounds []int, parts, rows int) error {
	if len(bounds) != parts+1 {
		return refuse.Value("bounds has %d elements: expected %d, the first row of each of %d parts and the number of vertices", len(bounds), parts+1, parts)
	}
	if bounds[0] != 0 {
		return refuse.Value("bounds[0] = %d: expected 0, the first row", bounds[0])
	}
	for i := 1; i < len(bounds); i++ {
		if bounds[i] < bounds[i-1] {
			return refuse.Value("bounds[%d] = %d: expected at least bounds[%d] = %d", i, bounds[i], i-1, bounds[i-1])
		}
	}
	if bounds[parts] != rows {
		return refuse.Value("bounds[%d] = %d: expected %d, the number of vertices", parts, bounds[parts], rows)
	}
	return nil
}

// place makes a placement, or undoes it, and records whether a call asked for it. The lock is held.
func place(g *graph.Graph, p engine.Placement, byCall bool, options graph.Options) error {
	if _, placed := devices.Placement(g); len(p.Devices) == 0 && !placed {
		return nil
	}
	if err := devices.PlaceGraph(g, p, options); err != nil {
		return err
	}
	origin := g.Origin()
	if !byCall || len(p.Devices) == 0 {
		automatic.Delete(origin)
	} else if _, known := automatic.Swap(origin, true); !known {
		origin.OnClose(func() { automatic.Delete(origin) })
	}
	return nil
}

// PlacementOf returns how a graph is split over devices, and whether it is.
func PlacementOf(g *graph.Graph) (p Placed, placed bool) {
	of, placed := devices.Placement(g)
	if !placed {
		return p, false
	}
	_, p.Automatic = automatic.Load(g.Origin())
	bytes, replicated := devices.GraphBytes(g), devices.ReplicatedBytes(g)
	p.Parts = partsOf(g, of)
	for i, id := range of.Devices {
		p.Parts[i].Bytes, p.Parts[i].Replicated = bytes[id], replicated[id]
	}
	return p, true
}

// partsOf returns the parts of a placement without their bytes.
func partsOf(g *graph.Graph, p engine.Placement) []PlacedPart {
	parts := make([]PlacedPart, len(p.Devices))
	for i, id := range p.Devices {
		first, end := p.Bounds[i], p.Bounds[i+1]
		parts[i] = PlacedPart{Device: deviceName(id), First: first, End: end, Edges: int64(g.Indptr[end] - g.Indptr[first])}
	}
	return parts
}

// split is what a call on devices does about the placement of a graph.
type split struct {
	placement engine.Placement // that the graph has when the call reads it; without devices: each device has all of it
	makes     bool             // the call makes the placement
	undoes    bool             // the call undoes the placement that an earlier call made
	why       string           // the reason, a clause
	refusal   error            // why a graph that does not fit one device is not split
}

// leastBytes returns the bytes of a graph that a device reads for a call, at least.
type leastBytes func(id int) (int64, error)

// leastOf returns the leastBytes of calls of a plan.
func leastOf(p plan.Plan) leastBytes {
	return func(id int) (int64, error) { return devices.LeastBytes(p, id, false) }
}

// splitFor decides what a call on devices does about the placement of a graph. It changes nothing.
//
// Errors: DeviceError if graph.place split the graph over devices that do not include those of the call.
func (on Devices) splitFor(g *graph.Graph, least leastBytes) (s split, err error) {
	p, placed := devices.Placement(g)
	if placed {
		_, byCall := automatic.Load(g.Origin())
		switch missing := on &^ devicesOf(p); {
		case missing == 0 && byCall:
			return split{placement: p, why: "an earlier call split the graph, which did not fit one GPU"}, nil
		case missing == 0:
			return split{placement: p, why: "graph.place split the graph"}, nil
		case !byCall:
			return s, refuse.Device(
				"device = %v: the graph is placed on %v: use GPUs among them, or call graph.place with other GPUs or None", on, devicesOf(p))
		}
		s.undoes = true
	}
	if !on.Several() {
		return s, nil
	}
	ids := on.ids()
	m, err := memoryFor(ids, least)
	if err != nil || m.fits() {
		return s, err
	}
	s.why = m.String()
	switch refusal := devices.PeerAccess(ids); {
	case refusal != nil:
		s.refusal = refusal
	case m.needed > m.total:
		s.refusal = refuse.Device("all %d GPUs together have %d bytes for graphs", len(ids), m.total)
	default:
		s.placement, s.makes = engine.Placement{Devices: ids, Bounds: g.RowRanges(len(ids))}, true
	}
	return s, nil
}

// graphMemory compares the bytes of a graph that a call needs with those that graphs can take on its devices.
type graphMemory struct {
	needed   int64
	total    int64 // of all devices
	smallest int   // the device with the fewest
	fewest   int64
}

// memoryFor returns the graphMemory of a call.
func memoryFor(ids []int, least leastBytes) (m graphMemory, err error) {
	if m.needed, err = least(ids[0]); err != nil {
		return m, err
	}
	for i, id := range ids {
		bytes, err := devices.GraphMemory(id, m.needed)
		if err != nil {
			return m, err
		}
		if m.total += bytes; i == 0 || bytes < m.fewest {
			m.smallest, m.fewest = id, bytes
		}
	}
	return m, nil
}

// fits reports whether each device can have all of the graph.
func (m graphMemory) fits() bool { return m.needed <= m.fewest }

// String returns the comparison as a clause.
func (m graphMemory) String() string {
	return fmt.Sprintf("the call reads %d bytes of the graph, and %s has %d for graphs", m.needed, deviceName(m.smallest), m.fewest)
}

// settle gives a graph the placement that a call on devices needs, see splitFor.
func (on Devices) settle(g *graph.Graph, least leastBytes, options graph.Options) error {
	s, err := on.splitFor(g, least)
	if err != nil || !s.makes && !s.undoes {
		return err
	}
	placing.Lock()
	defer placing.Unlock()
	s, err = on.splitFor(g, least) // another call may have placed the graph
	if err != nil || !s.makes && !s.undoes {
		return err
	}
	return place(g, s.placement, true, options)
}

// unsplit returns why a graph that does not fit one device is not split, as a clause, or "".
func (on Devices) unsplit(g *graph.Graph, least leastBytes) string {
	s, err := on.splitFor(g, least)
	if err != nil || s.refusal == nil {
		return ""
	}
	return fmt.Sprintf("the graph is not split over %v, because %v", on, s.refusal)
}

// devicesOf returns the devices of a placement.
func devicesOf(p engine.Placement) (on Devices) {
	for _, id := range p.Devices {
		on |= 1 << id
	}
	return on
}
