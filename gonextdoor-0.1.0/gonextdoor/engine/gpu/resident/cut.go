package resident

import (
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
)

// axis says in which order the elements of an array are, so that it can be cut at the bounds of a placement.
type axis uint8

const (
	byVertex axis = iota // in the order of the vertices
	byEdge               // in the order of the edges
	byHash               // in no such order: each GPU gets an equal share
)

// piece is a part of a split array, whose memory one GPU has: its home.
type piece struct {
	at, bytes int64
	home      int // in group.stores
	chunk     cuda.Chunk
}

// cut divides an array into pieces of whole granules. GPU i of the placement is the home of the pieces of its rows, up to one
// granule.
func (p *group) cut(a array, g *graph.Graph) (pieces []piece) {
	granules := p.granules(a.bytes)
	unit := (granules + plan.SplitPieces - 1) / plan.SplitPieces
	n := len(p.Devices)
	for i, first := 0, int64(0); i < n; i++ {
		end := granules
		if i+1 < n {
			end = max(first, min(granules, int64(p.share(a.along, g, i+1)*float64(granules)+0.5)))
		}
		for ; first < end; first += unit {
			pieces = append(pieces, piece{
				at: first * p.granularity, bytes: min(unit, end-first) * p.granularity, home: p.homes[i],
			})
		}
		first = end
	}
	return pieces
}

// share returns which fraction of an array's elements is before the part i.
func (p *group) share(along axis, g *graph.Graph, i int) float64 {
	bound := p.Bounds[i]
	switch {
	case along == byVertex && g.NumVertices() > 0:
		return float64(bound) / float64(g.NumVertices())
	case along == byEdge && g.NumEdges() > 0:
		return float64(g.Indptr[bound]-g.Indptr[0]) / float64(g.NumEdges())
	}
	return float64(i) / float64(len(p.Devices))
}

// granules returns how many granules an array needs.
func (p *group) granules(bytes int64) int64 { return (bytes + p.granularity - 1) / p.granularity }

// small reports whether an array of that many bytes is replicated before all others.
func (p *group) small(bytes int64) bool { return p.granules(bytes) <= plan.ReplicatedGranules }

// needed returns how many bytes of each GPU an array takes without replicas.
func (p *group) needed(a array, g *graph.Graph) []int64 {
	bytes := make([]int64, len(p.stores))
	for _, piece := range p.cut(a, g) {
		bytes[piece.home] += piece.bytes
	}
	return bytes
}

// useful returns how many bytes of each GPU an array takes if all of it is replicated that is replicated before the edges.
func (p *group) useful(a array, g *graph.Graph) []int64 {
	bytes := p.needed(a, g)
	if a.along != byEdge || p.small(a.bytes) {
		for m := range bytes {
			bytes[m] = p.granules(a.bytes) * p.granularity
		}
	}
	return bytes
}
