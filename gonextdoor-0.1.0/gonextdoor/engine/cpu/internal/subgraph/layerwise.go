package subgraph

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/idmap"
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
)

// layerLinks connects a layer to the layer before. The samplers of LADIES and FastGCN embed it. It serves one thread.
type layerLinks struct {
	g         *graph.Graph
	norm      index.Normalization
	normalize bool
	vertices  []uint32 // of the layer; a vertex may occur twice
	factors   []float64
	marks     bitset // the vertices of the layer: a filter, because most ends of edges are not among them
	ids       idmap.Map
	numbers   []uint32 // by place in the layer: the number of its vertex in ids
	heads     []int32  // by number: the first place of the vertex
	next      []int32  // by place: the next place of the same vertex, or -1
	positions [plan.Block]uint64
	hits      [plan.BlockEdges + stage.MarkedSlack]uint32
}

// addRoots appends the roots to a row and ends their step.
func addRoots(row app.Row, roots []uint32) app.Row {
	row.Vertices = append(row.Vertices, roots...)
	row.Ends = append(row.Ends, int32(len(roots)))
	return row
}

// weigh computes the factor of each place of the layer, by which its links are multiplied. chosen returns the importance of
// place i, and total is the sum over all candidates.
func (l *layerLinks) weigh(total uint64, chosen func(i int) uint64) {
	l.factors = buffer.Grow(l.factors[:0], len(l.vertices))
	for i, u := range l.vertices {
		l.factors = append(l.factors, app.Factor(l.norm, l.g.Degree(u)+1, chosen(i), total, len(l.vertices)))
	}
}

// list builds the bitset of the layer's vertices and the lists of their places.
func (l *layerLinks) list() {
	l.ids.Reset(uint64(len(l.vertices)))
	l.marks = l.marks.fit(l.g.NumVertices())
	l.numbers = buffer.Grow(l.numbers[:0], len(l.vertices))
	for _, u := range l.vertices {
		l.marks.set(u)
		n, _ := l.ids.Add(u)
		l.numbers = append(l.numbers, n)
	}
	l.heads = buffer.Grow(l.heads[:0], int(l.ids.Count))[:l.ids.Count]
	for i := range l.heads {
		l.heads[i] = -1
	}
	l.next = buffer.Grow(l.next[:0], len(l.vertices))[:len(l.vertices)]
	for i := len(l.vertices) - 1; i >= 0; i-- {
		at := &l.heads[l.numbers[i]]
		l.next[i], *at = *at, int32(i)
	}
}

// prefetchAhead prefetches the rows of the next block of vertices if place i begins a block.
func (l *layerLinks) prefetchAhead(vertices []uint32, i int) {
	if i%plan.Block != 0 {
		return
	}
	if i == 0 {
		l.prefetchRows(vertices[:min(len(vertices), plan.Block)])
	}
	l.prefetchRows(vertices[min(len(vertices), i+plan.Block):min(len(vertices), i+2*plan.Block)])
}

// prefetchRows prefetches the first cache line of the rows of vertices.
func (l *layerLinks) prefetchRows(vertices []uint32) {
	for i, v := range vertices {
		l.positions[i] = l.g.Indptr[v]
	}
	stage.PrefetchIndices(unsafe.SliceData(l.g.Indices), l.positions[:len(vertices)])
}

// connect returns row.Links with the links from the previous layer to the last layer, which is l's. It reads the rows of
// the previous layer once.
func (l *layerLinks) connect(row app.Row) []app.Link {
	l.list()
	// 1. The previous layer is [first, middle) of the row.
	links, levels := row.Links, len(row.Ends)
	first, middle := int32(0), row.Ends[levels-2]
	if levels > 2 {
		first = row.Ends[levels-3]
	}
	// 2. For each of its vertices: the loop that normalization adds, then the edges whose end passes the filter.
	for source := first; source < middle && !row.Stopped(); source++ {
		l.prefetchAhead(row.Vertices[first:middle], int(source-first))
		v, begun := row.Vertices[source], len(links)
		link := app.Link{Source: source, Target: middle, Position: graph.NoEdge, Value: l.norm.Source(l.g.Degree(v) + 1)}
		links = l.link(links, link, v)
		for from, end := l.g.Row(v); from < end; from += plan.BlockEdges {
			ends := l.g.Indices[from:min(end, from+plan.BlockEdges)]
			n := stage.Marked(unsafe.SliceData(l.marks), ends, &l.hits[0])
			for _, i := range l.hits[:n] {
				link.Position = from + uint64(i)
				links = l.link(links, link, ends[i])
			}
		}
		if l.normalize {
			app.Normalize(links[begun:])
		}
	}
	l.marks.clear(l.vertices)
	return links
}

// link appends a link to each place of u in the layer. like is the template: it leads to the layer's first place, and its
// value is the factor of the source.
func (l *layerLinks) link(links []app.Link, like app.Link, u uint32) []app.Link {
	number := l.ids.Find(u)
	if number < 0 {
		return links
	}
	for at := l.heads[number]; at >= 0; at = l.next[at] {
		one := like
		one.Target += at
		one.Value *= l.factors[at]
		if len(links) == cap(links) {
			links = buffer.Grow(links, 1)
		}
		links = append(links, one)
	}
	return links
}
