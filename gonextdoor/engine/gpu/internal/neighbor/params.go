package neighbor

import (
	"slices"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// launchParams has the positions, in bytes, of the arrays of parameters within one block of memory, which is filled in pinned
// memory. The first launch copies the first part of it to the GPU. The rest, whose arrays the kernels read through the
// read-only cache, is copied before.
type launchParams struct {
	steps, batchSeeds, seedNodeAt, vertices, seedNodes int // of the first part
	rest, treeTimes, treeBegins, bytes                 int // the rest begins at rest; the block has that many bytes

	excluded                 []excludedParams // by relation
	stepCount, seedNodeCount int
}

// excludedParams are the excluded edges of a relation, and the positions of their arrays.
type excludedParams struct {
	edges, sums, biased       []uint64 // sorted positions of edges; see kernels.Step; sums and biased are nil if choices are unweighted
	edgesAt, sumsAt, biasedAt int
}

// newParams determines the positions of the arrays.
func (q *batchRequest) newParams() (o launchParams, err error) {
	h := q.from.Graph
	if o.excluded, err = q.excludedEdges(); err != nil {
		return o, err
	}
	at := 0
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
	o.seedNodes = take(4 * o.seedNodeCount)
	o.rest = at
	for r := range o.excluded {
		x := &o.excluded[r]
		x.edgesAt, x.sumsAt, x.biasedAt = take(8*len(x.edges)), take(8*len(x.sums)), take(8*len(x.biased))
	}
	if q.anyTimed() {
		o.treeTimes = take(8 * o.seedNodeCount)
		if q.windows() {
			o.treeBegins = take(8 * o.seedNodeCount)
		}
	}
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

// excludedEdges returns the excluded edges of each relation. All batches of a launch exclude the same edges.
func (q *batchRequest) excludedEdges() ([]excludedParams, error) {
	all := make([]excludedParams, len(q.graphs))
	for r, g := range q.graphs {
		ids := q.excluded(r)
		if len(ids) == 0 {
			continue
		}
		inverse, err := index.InverseOf(g)
		if err != nil {
			return nil, err
		}
		x := &all[r]
		for _, id := range ids {
			x.edges = inverse.Append(x.edges, uint64(id))
		}
		slices.Sort(x.edges)
		x.edges = slices.Compact(x.edges)
		if q.weighs(r) {
			x.addUp(g.Biases)
		}
	}
	return all, nil
}

// addUp computes the prefix sums of the biases of the excluded edges, and of the numbers of those that are not 0.
func (x *excludedParams) addUp(biases []uint32) {
	x.sums, x.biased = make([]uint64, len(x.edges)+1), make([]uint64, len(x.edges)+1)
	for i, p := range x.edges {
		x.sums[i+1], x.biased[i+1] = x.sums[i]+uint64(biases[p]), x.biased[i]
		if biases[p] > 0 {
			x.biased[i+1]++
		}
	}
}

// write writes the parameters to the host memory to. at is the address at which their copy on the GPU will begin.
func (o *launchParams) write(q *batchRequest, graphs []kernels.Graph, to unsafe.Pointer, at uint64) {
	h := q.from.Graph
	// 1. Steps: one per hop and relation.
	steps := unsafe.Slice((*kernels.Step)(unsafe.Add(to, o.steps)), o.stepCount)
	for i := range q.app.Fanouts {
		for r := range h.Relations {
			steps[i*len(h.Relations)+r] = o.step(q, graphs[r], i, r, at)
		}
	}
	// 2. Random seeds of the batches, numbers of vertices, excluded edges, times.
	copyTo(to, o.batchSeeds, q.batchSeeds())
	copyTo(to, o.vertices, unsigned(h.Counts))
	for _, x := range o.excluded {
		copyTo(to, x.edgesAt, x.edges)
		copyTo(to, x.sumsAt, x.sums)
		copyTo(to, x.biasedAt, x.biased)
	}
	if q.anyTimed() {
		o.writePeriods(q, to)
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

// step returns the parameters of a step.
func (o *launchParams) step(q *batchRequest, g kernels.Graph, hop, r int, at uint64) kernels.Step {
	rel, fanout, x := q.from.Graph.Relations[r], q.fanout(hop, r), &o.excluded[r]
	relations := len(q.graphs)
	s := kernels.Step{
		G: g, Fanout: uint64(int64(fanout)), Hop: uint64(hop), Relation: uint64(r), Destination: uint64(rel.Destination),
		Source: uint64(rel.Source), Weighted: launch.Flag(q.weighs(r)), HopBegin: uint64(hop * relations), FrontierBegin: ^uint64(0),
		Excluded: at + uint64(x.edgesAt), ExcludedCount: uint64(len(x.edges)), Latest: launch.Flag(q.latest(r)),
		LongDraws: launch.Flag(q.longDraws(hop, r)), Poisson: launch.Flag(q.app.Method == app.MethodLaborPoisson),
	}
	if q.app.LayerDependency {
		s.Hop = 0
	}
	if x.sums != nil {
		s.ExcludedSums, s.ExcludedBiased = at+uint64(x.sumsAt), at+uint64(x.biasedAt)
	}
	if fanout >= 0 {
		s.Replace = launch.Flag(q.app.Replace)
	}
	// The queue serves rows of which many edges are taken and, without ranges, choices that scan a row.
	scans := q.choice() == rowChoice && s.Weighted == 1 && s.Replace == 0 || q.app.Labor() && fanout > q.hubDegree()
	s.Hubs = launch.Flag(q.graphs[r].MaxDegree() > uint64(q.hubDegree()) && (fanout < 0 || scans))
	if q.app.Expand == app.ExpandNew && hop > 0 {
		s.FrontierBegin = uint64((hop - 1) * relations)
	}
	return s
}

// writePeriods writes the first and the last time of the edges that each tree may take.
func (o *launchParams) writePeriods(q *batchRequest, to unsafe.Pointer) {
	last := unsafe.Slice((*int64)(unsafe.Add(to, o.treeTimes)), o.seedNodeCount)
	for _, b := range q.batches {
		last = last[copy(last, b.SeedNodes.Times):]
	}
	if !q.windows() {
		return
	}
	first, tree := unsafe.Slice((*int64)(unsafe.Add(to, o.treeBegins)), o.seedNodeCount), 0
	for _, b := range q.batches {
		for i := range b.SeedNodes.Times {
			first[tree] = b.SeedNodes.Earliest(uint32(i))
			tree++
		}
	}
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
