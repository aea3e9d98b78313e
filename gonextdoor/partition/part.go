// Package partition samples a graph that is divided into parts, each of which has complete rows of some vertices. The samples
// are equal to those on the whole graph, for any number of parts and any assignment of vertices to them.
//
// A Part is a plain object that reads only its rows, so that each may be in a separate process. Callers carry buffers from
// part to part.
package partition

import (
	"sync"

	"gonextdoor/gonextdoor/engine/cpu/neighbor"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
)

// Owners assigns each vertex of a graph to a part.
type Owners interface {
	// Parts returns the number of parts.
	Parts() int
	// Owner returns the part of a vertex.
	Owner(v uint32) int
	// Range returns the vertices [first, end) of a part, and ok = false if they are not a range.
	Range(part int) (first, end uint32, ok bool)
}

// Layout describes a partitioned graph. All parts have the same Layout.
type Layout struct {
	Whole  WholeGraph
	Owners Owners
	Hot    []uint32 // the vertices whose rows every part has, ascending
	// Degrees returns the degrees of all vertices. Only apps that read degrees of vertices of other parts call it. If it is nil,
	// they are refused.
	Degrees func() ([]uint32, error)
}

// Part has the rows of the vertices that it owns, and of the hot vertices. Rows are complete, in the order of the graph. Row i
// of Graph belongs to the i-th owned vertex in ascending order, row i of Hot to the i-th hot vertex. End points of edges are
// vertices of the whole graph, and EdgeID returns the ids of the whole graph.
//
// Several goroutines may read a part.
type Part struct {
	*Layout
	Number int

	rows   *graph.Graph
	hot    *graph.Graph // nil: there are no hot vertices
	owned  *rowSet
	hotSet *rowSet // nil with hot

	choosers choosers    // of TreeCall and BatchCall
	alone    *HeteroPart // this part as one of a graph of one type

	loading sync.Mutex // guards degrees
	degrees []uint32   // nil before LoadDegrees

	closers []func()
}

// NewPart returns a part with the rows of the owned vertices, and of the hot vertices unless there are none. The summaries of
// the graphs (MaxDegree, HasSinks) are those of the whole graph. The caller closes the graphs after the
// part, or lets Close do it with OnClose.
func NewPart(layout *Layout, number int, rows, hot *graph.Graph) (*Part, error) {
	p := &Part{Layout: layout, Number: number, rows: rows, hot: hot}
	n := layout.Whole.Vertices
	p.alone = alone(p)
	if first, end, ok := layout.Owners.Range(number); ok {
		p.owned = &rowSet{first: first, end: end}
	} else {
		p.owned = newRowSet(n, func(v uint32) bool { return layout.Owners.Owner(v) == number })
	}
	if size := p.owned.size(); size != rows.NumVertices() {
		return nil, refuse.Format("part %d has %d rows: expected %d, the number of vertices that it owns", number, rows.NumVertices(), size)
	}
	if hot == nil {
		return p, nil
	}
	if len(layout.Hot) != hot.NumVertices() {
		return nil, refuse.Format("hot: %d rows for %d vertices: expected a row for each", hot.NumVertices(), len(layout.Hot))
	}
	rest := layout.Hot
	p.hotSet = newRowSet(n, func(v uint32) bool {
		is := len(rest) > 0 && rest[0] == v
		if is {
			rest = rest[1:]
		}
		return is
	})
	if len(rest) > 0 {
		return nil, refuse.Format("hot: vertex %d after a larger one or above %d: expected ascending vertices", rest[0], n-1)
	}
	return p, nil
}

// Alone returns the part as one of a heterogeneous graph of one type and one relation. It ends with the part.
func (p *Part) Alone() *HeteroPart { return p.alone }

// Graph returns the rows of the owned vertices. Its vertices are row numbers; its end points are vertices of the whole graph.
func (p *Part) Graph() *graph.Graph { return p.rows }

// Hot returns the rows of the hot vertices, or nil if there are none.
func (p *Part) Hot() *graph.Graph { return p.hot }

// Owner returns the part that owns a vertex.
func (p *Part) Owner(v uint32) int { return p.Owners.Owner(v) }

// Local returns the graph and the row of a vertex that the part owns or that is hot. For other vertices ok is false.
func (p *Part) Local(v uint32) (g *graph.Graph, row uint32, ok bool) {
	if row, ok = p.owned.row(v); ok {
		return p.rows, row, true
	}
	if p.hotSet != nil {
		if row, ok = p.hotSet.row(v); ok {
			return p.hot, row, true
		}
	}
	return nil, 0, false
}

