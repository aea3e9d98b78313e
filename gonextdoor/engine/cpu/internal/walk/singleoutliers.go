package walk

import (
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// singleStrays are strays if every share is 1, and edges are not recorded. An edge to a vertex then selects a place if there is
// one, so no row is searched.
type singleStrays struct {
	count  int
	walker [plan.Group]uint32
	kind   [plan.Group]strayKind

	asked    int // those whose lookup is by their vertex instead of the previous one
	asks     [plan.Group]uint32
	previous [plan.Group]uint32 // the previous vertices of those
}

// strayKind is what a stray proposes.
type strayKind uint8

const (
	strayOutside strayKind = iota // nothing: no edge selects the place
	strayNear                     // an edge to a neighbour of the previous vertex
	strayBack                     // an edge to the previous vertex
)

// locateSingles proposes edges for the strays before Decide: Position of a stray of Near becomes the edge of the previous
// vertex, whose end point Decide takes for an accepted candidate.
func (s *secondOrder) locateSingles(w *stage.Walkers, strays *strays) {
	t, o, x := s.Tables, &s.outliers.stage, &strays.singles
	for k, i := range strays.Walker[:strays.Count] {
		x.walker[k], x.kind[k] = i, strayOutside
		strays.positions[k] = t.Edges
		previous, from := t.Row(w.Previous[i])
		place, near := o.Place(strays.Slot[k], strays.Near[k], w.Fraction[i], from)
		switch {
		case !place.Selects(index.SingleReach.Most()):
		case near:
			x.kind[k] = strayNear
			w.Position[i] = previous + stage.EdgeOfPrevious(rng.Mix(w.Key[i]^w.Term[i]), from)
			strays.positions[k] = w.Position[i]
		default:
			x.kind[k] = strayBack
		}
	}
	x.count = strays.Count
	t.PrefetchEdges(strays.positions[:x.count])
}

// settleSingles decides the tries of the strays after Decide, which listed checks walkers for a lookup. It lists further ones,
// and returns their number. Verify looks up edges from Previous, so that of a stray is its vertex until restoreSingles.
func (s *secondOrder) settleSingles(w *stage.Walkers, x *singleStrays, checks int) int {
	x.asked = 0
	for k, i := range x.walker[:x.count] {
		previous, asks := w.Previous[i], false
		switch x.kind[k] {
		case strayNear:
			asks = w.Candidate[i] != previous // an edge back is proposed by Back only
			w.Accepted[i] = 0
		case strayBack:
			w.Candidate[i] = previous
			asks = s.edges.Mirrored == 0 // otherwise every vertex has an edge back
			w.Accepted[i] = uint32(s.edges.Mirrored)
		default:
			w.Accepted[i] = 0
		}
		if asks {
			x.asks[x.asked], x.previous[x.asked] = i, previous
			x.asked++
			w.Previous[i] = w.Vertex[i]
			w.Check[checks] = i
			checks++
		}
	}
	return checks
}

// restoreSingles restores the previous vertices of the strays.
func (x *singleStrays) restoreSingles(w *stage.Walkers) {
	for k, i := range x.asks[:x.asked] {
		w.Previous[i] = x.previous[k]
	}
}
