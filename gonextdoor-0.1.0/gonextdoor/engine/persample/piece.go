package persample

import (
	"cmp"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/output"
)

// piece holds successive samples, concatenated.
type piece struct {
	all  app.Row
	rows []count // of each sample
}

// count is the size of one sample in a piece.
type count struct{ vertices, edges, ends, links int }

func countOf(row app.Row) count {
	return count{len(row.Vertices), len(row.Edges), len(row.Ends), len(row.Links)}
}

// add appends a copy of a sample, or returns a memory refusal if it does not fit.
func (p *piece) add(row app.Row) error {
	if p.rows == nil {
		p.all = pooledRow()
	}
	all := &p.all
	return cmp.Or(
		more(&p.rows, countOf(row)), more(&all.Vertices, row.Vertices...), more(&all.Edges, row.Edges...),
		more(&all.Ends, row.Ends...), more(&all.Parents, row.Parents...), more(&all.Links, row.Links...),
	)
}

// more appends to an array, or returns a memory refusal if the elements do not fit.
func more[T any](s *[]T, x ...T) error {
	grown, err := offheap.Room(*s, len(x))
	if err == nil {
		*s = append(grown, x...)
	}
	return err
}

// addTo adds the sizes of the piece to n.
func (p *piece) addTo(n *output.Sizes) {
	n.Rows += len(p.rows)
	n.Vertices += len(p.all.Vertices)
	n.Ends += len(p.all.Ends)
	n.Links += len(p.all.Links)
}

// sizes returns the sizes of all pieces together.
func sizes(pieces []*piece) (n output.Sizes) {
	for _, p := range pieces {
		p.addTo(&n)
	}
	return n
}

// ragged copies the piece to its start in a ragged result.
func (p *piece) ragged(r Run, at output.Sizes, out output.Ragged) {
	copy(out.Vertices[at.Vertices:], p.all.Vertices)
	edges := p.all.Edges
	v := at.Vertices
	for i, c := range p.rows {
		out.Offsets[at.Rows+i] = int64(v)
		if r.Batch.Edges {
			roots := c.vertices - c.edges
			for k := range roots {
				out.Edges[v+k] = -1
			}
			for k, position := range edges[:c.edges] {
				out.Edges[v+roots+k] = edgeID(r.Graph, position)
			}
			edges = edges[c.edges:]
		}
		v += c.vertices
	}
}

// layers copies the piece to its start in a layered result.
func (p *piece) layers(r Run, at output.Sizes, out output.Layers) {
	// 1. Vertices, edges and the ends of steps.
	p.ragged(r, at, out.Ragged)
	copy(out.Ends[at.Ends:], p.all.Ends)
	// 2. Parents, and the offsets of each sample. Roots have no parent.
	parents, v, ends, links := p.all.Parents, at.Vertices, at.Ends, at.Links
	for i, c := range p.rows {
		roots := c.vertices - c.edges
		for k := range roots {
			out.Parents[v+k] = -1
		}
		copy(out.Parents[v+roots:], parents[:c.edges])
		parents = parents[c.edges:]
		out.EndsFrom[at.Rows+i] = int64(ends)
		if out.LinksFrom != nil {
			out.LinksFrom[at.Rows+i] = int64(links)
		}
		v, ends, links = v+c.vertices, ends+c.ends, links+c.links
	}
	if out.LinksFrom == nil {
		return
	}
	// 3. Links.
	for i, l := range p.all.Links {
		k := at.Links + i
		out.Sources[k], out.Targets[k], out.Values[k] = l.Source, l.Target, l.Value
	}
	linkIDs(r.Graph, p.all.Links, out.LinkEdges[at.Links:])
}

// linkIDs writes the ids of the links' edges. Each read is a cache miss, and a separate loop overlaps more of these misses.
func linkIDs(g *graph.Graph, links []app.Link, ids []int64) {
	if g.EdgeIDs == nil {
		for i, l := range links {
			ids[i] = edgeID(g, l.Position)
		}
		return
	}
	ids32 := g.EdgeIDs
	for i, l := range links {
		if ids[i] = -1; l.Position != graph.NoEdge {
			ids[i] = int64(ids32[l.Position])
		}
	}
}
