package neighbor

import (
	"errors"
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// Assembly builds one mini-batch from edges that are chosen elsewhere, for example where the rows are. The caller gets the
// Frontier of a hop, has its edges chosen by ChooseRows under the keys of app.NeighborSampling, and passes them to Expand; once
// per hop. The result equals that of Sample. An Assembly that is not finished must be discarded.
type Assembly struct {
	b      *batchBuilder // nil after Finish, Discard or an error
	hop    int
	chosen []RowEdges // of the present hop
	from   []uint32
}

// Assemble begins a mini-batch of one vertex type and one relation with the seed nodes s. Excluded edges of s are ignored. The
// arena of the result is lent by to.
func (p *Sampler) Assemble(to output.ArenaLender, m *app.NeighborSampling, s app.SeedNodes, j *job.Job) (*Assembly, error) {
	s.Excluded = nil
	if err := s.Fit(m, p.graph); err != nil {
		return nil, err
	}
	w := p.borrow()
	a := &Assembly{b: &batchBuilder{
		sampler: p, w: w, app: m, seeds: s, threads: 1, job: j, layout: layoutOf(m, 1, 1), arena: arena{from: to},
	}}
	return a, a.guard(func() error {
		err := a.b.begin()
		if err == nil {
			a.b.beginFrontier()
			a.b.beginHop()
		}
		return err
	})
}

// guard runs f, and discards the batch if it fails.
func (a *Assembly) guard(f func() error) error {
	if a.b == nil {
		return refuse.Value("the mini-batch is complete or was discarded")
	}
	err := parallel.Guard(f)
	if err != nil {
		a.release(!errors.Is(err, parallel.ErrPanic))
	}
	return err
}

// release frees the arena and gives the workspace back.
func (a *Assembly) release(clean bool) {
	b := a.b
	a.b = nil
	b.arena.free()
	b.w.nodes[0].forget()
	b.sampler.giveBack(b.w, clean)
}

// Discard ends a batch that is not complete. It does nothing if Finish, or an error, has ended it.
func (a *Assembly) Discard() {
	if a.b != nil {
		a.release(true)
	}
}

// Frontier returns the vertices that take edges in the next hop, and their trees if trees are disjoint. ok is false after the
// last hop. The slices are valid until the next call.
func (a *Assembly) Frontier() (vertices, trees []uint32, ok bool) {
	b := a.b
	if b == nil || a.hop == len(b.app.Fanouts) {
		return nil, nil, false
	}
	first, end, nodes := b.frontierFirst[0], b.frontierEnd[0], &b.w.nodes[0]
	if b.app.Disjoint {
		trees = nodes.Trees[first:end]
	}
	return nodes.Vertices[first:end], trees, true
}

// Expand appends the edges of the next hop and numbers their end points. Vertex i of the frontier takes the next row of
// chosen[from[i]]. Counts, Ends and EdgeIDs must agree, and Ends be vertices.
func (a *Assembly) Expand(chosen []RowEdges, from []uint32) error {
	return a.guard(func() error {
		a.chosen, a.from = chosen, from
		err := a.b.expandRelation(a.hop, 0, a.expand)
		if err != nil {
			return err
		}
		a.b.endHop()
		if a.hop++; a.hop < len(a.b.app.Fanouts) {
			a.b.beginHop()
		}
		return nil
	})
}

// expand writes the chosen edges of a hop in the order of the frontier, and numbers them.
func (a *Assembly) expand(_, _ int, lists edgeLists) (int, error) {
	b := a.b
	destinations, sources := &b.w.nodes[0], &b.w.nodes[0]
	// 1. Reserve memory for all edges.
	rest, edges := slices.Clone(a.chosen), 0
	for _, some := range rest {
		edges += len(some.Ends)
	}
	x := expansion{arrays: edgeArrays{lists: lists, disjoint: b.app.Disjoint, trees: b.w.edgeTrees}, sources: sources}
	if err := lists.reserve(0, edges+expandSlack); err != nil {
		return 0, err
	}
	x.arrays.locate()
	b.w.edgeTrees = x.arrays.trees
	// 2. Write the edges.
	first, at := b.frontierFirst[0], 0
	if x.arrays.indptr != nil {
		x.arrays.indptr[0] = 0
	}
	for i, source := range a.from {
		some := &rest[source]
		n := int(some.Counts[0])
		copy(x.arrays.positions[at:], some.EdgeIDs[:n])
		widen(x.arrays.ends[at:], some.Ends[:n])
		some.Counts, some.Ends, some.EdgeIDs = some.Counts[1:], some.Ends[n:], some.EdgeIDs[n:]
		for k := at; k < at+n; k++ {
			if x.arrays.destinations != nil {
				x.arrays.destinations[k] = int64(first + i)
			}
			if b.app.Disjoint {
				x.arrays.trees[k] = destinations.Trees[first+i]
			}
		}
		at += n
		if x.arrays.indptr != nil {
			x.arrays.indptr[i+1] = int64(at)
		}
	}
	// 3. Number the end points.
	return edges, x.numberGathered(0, edges)
}

// Finish returns the mini-batch, whose arena the caller owns.
func (a *Assembly) Finish() (out output.NeighborBatch, err error) {
	err = a.guard(func() error {
		if a.hop < len(a.b.app.Fanouts) {
			return refuse.Value("the mini-batch has %d of %d hops", a.hop, len(a.b.app.Fanouts))
		}
		return a.b.writeNodes()
	})
	if err != nil {
		return out, err
	}
	b := a.b
	b.w.nodes[0].forget()
	b.recordUsage()
	out, a.b = b.result(), nil
	b.sampler.giveBack(b.w, true)
	return out, nil
}
