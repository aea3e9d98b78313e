package whole

import (
	"cmp"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/output"
)

// piece is some successive samples, one behind the other.
type piece struct {
	all  app.Row
	rows []count
}

// count is how much of a piece one sample is.
type count struct{ vertices, edges, ends, links int }

func countOf(row app.Row) count {
	return count{len(row.Vertices), len(row.Edges), len(row.Ends), len(row.Links)}
}

// add appends a sample, or refuses if no memory is left for it.
func (p *piece) add(row app.Row) error {
	if p.rows == nil {
		p.all = keptRow()
	}
	all := &p.all
	return cmp.Or(
		more(&p.rows, countOf(row)), more(&all.Vertices, row.Vertices...), more(&all.Edges, row.Edges...),
		more(&all.Ends, row.Ends...), more(&all.Parents, row.Parents...), more(&all.Links, row.Links...),
	)
}

// more appends to an array, or refuses if no memory is left for it.
func more[T any](s *[]T, x ...T) error {
	room, err := offheap.Room(*s, len(x))
	if err == nil {
		*s = append(room, x...)
	}
	return err
}

func (p *piece) addTo(n *output.Sizes) {
	n.Rows += len(p.rows)
	n.Vertices += len(p.all.Vertices)
	n.Ends += len(p.all.Ends)
	n.Links += len(p.all.Links)
}

func sizes(pieces []*piece) (n output.Sizes) {
	for _, p := range pieces {
		p.addTo(&n)
	}
	return n
}

// ragged copies the piece to where it begins in a result.
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

// layers copies the piece to where it begins in a result.
func (p *piece) layers(r Run, at output.Sizes, out output.Layers) {
	p.ragged(r, at, out.Ragged)
	copy(out.Ends[at.Ends:], p.all.Ends)
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
	for i, l := range p.all.Links {
		k := at.Links + i
		out.Sources[k], out.Targets[k], out.Values[k] = l.Source, l.Target, l.Value
	}
	linkIDs(r.Graph, p.all.Links, out.LinkEdges[at.Links:])
}

// linkIDs writes the links' ids. They lie far apart in memory: a loop of nothing else has more of them under way.
func linkIDs(g *graph.Graph, links []app.Link, ids []int64) {
	if g.EdgeIDs == nil {
		for i, l := range links {
			ids[i] = edgeID(g, l.Position)
		}
		return
	}
	narrow := g.EdgeIDs
	for i, l := range links {
		if ids[i] = -1; l.Position != graph.NoEdge {
			ids[i] = int64(narrow[l.Position])
		}
	}

}
