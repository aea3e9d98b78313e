package growth

import (
	"sort"

	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/graph"
)

// transit is a vertex of a sample that the next step expands.
type transit struct {
	vertex, prev uint32
	place        int32  // index in the sample's row, or -1
	edge         uint64 // position of the edge that led to vertex, or graph.NoEdge
}

// noTransit marks an empty slot, or a choice of all transits of a sample together.
var noTransit = transit{graph.None, graph.None, -1, graph.NoEdge}

// span is a transit with its row: the positions [first, end) of its edges.
type span struct {
	from       transit
	first, end uint64
	offset     uint64 // number of its first candidate
}

// candidates are the edges that a choice selects from: the rows of one or several transits. They are numbered from 0 across
// all spans.
type candidates struct {
	spans []span
	n     uint64
}

// at returns the span and the position of candidate i, by binary search if there are several spans.
func (c *candidates) at(i uint64) (s *span, edge uint64) {
	s = &c.spans[0]
	if len(c.spans) > 1 {
		s = &c.spans[sort.Search(len(c.spans), func(k int) bool { return c.spans[k].offset > i })-1]
	}
	return s, s.first + i - s.offset
}

// spanBuffer holds the spans of all choices that are made together.
type spanBuffer struct {
	graph *graph.Graph
	spans []span
}

// candidatesOf returns the candidates of some transits. They are valid until the buffer is reset.
func (b *spanBuffer) candidatesOf(transits []transit) candidates {
	b.spans = buffer.Grow(b.spans, len(transits))
	lo, n := len(b.spans), uint64(0)
	for _, t := range transits {
		if t.vertex == graph.None {
			continue
		}
		first, end := b.graph.Row(t.vertex)
		b.spans = append(b.spans, span{t, first, end, n})
		n += end - first
	}
	hi := len(b.spans)
	return candidates{b.spans[lo:hi:hi], n}
}

// reset removes all spans and keeps the memory.
func (b *spanBuffer) reset() { b.spans = b.spans[:0] }
