package neighbor

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/rowaccess"
)

// Capacity estimation: how much memory the lists of an arena get before their lengths are known. Estimates that are too
// low cost a move of the arena, estimates that are too high cost page faults; neither changes a result.

// maxCapacity is the value at which bounds of a number of words saturate. It exceeds any memory.
const maxCapacity = rowaccess.Unbounded

// initialCapacities returns the capacity of each list at the start of a batch: 9/8 of the words that the last batch of this
// workspace used, but at most as many as this batch can use. The first batch starts with 0, and reserveHop adds to it.
func (b *batchBuilder) initialCapacities() []int {
	most := b.upperBounds()
	usage := b.w.usage
	if len(usage) != len(most) {
		clear(most)
		return most
	}
	for i, n := range usage {
		most[i] = min(most[i], n+n/8+expandSlack)
	}
	return most
}

// recordUsage records the words that the lists used, for the next batch.
func (b *batchBuilder) recordUsage() {
	b.w.usage = b.w.usage[:0]
	for _, l := range b.arena.lists {
		b.w.usage = append(b.w.usage, l.used)
	}
}

// upperBounds returns an upper bound of the length of each list, from the number of seed nodes and the fan-outs alone.
func (b *batchBuilder) upperBounds() []int {
	most := make([]int, b.layout.count())
	// Bounds by type: all nodes, and those that the last hop discovered.
	nodes, discovered := make([]int, len(b.w.nodes)), make([]int, len(b.w.nodes))
	for t := range nodes {
		nodes[t] = len(b.w.nodes[t].Vertices)
		discovered[t] = nodes[t]
	}
	for hop, fanouts := range b.app.Fanouts {
		frontier := nodes
		if b.app.Expand == app.ExpandNew {
			frontier = discovered
		}
		// 1. Bound the edges of each relation.
		ends := make([]int, len(nodes))
		for r, f := range fanouts {
			rel := b.sampler.relations[r]
			edges := maxCapacity
			bounded := f > 0 && b.app.Method != app.MethodLaborPoisson
			if n := frontier[rel.destination]; f == 0 || bounded && n <= maxCapacity/f {
				edges = n * f
			}
			lists := b.layout.edges(&b.arena, hop, r)
			for _, n := range lists.needs(edges) {
				most[n.list] = min(most[n.list]+edges+expandSlack, maxCapacity)
			}
			if lists.indptr >= 0 {
				most[lists.indptr] = frontier[rel.destination] + 1
			}
			ends[rel.source] = min(ends[rel.source]+edges, maxCapacity)
		}
		// 2. Every end may be a new node.
		discovered = ends
		sum := make([]int, len(nodes))
		for t := range nodes {
			sum[t] = min(nodes[t]+ends[t], maxCapacity)
		}
		nodes = sum
	}
	for t := range nodes {
		for _, n := range b.nodeNeeds(nil, t, nodes[t]) {
			most[n.list] = n.words
		}
	}
	return most
}

// reserveHop reserves memory for a hop in the first batch of a workspace, from the degrees of the frontier. For the last hop it
// includes the nodes, whose lists follow the edges. A batch that does not fit in memory is thus refused before its edges are
// chosen, and one that fits does not move at its end.
func (b *batchBuilder) reserveHop(hop int) error {
	if len(b.w.usage) == b.layout.count() {
		return nil
	}
	var needs []need
	nodes := make([]int, len(b.w.nodes))
	for r, rel := range b.sampler.relations {
		lists := b.layout.edges(&b.arena, hop, r)
		first, end := b.frontierOf(rel)
		vertices := b.w.nodes[rel.destination].Vertices[first:end]
		if lists.indptr >= 0 {
			needs = append(needs, need{lists.indptr, len(vertices) + 1})
		}
		fanout, err := b.setChoices(hop, r)
		if err != nil {
			return err
		}
		if fanout > 0 {
			most := b.w.choices.Most(&rel.rows, fanout, vertices)
			needs = append(needs, lists.needs(most+expandSlack)...)
			nodes[rel.source] += most
		}
	}
	if hop == len(b.app.Fanouts)-1 {
		for t, n := range nodes {
			n += len(b.w.nodes[t].Vertices)
			if !b.app.Disjoint {
				n = min(n, b.sampler.graph.Counts[t])
			}
			needs = b.nodeNeeds(needs, t, n)
		}
	}
	return b.arena.reserve(needs...)
}
