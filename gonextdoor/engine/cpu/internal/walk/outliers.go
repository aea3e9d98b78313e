package walk

import (
	"sync"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// outliers decides the tries of second-order walks whose slot is outside the row (selector.Outliers).
type outliers struct {
	stage    stage.Outliers
	weighted bool
	single   bool // every share is 1, and the edges that walkers follow are not recorded
}

// newOutliers returns the outliers of a run.
func newOutliers(
	t *stage.Tables, o selector.Outliers, g *graph.Graph, weighted, edges bool, options graph.Options,
) (*outliers, error) {
	reach, err := index.ReachOf(g, weighted, options)
	return &outliers{
		stage:    stage.NewOutliers(t, o.Back, o.ShortBack, o.ShortNear, reach),
		weighted: weighted, single: reach == nil && !edges,
	}, err
}

// strays are the walkers of a group whose tries drew a slot of the region Near or Back. It serves one thread.
type strays struct {
	stage.Strays
	open      []stray // those whose candidate is known
	found     []stray // those that select an edge
	positions [plan.Group]uint64
	lookups   stage.Walkers // for the edges from their vertices to their candidates
	searches  stage.RowSearches
	singles   singleStrays
}

// stray is one such walker.
type stray struct {
	walker    uint32
	candidate uint32
	near      bool
	at, index uint64 // Near: position of the edge of the previous vertex that leads to the candidate, and its number
	place     app.Place
	edge      uint64 // position of the edge that the place selects
}

// strayPool keeps the memory of strays between pieces.
var strayPool = sync.Pool{New: func() any { return new(strays) }}

// locate computes the places of the strays, and prefetches the memory that settle reads.
func (s *secondOrder) locate(w *stage.Walkers, x *strays) {
	t, o := s.Tables, s.outliers
	x.open = x.open[:0]
	for k, i := range x.Walker[:x.Count] {
		first, d := t.Row(w.Vertex[i])
		previous, from := t.Row(w.Previous[i])
		e := stray{walker: i, candidate: w.Previous[i]}
		e.place, e.near = o.stage.Place(x.Slot[k], x.Near[k], w.Fraction[i], from)
		x.positions[k] = first + d/2
		if e.near {
			e.index = stage.EdgeOfPrevious(rng.Mix(w.Key[i]^w.Term[i]), from)
			e.at = previous + e.index
			x.positions[k] = e.at
		}
		x.open = append(x.open, e)
	}
	t.PrefetchEdges(x.positions[:x.Count])
}

// settle decides the tries of the strays, after Decide has taken their candidates for dead ends. It lists those that are
// accepted in x.found.
func (s *secondOrder) settle(w *stage.Walkers, x *strays) {
	x.found = x.found[:0]
	// 1. Read the candidates of Near. Edges back and parallel edges of the previous vertex are rejected.
	open, indices, checks := x.open[:0], s.graph.Indices, 0
	sure := uint32(0) // 1 if the graph is symmetric, so that every vertex has an edge back
	if s.edges != nil {
		sure = uint32(s.edges.Mirrored)
	}
	for _, e := range x.open {
		w.Accepted[e.walker] = 0
		if e.near {
			e.candidate = indices[e.at]
			if e.candidate == w.Previous[e.walker] || e.index > 0 && indices[e.at-1] == e.candidate {
				continue
			}
		}
		k := len(open)
		x.lookups.Previous[k], x.lookups.Candidate[k] = w.Vertex[e.walker], e.candidate
		x.lookups.Accepted[k] = sure
		if e.near || sure == 0 {
			x.lookups.Accepted[k], x.lookups.Check[checks] = 0, uint32(k)
			checks++
		}
		open = append(open, e)
	}
	// 2. Look up the edges to them. Without a set, the rows are searched only once.
	if s.edges != nil && checks > 0 {
		s.Tables.Verify(&x.lookups, checks, s.edges)
	}
	// 3. Search the rows for the edges whose share decides, or whose position is recorded.
	rows := &x.searches
	rows.Clear()
	searched := open[:0]
	for k, e := range open {
		if s.edges != nil && x.lookups.Accepted[k] == 0 {
			continue
		}
		if first, d := s.Tables.Row(w.Vertex[e.walker]); d > 0 {
			rows.Add(first, uint32(d), e.candidate)
			searched = append(searched, e)
		}
	}
	s.search(rows)
	for k, e := range searched {
		v, at := w.Vertex[e.walker], rows.Low[k]
		first, d := s.Tables.Row(v)
		for at > first && indices[at-1] == e.candidate { // of parallel edges, the search finds the last
			at--
		}
		e.edge = e.place.EdgeFrom(s.graph, at, first+d, e.candidate, s.outliers.weighted, s.outliers.stage.Of(v))
		if e.edge != graph.NoEdge {
			w.Candidate[e.walker], w.Accepted[e.walker] = e.candidate, 1
			x.found = append(x.found, e)
		}
	}
}

// search completes the searches of rows, and prefetches the biases of the edges that they find.
func (s *secondOrder) search(rows *stage.RowSearches) {
	if len(rows.Low) == 0 {
		return
	}
	rows.Search(s.graph.Indices)
	if s.outliers.weighted {
		stage.PrefetchIndices(&s.graph.Biases[0], rows.Low)
	}
}
