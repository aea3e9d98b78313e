package neighbor

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// batchBuilder builds one mini-batch in a borrowed workspace.
type batchBuilder struct {
	sampler *Sampler
	w       *workspace
	app     *app.NeighborSampling
	seed    uint64 // the random seed of the batch
	seeds   app.SeedNodes
	threads int
	job     *job.Job
	layout  arenaLayout
	arena   arena

	// The frontier of the hop: local ids from frontierFirst to frontierEnd, by type.
	frontierFirst, frontierEnd []int

	pairs []output.Pairs // by relation, COO only; arrays are set at the end
	hops  [][]output.Hop // by hop and relation, CSC only; arrays are set at the end
}

// build returns the mini-batch, whose arena the caller owns. It leaves the workspace without entries. After an error it frees
// the arena.
func (b *batchBuilder) build() (out output.NeighborBatch, err error) {
	complete := false
	defer func() {
		if !complete {
			b.arena.free()
		}
	}()
	// 1. Number the seed nodes and allocate the arena.
	err = b.begin()
	// 2. Choose the edges of each hop and number their end points.
	if err == nil {
		err = b.expandHops()
	}
	// 3. Append the nodes.
	if err == nil {
		err = b.writeNodes()
	}
	b.forgetNodes()
	if err != nil {
		return out, err
	}
	b.recordUsage()
	complete = true
	return b.result(), nil
}

// forgetNodes removes the nodes of all types from the workspace.
func (b *batchBuilder) forgetNodes() {
	for t := range b.w.nodes {
		b.w.nodes[t].forget()
	}
}

// begin numbers the seed nodes, looks up the excluded edges and allocates the arena.
func (b *batchBuilder) begin() error {
	first := 0
	for t := range b.w.nodes {
		nodes := &b.w.nodes[t]
		if err := nodes.begin(b.app.Disjoint, b.sampler.graph.Counts[t], b.sampler.HashIDs); err != nil {
			return err
		}
		if err := b.addSeedNodes(t, first); err != nil {
			return err
		}
		nodes.endHop()
		first += len(b.seeds.Vertices[t])
	}
	for r := range b.w.excluded {
		var ids []int64
		if b.seeds.Excluded != nil {
			ids = b.seeds.Excluded[r]
		}
		if err := b.w.excluded[r].set(b.sampler.relations[r], ids); err != nil {
			return err
		}
	}
	return b.arena.begin(b.initialCapacities())
}

// addSeedNodes numbers the seed nodes of a type. They must be distinct unless trees are disjoint; the first of them is
// the root of tree firstTree.
func (b *batchBuilder) addSeedNodes(t, firstTree int) error {
	seeds, nodes, vertices := b.seeds.Vertices[t], &b.w.nodes[t], b.sampler.graph.Counts[t]
	for i, v := range seeds {
		if uint64(v) >= uint64(vertices) {
			return refuse.Index("%s[%d] = %d: the graph has %d vertices", b.sampler.graph.OfType("seed_nodes", t), i, v, vertices)
		}
	}
	for from := 0; from < len(seeds); from += plan.BlockEdges {
		piece := seeds[from:min(from+plan.BlockEdges, len(seeds))]
		local, trees := b.w.vertices[:len(piece)], b.w.trees[:len(piece)]
		for i, v := range piece {
			local[i], trees[i] = int64(v), uint32(firstTree+from+i)
		}
		if err := nodes.discover(local, trees); err != nil {
			return err
		}
		if len(nodes.Vertices) == from+len(piece) {
			continue // all distinct
		}
		for i, v := range piece {
			if local[i] != int64(from+i) {
				name := b.sampler.graph.OfType("seed_nodes", t)
				return refuse.Value("%s[%d] = %d: this vertex is also %s[%d]; expected distinct vertices", name, from+i, v, name, local[i])
			}
		}
	}
	return nil
}

// expandHops expands the hops, each relation by relation.
func (b *batchBuilder) expandHops() error {
	b.beginFrontier()
	for hop := range b.app.Fanouts {
		// 1. The frontier ends with the nodes discovered so far.
		b.beginHop()
		if err := b.reserveHop(hop); err != nil {
			return err
		}
		// 2. Expand it along each relation.
		for r := range b.sampler.relations {
			if err := b.expandRelation(hop, r, b.chooseAndNumber); err != nil {
				return err
			}
		}
		// 3. The next frontier starts with the nodes that this hop discovered, or with the seed nodes again.
		b.endHop()
	}
	return nil
}

// beginFrontier begins with the seed nodes as the frontier.
func (b *batchBuilder) beginFrontier() {
	types := len(b.w.nodes)
	b.frontierFirst, b.frontierEnd = make([]int, types), make([]int, types)
	if b.layout.coo {
		b.pairs = make([]output.Pairs, len(b.sampler.relations))
	}
}

// beginHop ends the frontier with the nodes discovered so far.
func (b *batchBuilder) beginHop() {
	for t := range b.w.nodes {
		b.frontierEnd[t] = len(b.w.nodes[t].Vertices)
	}
	if !b.layout.coo {
		b.hops = append(b.hops, make([]output.Hop, len(b.sampler.relations)))
	}
}

// endHop starts the next frontier.
func (b *batchBuilder) endHop() {
	for t := range b.w.nodes {
		b.w.nodes[t].endHop()
		if b.app.Expand == app.ExpandNew {
			b.frontierFirst[t] = b.frontierEnd[t]
		}
	}
}

