package partition

import (
	"sync/atomic"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/refuse"
)

// Split copies a graph in memory into parts. hot lists the vertices whose rows every part has, in ascending order without
// repetitions; the parts share one copy. The caller closes every part.
func Split(g *graph.Graph, owners Owners, hot []uint32, opts graph.Options) (parts []*Part, err error) {
	if err := g.ValidateWith(opts); err != nil {
		return nil, err
	}
	layout := &Layout{Owners: owners, Hot: hot}
	if layout.Whole, err = WholeOf(g, opts); err != nil {
		return nil, err
	}
	vertices, err := ownedVertices(g, layout)
	if err != nil {
		return nil, err
	}
	shared := &sharedRows{}
	defer shared.release()
	shared.users.Add(1)
	if len(hot) > 0 {
		if shared.rows, err = copyRows(g, layout.Whole, hot, opts); err != nil {
			return nil, err
		}
	}
	for k := range vertices {
		rows, err := copyRows(g, layout.Whole, vertices[k], opts)
		if err == nil {
			var p *Part
			if p, err = NewPart(layout, k, rows, shared.rows); err == nil {
				shared.users.Add(1)
				p.OnClose(rows.Close)
				p.OnClose(shared.release)
				parts = append(parts, p)
				continue
			}
			rows.Close()
		}
		for _, p := range parts {
			p.Close()
		}
		return nil, err
	}
	return parts, nil
}

// ownedVertices sets the degrees of a layout, checks its owners and hot vertices, and returns the vertices of each part.
func ownedVertices(g *graph.Graph, layout *Layout) (vertices [][]uint32, err error) {
	n, count := uint32(g.NumVertices()), layout.Owners.Parts()
	degrees := make([]uint32, n)
	layout.Degrees = func() ([]uint32, error) { return degrees, nil }
	vertices = make([][]uint32, count)
	for v := range n {
		degrees[v] = uint32(g.Degree(v))
		k := layout.Owners.Owner(v)
		if k < 0 || k >= count {
			return nil, refuse.Value("owner[%d] = %d: expected a part from 0 to %d", v, k, count-1)
		}
		vertices[k] = append(vertices[k], v)
	}
	for i, v := range layout.Hot {
		if v >= n || i > 0 && v <= layout.Hot[i-1] {
			return nil, refuse.Value("hot[%d] = %d: expected ascending vertices below %d", i, v, n)
		}
	}
	return vertices, nil
}

// sharedRows are the hot rows of parts in one process, which the last part frees.
type sharedRows struct {
	rows  *graph.Graph // nil: there are none
	users atomic.Int64
}

// release ends the use of a part.
func (s *sharedRows) release() {
	if s.users.Add(-1) == 0 && s.rows != nil {
		s.rows.Close()
	}
}

// copyRows returns a graph of the rows of some vertices of g, with the properties of the whole graph.
func copyRows(g *graph.Graph, whole WholeGraph, vertices []uint32, opts graph.Options) (*graph.Graph, error) {
	rows, err := build.Selected(g, vertices, opts)
	if err != nil {
		return nil, err
	}
	part, err := graph.FromArrays(rows.Arrays(), graph.Summary{
		MaxDegree: whole.MaxDegree, HasSinks: whole.HasSinks, Checked: true, Ends: whole.Vertices, NoEdgeIDs: g.NoEdgeIDs,
	})
	if err != nil {
		rows.Close()
		return nil, err
	}
	part.OnClose(rows.Close)
	return part, nil
}
