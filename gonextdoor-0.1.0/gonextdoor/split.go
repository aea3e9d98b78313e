package gonextdoor

import (
	"fmt"
	"math/bits"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

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

// leastOf is leastOf for the plan of the sampler. Later calls return what the first has computed.
func (l *LazySampler) leastOf(p plan.Plan) leastBytes {
	return func(id int) (bytes int64, err error) {
		if bytes = l.bytes.Load(); bytes > 0 {
			return bytes, nil
		}
		if bytes, err = leastOf(p)(id); err == nil {
			l.bytes.Store(bytes)
		}
		return bytes, err
	}
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

// Unsplit returns why the sampler's devices do not share a graph that does not fit one of them, as a clause, or "".
func (l *LazySampler) Unsplit() string {
	p, err := plan.Draft(l.App, l.Graph, l.RootWidth)
	if err != nil {
		return ""
	}
	return l.Devices.unsplit(l.Graph, leastOf(p))
}

// OpenFor opens the devices for mini-batches of h. Several devices share its graphs if they do not fit one. m is bound to h.
func (on Devices) OpenFor(h *graph.Hetero, m *app.NeighborSampling, options graph.Options) ([]engine.Device, error) {
	for _, r := range h.Relations {
		if err := on.settle(r.Graph, leastOfBatches(h, m), options); err != nil {
			return nil, err
		}
	}
	return on.open()
}

// leastOfBatches returns the leastBytes of mini-batches.
func leastOfBatches(h *graph.Hetero, m *app.NeighborSampling) leastBytes {
	return func(id int) (int64, error) { return devices.NeighborBytes(h, m, id) }
}

// devicesOf returns the devices of a placement.
func devicesOf(p engine.Placement) (on Devices) {
	for _, id := range p.Devices {
		on |= 1 << id
	}
	return on
}

// SplitPlan is how a call reads a graph that is split over devices.
type SplitPlan struct {
	Placed
	Made bool   `json:"made"` // the graph is split already; otherwise the call splits it
	Why  string `json:"why"`
	// Remote is how a call reads the rows of other devices: "peers" by reads of their memory, "exchange" not at all: the device
	// that has the vertex makes each step.
	Remote string `json:"remote"`
}

// Values of SplitPlan.Remote.
const (
	RemotePeers    = "peers"
	RemoteExchange = "exchange"
)

// exchanges reports whether the call is expected to exchange walks. The decision is that of engine.Device.KeepTogether, by the
// share of all data without a replica instead of that of the edges.
func (q Question) exchanges(p plan.Plan, on Devices, placed Placed) bool {
	b := plan.Batch{Roots: q.Roots, Order: q.Order}
	all, missing := int64(0), int64(0)
	for _, part := range placed.Parts {
		all += part.Bytes - part.Replicated
	}
	for _, part := range placed.Parts {
		missing = max(missing, all-part.Bytes)
	}
	if q.Order == "" && float64(missing) < plan.ExchangeRemote*float64(all) {
		return false
	}
	return b.Exchanges(bits.OnesCount64(uint64(on))) && devices.Exchanges(p)
}

// split adds how a call reads a split graph. The bytes of a part that is not in device memory yet are its share of the bytes
// of the tables, by edges.
func (x *Explanation) split(g *graph.Graph, s split) {
	if len(s.placement.Devices) == 0 {
		return
	}
	x.Split = &SplitPlan{Placed: Placed{Automatic: true, Parts: partsOf(g, s.placement)}, Made: !s.makes, Why: s.why, Remote: RemotePeers}
	if now, placed := PlacementOf(g); placed && !s.makes {
		x.Split.Placed = now
	}
	bytes := int64(0)
	for _, t := range x.Tables {
		bytes += t.Bytes
	}
	for i, part := range x.Split.Parts {
		if part.Bytes == 0 && g.NumEdges() > 0 {
			x.Split.Parts[i].Bytes = int64(float64(bytes) * float64(part.Edges) / float64(g.NumEdges()))
		}
	}
}
