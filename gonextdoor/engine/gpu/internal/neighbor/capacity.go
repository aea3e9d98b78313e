package neighbor

import (
	"math/bits"
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// capacity has the lengths, in elements, of the arrays of a draw. Sizes are known only after sampling. A draw therefore
// begins with a guess, or with the sizes of the last similar draw, and is repeated with more memory if that was too small.
type capacity struct {
	edges   int64
	offsets int64
	nodes   int64 // of one list
	records int64 // of the hash table, a power of two
	words   int64 // of the arena; 0: unknown
}

// shape identifies draws that need similar capacities.
type shape struct {
	app     *app.NeighborSampling
	batches int
	seeds   int // bit length of the number of seed nodes
}

// shape returns the shape of a request.
func (q *batchRequest) shape() shape {
	all := 0
	for _, b := range q.batches {
		all += b.SeedNodes.Count()
	}
	return shape{q.app, len(q.batches), bits.Len(uint(all))}
}

// forSeeds returns a capacity that is large enough for the seed nodes, which the kernels do not check.
func (q *batchRequest) forSeeds(r capacity) capacity {
	all := 0
	for _, b := range q.batches {
		all += b.SeedNodes.Count()
		for _, vertices := range b.SeedNodes.Vertices {
			r.nodes = max(r.nodes, int64(len(vertices)))
		}
	}
	r.records = max(r.records, records(int64(all)))
	return r
}

// remembered returns the capacity of the last draw of the same shape with a margin, or a guess.
func (n *Sampler) remembered(q *batchRequest) capacity {
	n.lock.Lock()
	defer n.lock.Unlock()
	if r, ok := n.capacities[q.shape()]; ok {
		return r
	}
	return q.guess()
}

// remember stores the capacity that a draw needed, with a margin, for later draws of the shape.
func (n *Sampler) remember(s shape, needed capacity) {
	n.lock.Lock()
	defer n.lock.Unlock()
	if n.capacities == nil || len(n.capacities) >= plan.NeighborShapes {
		n.capacities = map[shape]capacity{}
	}
	n.capacities[s] = capacity{withMargin(needed.edges), withMargin(needed.offsets), withMargin(needed.nodes), needed.records, needed.words + needed.words/16}
}

// withMargin returns a quarter more than n, and at least plan.NeighborSpareEdges more.
func withMargin(n int64) int64 { return n + n/4 + plan.NeighborSpareEdges }

// records returns the size of a hash table for a number of nodes, a power of two: at most two thirds are used.
func records(nodes int64) int64 {
	return min(kernels.KnownNode, int64(1)<<bits.Len64(uint64(max(nodes+nodes/2, plan.NeighborSpareEdges))))
}

// guess bounds the largest batch by its fan-outs, up to plan.NeighborFirstEdges edges. If that is too little, the GPU
// reports the capacity needed.
func (q *batchRequest) guess() capacity {
	if r := q.from.Engine.Tuning.NeighborCapacity; r > 0 {
		return capacity{int64(r), int64(r), int64(r), records(int64(r)), 0}
	}
	h, largest, vertices := q.from.Graph, 0, int64(0)
	for _, b := range q.batches {
		largest = max(largest, b.SeedNodes.Count())
	}
	for _, n := range h.Counts {
		vertices += int64(n)
	}
	if q.app.Disjoint {
		vertices *= int64(max(1, largest))
	}
	most := plan.NeighborFirstEdges / int64(len(q.batches))
	nodes, fresh, edges, offsets := int64(largest), int64(largest), int64(0), int64(0)
	for _, fanouts := range q.app.Fanouts {
		frontier := nodes
		if q.app.Expand == app.ExpandNew {
			frontier = fresh
		}
		fresh = 0
		for r, f := range fanouts {
			g := h.Relations[r].Graph
			if f < 0 {
				f = 4 * (g.NumEdges()/max(1, g.NumVertices()) + 1)
			}
			found := min(frontier*int64(f), most)
			fresh, edges, offsets = fresh+found, edges+found, offsets+frontier+1
		}
		nodes = min(nodes+fresh, vertices)
		fresh = min(fresh, nodes)
	}
	count := int64(len(q.batches))
	edges, offsets, nodes = min(edges, most), min(offsets, most), min(nodes, most)
	return capacity{withMargin(edges * count), withMargin(offsets * count), withMargin(nodes), records(nodes * count), 0}
}

// grow increases the capacity that the GPU reported to be too small.
func (c *capacity) grow(r *report) error {
	need := r.needed()
	if need >= kernels.Place {
		return refuse.Device("GPU: a hop with %d edges is more than one launch can have: sample fewer at a time, or use device=\"cpu\"", need)
	}
	switch r.fault() {
	case kernels.FaultEdges:
		c.edges = max(withMargin(need), 2*c.edges)
	case kernels.FaultOffsets:
		c.offsets = max(withMargin(need), 2*c.offsets)
	case kernels.FaultTable:
		if c.records >= kernels.KnownNode {
			return refuse.Device("GPU: the mini-batches have more nodes than one launch can have: sample fewer at a time, or use device=\"cpu\"")
		}
		c.records = min(4*c.records, kernels.KnownNode) // the GPU does not know how many nodes there will be
	default:
		c.nodes = max(withMargin(need), 2*c.nodes)
	}
	return nil
}

// tableRows returns the number of trees times the number of types.
func (d *batchDraw) tableRows() int64 {
	trees := len(d.batches)
	if d.app.Disjoint {
		trees = d.params.seedNodeCount
	}
	return int64(trees) * int64(len(d.from.Graph.Counts))
}

// tableStride returns the number of vertices of the largest type if the id map is direct, with 4 bytes per vertex of each
// tree and type. It is 0 if the map is a hash table, because that takes much less memory.
func (d *batchDraw) tableStride() int64 {
	stride := int64(slices.Max(d.from.Graph.Counts))
	numbers := d.tableRows() * stride
	most := max(plan.NeighborDirectNumbers, 4*plan.NeighborDirect*d.capacity.records)
	if d.from.Engine.Tuning.NeighborHashed || numbers > most || numbers >= kernels.Place {
		return 0
	}
	return stride
}

// tableRecords returns the size of the id map, in units of 16 bytes.
func (d *batchDraw) tableRecords() int64 {
	if stride := d.tableStride(); stride > 0 {
		return max(1, (d.tableRows()*stride+3)/4)
	}
	return d.capacity.records
}

// tablePart returns the size of the part of the hash table in which the probes of a batch start, a power of two. It is the
// batch's share, but at least plan.NeighborTablePart records, because batches differ in size.
func (c *capacity) tablePart(batches int) uint64 {
	part := c.records
	for part > plan.NeighborTablePart && part*int64(batches) > c.records {
		part /= 2
	}
	return uint64(part)
}
