package neighbor

import (
	"errors"
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
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
	chosen []FrontierEdges // of the present hop, by relation
}

// FrontierEdges are the edges that a frontier takes: its vertex i takes the next row of Edges[From[i]].
type FrontierEdges struct {
	Edges []RowEdges
	From  []uint32
}

// NewAssembler returns a sampler that serves Assemble only, for a graph whose rows are elsewhere: its relations need no graphs.
func NewAssembler(h *graph.Hetero) *Sampler {
	p := &Sampler{graph: h}
	for r, rel := range h.Relations {
		p.relations = append(p.relations, &relation{
			destination: rel.Destination, source: rel.Source, excludeName: h.OfRelation("exclude", r),
		})
	}
	return p
}

// Assemble begins a mini-batch with the seed nodes s. Excluded edges of s are ignored. The arena of the result is lent by to.
func (p *Sampler) Assemble(to output.ArenaLender, m *app.NeighborSampling, s app.SeedNodes, j *job.Job) (*Assembly, error) {
	s.Excluded = nil
	if err := s.Fit(m, p.graph); err != nil {
		return nil, err
	}
	w := p.borrow()
	a := &Assembly{b: &batchBuilder{
		sampler: p, w: w, app: m, seeds: s, threads: 1, job: j, layout: layoutOf(m, len(p.relations), len(w.nodes)), arena: arena{from: to},
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
	b.forgetNodes()
	b.sampler.giveBack(b.w, clean)
}

// Discard ends a batch that is not complete. It does nothing if Finish, or an error, has ended it.
func (a *Assembly) Discard() {
	if a.b != nil {
		a.release(true)
	}
}

// Frontier returns the vertices that take edges of a relation in the next hop, and their trees if trees are disjoint. ok is false
// after the last hop. The slices are valid until the next Expand.
func (a *Assembly) Frontier(relation int) (vertices, trees []uint32, ok bool) {
	b := a.b
	if b == nil || a.hop == len(b.app.Fanouts) {
		return nil, nil, false
	}
	rel := b.sampler.relations[relation]
	first, end := b.frontierOf(rel)
	nodes := &b.w.nodes[rel.destination]
	if b.app.Disjoint {
		trees = nodes.Trees[first:end]
	}
	return nodes.Vertices[first:end], trees, true
}

// Expand appends the edges of the next hop, given by relation, and numbers their end points. Counts, Ends and EdgeIDs must agree,
// and Ends be vertices of the relation's source type.
func (a *Assembly) Expand(chosen []FrontierEdges) error {
	return a.guard(func() error {
		a.chosen = chosen
		for r := range a.b.sampler.relations {
			if err := a.b.expandRelation(a.hop, r, a.expand); err != nil {
				return err
			}
		}
		a.b.endHop()
		if a.hop++; a.hop < len(a.b.app.Fanouts) {
			a.b.beginHop()
		}
		return nil
	})
}

// expand writes the chosen edges of a hop along relation r in the order of the frontier, and numbers them.
func (a *Assembly) expand(_, r int, lists edgeLists) (int, error) {
	b := a.b
	rel := b.sampler.relations[r]
	destinations, sources := &b.w.nodes[rel.destination], &b.w.nodes[rel.source]
	// 1. Reserve memory for all edges.
	rest, edges := slices.Clone(a.chosen[r].Edges), 0
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
	first, at := b.frontierFirst[rel.destination], 0
	if x.arrays.indptr != nil {
		x.arrays.indptr[0] = 0
	}
	for i, source := range a.chosen[r].From {
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
	b.forgetNodes()
	b.recordUsage()
	out, a.b = b.result(), nil
	b.sampler.giveBack(b.w, true)
	return out, nil
}