// everywhere reports whether all parts have the row of a vertex.
func (p *Part) everywhere(v uint32) (ok bool) {
	if p.hotSet != nil {
		_, ok = p.hotSet.row(v)
	}
	return ok
}

// LoadDegrees makes the degrees of all vertices available to Degree. It returns an error if the layout has none.
func (p *Part) LoadDegrees() (err error) {
	p.loading.Lock()
	defer p.loading.Unlock()
	if p.degrees != nil {
		return nil
	}
	if p.Layout.Degrees == nil {
		return refuse.Value("the partitioned graph has no degrees, which the app reads of vertices of other parts: write it again")
	}
	p.degrees, err = p.Layout.Degrees()
	return err
}

// Degree returns the number of edges of any vertex, after LoadDegrees.
func (p *Part) Degree(v uint32) uint64 { return uint64(p.degrees[v]) }

// EachOwned calls f with the row and the vertex of each row of Graph, in ascending order.
func (p *Part) EachOwned(f func(row int, v uint32)) { p.owned.each(f) }

// OnClose registers a function that Close calls.
func (p *Part) OnClose(f func()) { p.closers = append(p.closers, f) }

// Close releases what was registered with OnClose. The part must not be used afterwards. A second call does nothing.
func (p *Part) Close() {
	p.alone.Close()
	p.choosers.close()
	for _, f := range p.closers {
		f()
	}
	p.closers = nil
}

// HeteroPart is one part of a heterogeneous graph: for each relation, a Part with the rows of the vertices that the part owns. All
// relations that lead to a type are divided in the same way, so a vertex has all its rows in one part.
//
// Several goroutines may read a part.
type HeteroPart struct {
	Graph     *graph.Hetero // the types and the relations, which have no graphs
	Relations []*Part       // by relation

	assembler *neighbor.Sampler // of BatchCall
}

// NewHeteroPart returns a part of a heterogeneous graph. The graphs of h are ignored. The caller closes the relations after the
// part.
func NewHeteroPart(h *graph.Hetero, relations []*Part) (*HeteroPart, error) {
	if len(relations) == 0 || len(relations) != len(h.Relations) {
		return nil, refuse.Value("%d parts of relations: expected %d, one per relation, and at least 1", len(relations), len(h.Relations))
	}
	first := relations[0]
	for r, p := range relations {
		rel, name := h.Relations[r], h.OfRelation("relations", r)
		if p.Number != first.Number || p.Owners.Parts() != first.Owners.Parts() {
			return nil, refuse.Format("%s is part %d of %d: expected part %d of %d, as of the first relation", name, p.Number,
				p.Owners.Parts(), first.Number, first.Owners.Parts())
		}
		if need := max(h.Counts[rel.Destination], h.Counts[rel.Source]); p.Whole.Vertices < need {
			return nil, refuse.Format("%s: the graph has %d vertices, expected at least %d, the size of its larger vertex type", name,
				p.Whole.Vertices, need)
		}
	}
	return newHeteroPart(h, relations), nil
}

// alone returns a part of a graph of one type.
func alone(p *Part) *HeteroPart {
	return newHeteroPart(&graph.Hetero{Counts: []int{p.Whole.Vertices}, Relations: make([]graph.Relation, 1)}, []*Part{p})
}

// newHeteroPart is NewHeteroPart for parts that fit.
func newHeteroPart(h *graph.Hetero, relations []*Part) *HeteroPart {
	own := &graph.Hetero{Counts: h.Counts, Types: h.Types}
	for r, rel := range h.Relations {
		rel.Graph = relations[r].rows
		own.Relations = append(own.Relations, rel)
	}
	return &HeteroPart{Graph: own, Relations: relations, assembler: neighbor.NewAssembler(own)}
}

// Number returns the number of the part.
func (h *HeteroPart) Number() int { return h.Relations[0].Number }

// Parts returns the number of parts.
func (h *HeteroPart) Parts() int { return h.Relations[0].Owners.Parts() }

// ends returns the number of vertices to which the edges of a relation may lead.
func (h *HeteroPart) ends(relation int) int {
	return h.Graph.Counts[h.Graph.Relations[relation].Source]
}

// Close frees what mini-batches have left for the next ones. The relations remain open.
func (h *HeteroPart) Close() { h.assembler.Close() }

// viewDegrees returns the view of rows whose weights are the degrees of end points.
func (p *Part) viewDegrees(g *graph.Graph, opts graph.Options) (*graph.Graph, error) {
	if err := p.LoadDegrees(); err != nil {
		return nil, err
	}
	return index.ByDegreeOf(g, p.Degree, opts)
}
