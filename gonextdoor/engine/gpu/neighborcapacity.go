package gpu

import (
	"math/bits"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// rooms says how much memory a draw has for what it finds.
type rooms struct {
	edges   int64
	offsets int64
	nodes   int64 // of one list
	records int64 // of the table, a power of two
	words   int64 // of the arena; 0: unknown
}

// shape tells draws apart that need about as much.
type shape struct {
	app            *app.MiniBatch
	batches, seeds int // seeds in bits
}

// faults are those of NeighborhoodFault in kernels/driver/neighborhood.cuh.
const (
	faultNone = iota
	faultSeeds
	faultEdges
	faultOffsets
	faultTable
	faultNodes
)

// placeLimit is Place of kernels/driver/nodes.cuh.
const placeLimit = 1 << 31

func (d *draw) shape() shape {
	all := 0
	for _, b := range d.batches {
		all += b.Seeds.Count()
	}
	return shape{d.app, len(d.batches), bits.Len(uint(all))}
}

// atLeast gives rooms that hold the seeds, which the card does not look for.
func (d *draw) atLeast(r rooms) rooms {
	all := 0
	for _, b := range d.batches {
		all += b.Seeds.Count()
		for _, vertices := range b.Seeds.Vertices {
			r.nodes = max(r.nodes, int64(len(vertices)))
		}
	}
	r.records = max(r.records, records(int64(all)))
	return r
}

// remembered gives what the last draw of the shape needed with some more, or a guess.
func (n *NeighborSampler) remembered(d *draw) rooms {
	n.lock.Lock()
	defer n.lock.Unlock()
	if r, ok := n.rooms[d.shape()]; ok {
		return r
	}
	return d.guess()
}

// remember keeps what a draw needed.
func (n *NeighborSampler) remember(s shape, needed rooms) {
	n.lock.Lock()
	defer n.lock.Unlock()
	if n.rooms == nil || len(n.rooms) >= plan.NeighborhoodShapes {
		n.rooms = map[shape]rooms{}
	}
	n.rooms[s] = rooms{more(needed.edges), more(needed.offsets), more(needed.nodes), needed.records, needed.words + needed.words/16}
}

// more is a number with room for others like it.
func more(n int64) int64 { return n + n/4 + plan.NeighborhoodLeast }

// records gives the size of a table for so many nodes: a third of it stays free at least.
func records(nodes int64) int64 {
	return 1 << bits.Len64(uint64(max(nodes+nodes/2, plan.NeighborhoodLeast)))
}

// guess bounds the largest batch by its fan-outs, and stops where that is too much to begin with: then the card says how
// much there is.
func (d *draw) guess() rooms {
	if r := d.from.Engine.Tuning.NeighborCapacity; r > 0 {
		return rooms{int64(r), int64(r), int64(r), records(int64(r)), 0}
	}
	h, largest, vertices := d.from.Graph, 0, int64(0)
	for _, b := range d.batches {
		largest = max(largest, b.Seeds.Count())
	}
	for _, n := range h.Counts {
		vertices += int64(n)
	}
	if d.app.Disjoint {
		vertices *= int64(max(1, largest))
	}
	most := plan.NeighborhoodFirst / int64(len(d.batches))
	nodes, fresh, edges, offsets := int64(largest), int64(largest), int64(0), int64(0)
	for _, fanouts := range d.app.Fanouts {
		due := nodes
		if d.app.Expand == app.ExpandNew {
			due = fresh
		}
		fresh = 0
		for r, f := range fanouts {
			g := h.Relations[r].Graph
			if f < 0 {
				f = 4 * (g.NumEdges()/max(1, g.NumVertices()) + 1)
			}
			found := min(due*int64(f), most)
			fresh, edges, offsets = fresh+found, edges+found, offsets+due+1
		}
		nodes = min(nodes+fresh, vertices)
		fresh = min(fresh, nodes)
	}
	count := int64(len(d.batches))
	edges, offsets, nodes = min(edges, most), min(offsets, most), min(nodes, most)
	return rooms{more(edges * count), more(offsets * count), more(nodes), records(nodes * count), 0}
}

// grow makes room for what the card reported to lack.
func (d *draw) grow() error {
	need := int64(d.report[1]) | int64(d.report[2])<<32
	if need >= placeLimit {
		return refuse.Device("GPU: a hop with %d edges is more than one launch can have: sample fewer at a time, or use device=\"cpu\"", need)
	}
	switch d.report[0] {
	case faultEdges:
		d.rooms.edges = max(more(need), 2*d.rooms.edges)
	case faultOffsets:
		d.rooms.offsets = max(more(need), 2*d.rooms.offsets)
	case faultTable:
		d.rooms.records *= 4 // the card does not know how many nodes there will be
	default:
		d.rooms.nodes = max(more(need), 2*d.rooms.nodes)
	}
	return nil
}
