package cpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
)

// layerwise is what the growers of layers have in common: a layer, its vertices by a bit of each and in a roster, and the
// factors of its values. It serves one thread.
type layerwise struct {
	g         *graph.Graph
	norm      index.Normalization
	normalize bool
	vertices  []uint32 // of the layer
	factors   []float64
	marks     marks // of its vertices: most ends of edges are none
	roster    roster
	numbers   []uint32 // by place
	heads     []int32  // by number: the first place of the vertex in the layer
	next      []int32  // by place: the next of the same vertex, or -1
	positions [plan.Block]uint64
	hits      [plan.BlockEdges + stage.MarkedSlack]uint32
}

// begin appends the roots.
func begin(row app.Row, roots []uint32) app.Row {
	row.Vertices = append(row.Vertices, roots...)
	row.Ends = append(row.Ends, int32(len(roots)))
	return row
}

// weigh gives each place of the layer its factor; chosen gives the importance of place i.
func (l *layerwise) weigh(total uint64, chosen func(i int) uint64) {
	l.factors = grown(l.factors[:0], len(l.vertices))
	for i, u := range l.vertices {
		l.factors = append(l.factors, app.Factor(l.norm, l.g.Degree(u)+1, chosen(i), total, len(l.vertices)))
	}
}

// list makes the lists of the layer's places by vertex.
func (l *layerwise) list() {
	l.roster.reset(uint64(len(l.vertices)))
	l.marks = l.marks.room(l.g.NumVertices())
	l.numbers = grown(l.numbers[:0], len(l.vertices))
	for _, u := range l.vertices {
		l.marks.set(u)
		n, _ := l.roster.add(u)
		l.numbers = append(l.numbers, n)
	}
	l.heads = grown(l.heads[:0], int(l.roster.n))[:l.roster.n]
	for i := range l.heads {
		l.heads[i] = -1
	}
	l.next = grown(l.next[:0], len(l.vertices))[:len(l.vertices)]
	for i := len(l.vertices) - 1; i >= 0; i-- {
		at := &l.heads[l.numbers[i]]
		l.next[i], *at = *at, int32(i)
	}
}

// ahead asks for the rows of the vertices of the next block, when place i begins one.
func (l *layerwise) ahead(vertices []uint32, i int) {
	if i%plan.Block != 0 {
		return
	}
	if i == 0 {
		l.ask(vertices[:min(len(vertices), plan.Block)])
	}
	l.ask(vertices[min(len(vertices), i+plan.Block):min(len(vertices), i+2*plan.Block)])
}

func (l *layerwise) ask(vertices []uint32) {
	for i, v := range vertices {
		l.positions[i] = l.g.Indptr[v]
	}
	stage.PrefetchIndices(unsafe.SliceData(l.g.Indices), l.positions[:len(vertices)])
}

// connect appends the links between the last layer, which is l's, and the one before.
func (l *layerwise) connect(row app.Row) []app.Link {
	l.list()
	links, levels := row.Links, len(row.Ends)
	first, middle := int32(0), row.Ends[levels-2]
	if levels > 2 {
		first = row.Ends[levels-3]
	}
	for source := first; source < middle && !row.Stopped(); source++ {
		l.ahead(row.Vertices[first:middle], int(source-first))
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
	l.marks.forget(l.vertices)
	return links
}

// link appends a link to each place of u in the layer: like the one given, which leads to the layer's first place and is
// worth its source's factor.
func (l *layerwise) link(links []app.Link, like app.Link, u uint32) []app.Link {
	number := l.roster.find(u)
	if number < 0 {
		return links
	}
	for at := l.heads[number]; at >= 0; at = l.next[at] {
		one := like
		one.Target += at
		one.Value *= l.factors[at]
		if len(links) == cap(links) {
			links = grown(links, 1)
		}
		links = append(links, one)
	}
	return links
}
