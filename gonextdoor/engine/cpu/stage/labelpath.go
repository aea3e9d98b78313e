package stage

import (
	"math/bits"
	"unsafe"

	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// LabelPath chooses edges with the labels of a path. Threads share it and do not modify it.
type LabelPath struct {
	Rows  index.LabelRows // those of a scan have Indices alone, which are the graph's
	Kinds []int           // index of each label of the path in Rows.Kinds, or -1

	path     []int32
	weights  index.LabelWeights // empty: choices are uniform
	segments segments           // of the weights
	scan     *labelScan         // of rows that are not ordered by label; nil: they are
}

// NewLabelPath returns the path with some labels. Choices follow weights if there are some.
func NewLabelPath(rows index.LabelRows, weights index.LabelWeights, path []int32) LabelPath {
	l := LabelPath{Rows: rows, Kinds: make([]int, len(path)), path: path, weights: weights}
	for i, label := range path {
		l.Kinds[i] = rows.Kind(label)
	}
	l.segments = segments{
		unsafe.Pointer(unsafe.SliceData(weights.Totals)), unsafe.Pointer(unsafe.SliceData(weights.Sums)),
		unsafe.Pointer(unsafe.SliceData(weights.Biases)),
	}
	return l
}

// Candidates finds the edges of the vertex of walker i with the label of step s. They are [First, First+Count) in the rows ordered by
// label, or else the row; First is t.Edges if there are none. Edge is the index of the range in Starts.
func (l *LabelPath) Candidates(t *Tables, w *Walkers, i, s int) {
	v, at := w.Vertex[i], s%len(l.path)
	first, end := uint64(0), uint64(0)
	switch {
	case l.scan != nil:
		row, degree := t.Row(v)
		first, end = row, row+degree
	case l.Rows.Starts == nil:
		row, degree := t.Row(v)
		first, end = l.Rows.Search(row, row+degree, l.path[at])
	case l.Kinds[at] >= 0:
		first, end = l.Rows.OfKind(v, l.Kinds[at])
		w.Edge[i] = uint64(v)*uint64(len(l.Rows.Kinds)) + uint64(l.Kinds[at])
	}
	if first == end {
		first, end = t.Edges, t.Edges
	}
	w.First[i], w.Count[i] = first, uint32(end-first)
}

// Choose picks one of the candidates of each of n walkers at step s, with the words in Position, by Uniform or by Scan over their biases:
//
//	Position[i] = the place of the edge in Rows.Indices, or t.Edges if no candidate has a bias
//
// It overwrites First, Edge and Hash.
func (l *LabelPath) Choose(t *Tables, w *Walkers, n, s int) {
	if l.scan != nil {
		at := s % len(l.path)
		l.scan.choose(t, w, n, l.scan.sums[at], l.path[at])
		return
	}
	if len(l.weights.Biases) == 0 {
		for i, word := range w.Position[:n] {
			index, _ := rng.Below(word, uint64(w.Count[i]))
			w.Position[i] = w.First[i] + index
		}
		return
	}
	// 1. Find the sums that edges are searched for. Edge is then the segment in the middle of a range.
	if l.weights.Totals != nil && !t.pure {
		PrefetchWords(unsafe.SliceData(l.weights.Totals), w.Edge[:n])
	}
	for i, word := range w.Position[:n] {
		total := l.total(t, w, i)
		if w.Hash[i], _ = bits.Mul64(word, total); total == 0 {
			w.First[i] = t.Edges
		}
		w.Edge[i] = (w.First[i] + uint64(w.Count[i]/2)) / index.SegmentEdges
	}
	// 2. Find the edges.
	if l.weights.Totals != nil {
		if !t.pure {
			PrefetchWords(unsafe.SliceData(l.weights.Sums), w.Edge[:n])
		}
		l.segments.search(w, n, t.Edges, t.pure)
		return
	}
	for i, first := range w.First[:n] {
		if w.Position[i] = first; first < t.Edges {
			w.Position[i] += above(l.weights.Biases[first:first+uint64(w.Count[i])], w.Hash[i])
		}
	}
}

// total returns the sum of the biases of the candidates of walker i.
func (l *LabelPath) total(t *Tables, w *Walkers, i int) (sum uint64) {
	switch first := w.First[i]; {
	case first == t.Edges:
		return 0
	case l.weights.Totals != nil:
		return l.weights.Totals[w.Edge[i]]
	default:
		for _, bias := range l.weights.Biases[first : first+uint64(w.Count[i])] {
			sum += uint64(bias)
		}
		return sum
	}
}
