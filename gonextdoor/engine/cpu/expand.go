package cpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// block holds the transits that are in flight together.
type block struct {
	keys           [plan.Block]rng.Key
	first, degrees [plan.Block]uint64
}

// expand draws one hop from all of the workspace's nodes and gives its number of edges. For each block of nodes it
// first chooses, asking for the chosen edges' ends, then reads the ends, asking for their numbers, then reads those.
func (p *Workspaces) expand(w *workspace, stream rng.Stream, fanout uint64, indptr, indices, ids []int64) int {
	nodes := w.nodes[:len(w.nodes):len(w.nodes)]
	positions := unsigned(ids)
	edges := 0
	indptr[0] = 0
	p.rows.prefetch(nodes[:min(plan.Block, len(nodes))])
	for done := 0; done < len(nodes); {
		ready := min(plan.Block, len(nodes)-done)
		p.rows.prefetch(nodes[done+ready : min(done+2*plan.Block, len(nodes))])
		took, end := p.choose(w, stream, fanout, nodes[done:done+ready], positions, edges, indptr[done+1:])
		for ; edges < end; edges = min(edges+plan.BlockEdges, end) {
			p.number(w, positions[edges:min(edges+plan.BlockEdges, end)], indices[edges:])
		}
		done += took
	}
	return edges
}

// choose takes the edges of one block of nodes, to lie behind so many edges. It gives how many nodes it served and
// where their edges end.
func (p *Workspaces) choose(
	w *workspace, stream rng.Stream, fanout uint64, nodes []uint32, positions []uint64, edges int, indptr []int64,
) (took, end int) {
	b := &w.block
	for i, u := range nodes {
		b.keys[i] = stream.Key(uint64(u))
		b.first[i], b.degrees[i] = p.rows.of(u)
		w.choices.prefetch(b.keys[i], fanout, b.first[i], b.degrees[i])
	}
	end = edges
	for i, u := range nodes {
		var n int
		if left := w.excluded.of(u); left != nil {
			n = w.choices.takeWithout(b.keys[i], fanout, u, left, positions[end:])
		} else {
			n = w.choices.take(b.keys[i], fanout, b.first[i], b.degrees[i], positions[end:])
		}
		taken := positions[end : end+n]
		stage.PrefetchIndices(unsafe.SliceData(p.g.Indices), taken)
		prefetchIDs(p.g, taken)
		end += n
		indptr[i] = int64(end)
		if end-edges >= plan.BlockEdges {
			return i + 1, end
		}
	}
	return len(nodes), end
}

// number gives the ends of the edges at positions their local numbers, and the edges their ids.
func (p *Workspaces) number(w *workspace, positions []uint64, indices []int64) {
	ends := w.ends[:len(positions)]
	w.locals.gather(unsafe.SliceData(p.g.Indices), positions, ends)
	w.nodes = w.locals.number(ends, w.nodes, indices)
	for i, at := range positions {
		positions[i] = p.g.EdgeID(at)
	}
}

// prefetchIDs asks for the ids of the edges at positions.
func prefetchIDs(g *graph.Graph, positions []uint64) {
	switch {
	case g.EdgeIDs != nil:
		stage.PrefetchIndices(unsafe.SliceData(g.EdgeIDs), positions)
	case g.EdgeIDs64 != nil:
		stage.PrefetchWords(unsafe.SliceData(g.EdgeIDs64), positions)
	}
}
