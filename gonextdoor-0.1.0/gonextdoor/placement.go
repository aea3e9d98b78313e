package gonextdoor

import (
	"sync"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
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
