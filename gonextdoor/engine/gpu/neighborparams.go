package gpu

import (
	"slices"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// launchParams has the positions, in bytes, of the parameters within one block of memory. The block is filled in pinned
// memory and copied to the GPU at once. It contains the counter of grid barriers, the word for faults, then arrays.
type launchParams struct {
	steps, batchSeeds, seedNodeAt, vertices, seedNodes, bytes int
	excluded                                                  []int // by relation
	stepCount, seedNodeCount                                  int
	excludedEdges                                             [][]uint64 // sorted positions of edges, by relation
}

const paramsHead = 128 // bytes; the second half begins with the word for faults

// newParams determines the positions of the arrays.
func (q *batchRequest) newParams() (o launchParams, err error) {
	h := q.from.Graph
	if o.excludedEdges, err = q.excludedPositions(); err != nil {
		return o, err
	}
	at := paramsHead
	take := func(bytes int) (first int) {
		first, at = at, at+(bytes+7)/8*8
		return first
	}
	for _, b := range q.batches {
		o.seedNodeCount += b.SeedNodes.Count()
	}
	o.stepCount = len(q.app.Fanouts) * len(h.Relations)
	o.steps = take(o.stepCount * int(unsafe.Sizeof(kernels.Step{})))
	o.batchSeeds, o.seedNodeAt = take(8*len(q.batches)), take(8*(q.lists+1))
	o.vertices = take(8 * len(h.Counts))
	for _, positions := range o.excludedEdges {
		o.excluded = append(o.excluded, take(8*len(positions)))
	}
	o.seedNodes = take(4 * o.seedNodeCount)
	o.bytes = at
	return o, nil
}

// hubDegree returns the number of edges above which several blocks share a row.
func (q *batchRequest) hubDegree() int {
	if t := q.from.Engine.Tuning.NeighborHub; t > 0 {
		return t
	}
	return plan.NeighborHubEdges
}

// excludedPositions returns the positions of excluded edges, in order. All batches of a launch exclude the same edges.
func (q *batchRequest) excludedPositions() ([][]uint64, error) {
	h := q.from.Graph
	positions := make([][]uint64, len(h.Relations))
	if len(q.batches) == 0 {
		return positions, nil
	}
	for r, ids := range q.batches[0].SeedNodes.Excluded {
		inverse, err := index.InverseOf(h.Relations[r].Graph)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			positions[r] = inverse.Append(positions[r], uint64(id))
		}
		slices.Sort(positions[r])
		positions[r] = slices.Compact(positions[r])
	}
	return positions, nil
}

// write writes the parameters to the host memory to. at is the address at which their copy on the GPU will begin.
func (o *launchParams) write(q *batchRequest, graphs []kernels.Graph, to unsafe.Pointer, at uint64) {
	h := q.from.Graph
	clear(unsafe.Slice((*byte)(to), paramsHead))
	// 1. Steps: one per hop and relation.
	steps := unsafe.Slice((*kernels.Step)(unsafe.Add(to, o.steps)), o.stepCount)
	for i, fanouts := range q.app.Fanouts {
		for r, rel := range h.Relations {
			s := kernels.Step{
				G: graphs[r], Fanout: uint64(int64(fanouts[r])), Hop: uint64(i), Relation: uint64(r), Destination: uint64(rel.Destination),
				Source: uint64(rel.Source), Weighted: flag(q.app.Weighs(rel.Graph)), HopBegin: uint64(i * len(h.Relations)),
				FrontierBegin: ^uint64(0), Excluded: at + uint64(o.excluded[r]), ExcludedCount: uint64(len(o.excludedEdges[r])),
			}
			if fanouts[r] >= 0 {
				s.Replace = flag(q.app.Replace)
			}
			s.Hubs = flag(rel.Graph.MaxDegree() > uint64(q.hubDegree()) && (fanouts[r] < 0 || s.Weighted == 1 && s.Replace == 0))
			if q.app.Expand == app.ExpandNew && i > 0 {
				s.FrontierBegin = uint64((i - 1) * len(h.Relations))
			}
			steps[i*len(h.Relations)+r] = s
		}
	}
	// 2. Random seeds of the batches, numbers of vertices, excluded edges.
	copyTo(to, o.batchSeeds, q.batchSeeds())
	copyTo(to, o.vertices, unsigned(h.Counts))
	for r, positions := range o.excludedEdges {
		copyTo(to, o.excluded[r], positions)
	}
	// 3. Seed nodes, list by list, and the begin of each list.
	seedNodeAt := unsafe.Slice((*uint64)(unsafe.Add(to, o.seedNodeAt)), q.lists+1)
	seeds := unsafe.Slice((*uint32)(unsafe.Add(to, o.seedNodes)), o.seedNodeCount)
	list, count := 0, 0
	for _, b := range q.batches {
		for _, vertices := range b.SeedNodes.Vertices {
			seedNodeAt[list] = uint64(count)
			count += copy(seeds[count:], vertices)
			list++
		}
	}
	seedNodeAt[list] = uint64(count)
}

// batchSeeds returns the random seed of each batch.
func (q *batchRequest) batchSeeds() []uint64 {
	seeds := make([]uint64, len(q.batches))
	for i, b := range q.batches {
		seeds[i] = b.Seed
	}
	return seeds
}

// unsigned converts numbers that are not negative.
func unsigned(numbers []int) []uint64 {
	all := make([]uint64, len(numbers))
	for i, n := range numbers {
		all[i] = uint64(n)
	}
	return all
}

// copyTo copies numbers to the position at, in bytes from base.
func copyTo(base unsafe.Pointer, at int, from []uint64) {
	copy(unsafe.Slice((*uint64)(unsafe.Add(base, at)), len(from)), from)
}

// flag returns 1 for true.
func flag(yes bool) uint64 {
	if yes {
		return 1
	}
	return 0
}