// frontierOf returns the frontier of a relation, as a range of local ids of its destinations' type.
func (b *batchBuilder) frontierOf(rel *relation) (first, end int) {
	return b.frontierFirst[rel.destination], b.frontierEnd[rel.destination]
}

// expandRelation expands a hop along one relation. expand writes the edges after those of the lists and returns their number; it
// is not called if the fan-out is 0.
func (b *batchBuilder) expandRelation(hop, r int, expand func(hop, r int, lists edgeLists) (edges int, err error)) error {
	rel := b.sampler.relations[r]
	first, end := b.frontierOf(rel)
	lists := b.layout.edges(&b.arena, hop, r)
	// 1. Reserve the offsets of the destinations, whose number is known.
	if lists.indptr >= 0 {
		if err := b.arena.reserve(need{lists.indptr, end - first + 1}); err != nil {
			return err
		}
		b.arena.lists[lists.indptr].used = end - first + 1
	}
	// 2. Expand.
	edges := 0
	if b.app.Fanouts[hop][r] != 0 {
		var err error
		if edges, err = expand(hop, r, lists); err != nil {
			return err
		}
	} else if lists.indptr >= 0 {
		clear(b.arena.used(lists.indptr))
	}
	// 3. Commit the edges.
	lists.commit(edges)
	if b.layout.coo {
		b.pairs[r].Counts = append(b.pairs[r].Counts, edges)
	} else {
		b.hops[hop][r] = output.Hop{First: first, Destinations: end - first}
	}
	return nil
}

// chooseAndNumber chooses the edges of a hop along one relation, numbers their end points, and returns their number.
func (b *batchBuilder) chooseAndNumber(hop, r int, lists edgeLists) (edges int, err error) {
	rel := b.sampler.relations[r]
	fanout, err := b.setChoices(hop, r)
	if err != nil {
		return 0, err
	}
	first, end := b.frontierOf(rel)
	destinations := &b.w.nodes[rel.destination]
	x := expansion{
		chooser: edgeChooser{
			frontier: frontier{vertices: destinations.Vertices[first:end:end], first: first},
			rows:     &rel.rows, edgeScratch: &b.w.edgeScratch, excluded: &b.w.excluded[r],
			stream: app.HopStream(b.seed, r, hop), fanout: fanout,
		},
		arrays: edgeArrays{lists: lists}, reader: readerOf(rel, b.w.choices.Dated), sources: &b.w.nodes[rel.source],
	}
	if b.app.Disjoint {
		x.chooser.trees, x.chooser.seeds = destinations.Trees[first:end:end], &b.seeds
		x.arrays.trees, x.arrays.disjoint = b.w.edgeTrees, true
	}
	if x.canRunParallel(b.threads) {
		edges, err = x.runParallel(b.w, b.threads, b.job)
	} else {
		edges, err = x.run(b.job)
	}
	if b.app.Disjoint {
		b.w.edgeTrees = x.arrays.trees // keeps its capacity
	}
	return edges, err
}

// setChoices prepares the workspace for the choices of a hop along a relation, and returns the fan-out: MaxUint64 takes
// all edges.
func (b *batchBuilder) setChoices(hop, r int) (fanout uint64, err error) {
	rel := b.sampler.relations[r]
	return b.w.setChoices(rel, b.app, b.app.Fanouts[hop][r], b.app.EndStream(b.seed, rel.source, hop), b.job)
}

// writeNodes writes the nodes, and their trees, after the edges.
func (b *batchBuilder) writeNodes() error {
	var needs []need
	for t := range b.w.nodes {
		needs = b.nodeNeeds(needs, t, len(b.w.nodes[t].Vertices))
	}
	if err := b.arena.reserve(needs...); err != nil {
		return err
	}
	for _, n := range needs {
		b.arena.lists[n.list].used = n.words
	}
	for t := range b.w.nodes {
		widen(b.arena.used(b.layout.nodes(t)), b.w.nodes[t].Vertices)
		if b.layout.disjoint {
			widen(b.arena.used(b.layout.trees(t)), b.w.nodes[t].Trees)
		}
	}
	return nil
}

// nodeNeeds appends the needs of a number of nodes of a type.
func (b *batchBuilder) nodeNeeds(needs []need, t, nodes int) []need {
	needs = append(needs, need{b.layout.nodes(t), nodes})
	if b.layout.disjoint {
		needs = append(needs, need{b.layout.trees(t), nodes})
	}
	return needs
}

// result returns the mini-batch with the final addresses of its arrays.
func (b *batchBuilder) result() output.NeighborBatch {
	a := &b.arena
	out := output.NeighborBatch{Arena: a.block()}
	out.Hops, out.Pairs = b.hops, b.pairs
	for t := range b.w.nodes {
		out.Nodes, out.New = append(out.Nodes, a.used(b.layout.nodes(t))), append(out.New, b.w.nodes[t].newPerHop())
		if b.layout.disjoint {
			out.Trees = append(out.Trees, a.used(b.layout.trees(t)))
		}
	}
	for r := range b.pairs {
		lists, pairs := b.layout.edges(a, 0, r), &b.pairs[r]
		pairs.Sources, pairs.Destinations, pairs.EdgeIDs = a.used(lists.ends), a.used(lists.destinations), a.used(lists.ids)
	}
	for hop := range b.hops {
		for r := range b.hops[hop] {
			lists, h := b.layout.edges(a, hop, r), &b.hops[hop][r]
			h.Indptr, h.Indices, h.EdgeIDs = a.used(lists.indptr), a.used(lists.ends), a.used(lists.ids)
		}
	}
	return out
}
