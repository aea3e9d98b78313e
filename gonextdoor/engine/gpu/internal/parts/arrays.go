package parts

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/kernels"
)

// partArray is an array of the host of which a part has a range.
type partArray struct {
	to     field // where kernels find it
	from   unsafe.Pointer
	size   int64        // bytes of an element
	perRow int64        // elements of a row; 0: an element per some edges
	edges  int64        // the number of these edges
	ends   int64        // 1 if the rows of a part are followed by one more element, the end of the last row; else 0
	owner  *graph.Graph // with which it is freed
}

// field returns the address of an array's field.
type field func(*kernels.Graph) *uint64

// partArrays are the arrays of the parts of a graph.
type partArrays []partArray

// add adds an array that is freed with a graph.
func add[T any](a *partArrays, to field, from []T, perRow, ends int64, owner *graph.Graph) {
	*a = append(*a, partArray{to, pointerTo(from), int64(unsafe.Sizeof(*new(T))), perRow, 1, ends, owner})
}

func pointerTo[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// partArraysOf returns the arrays of parts that have some layouts: Rows, Alias, Biases, Labels, ByLabel, Temporal, Decay, Reach,
// ParallelEdges, Segments or LabelWeights. All but Rows have the begins of rows too, and no end points beside theirs. edges: parts have the ids of edges. The tables must have
// been built, unless only sizes are wanted; kinds is the number of labels of ByLabel.
func partArraysOf(g *graph.Graph, want resident.Layout, kinds int, edges bool) (a partArrays) {
	base, has := g.Base(), func(l resident.Layout) bool { return want&l != 0 }
	if !has(resident.ByLabel) || edges {
		add(&a, func(g *kernels.Graph) *uint64 { return &g.Indptr }, g.Indptr, 1, 1, base)
	}
	if has(resident.Rows) {
		add(&a, func(g *kernels.Graph) *uint64 { return &g.Indices }, g.Indices, 0, 0, base)
	}
	if has(resident.Alias) {
		add(&a, func(g *kernels.Graph) *uint64 { return &g.Alias }, index.AliasOf(g), 0, 0, g)
	}
	if has(resident.Biases) {
		add(&a, func(g *kernels.Graph) *uint64 { return &g.Biases }, g.Biases, 0, 0, g)
	}
	if has(resident.Labels) {
		add(&a, func(g *kernels.Graph) *uint64 { return &g.Labels }, g.Labels, 0, 0, base)
	}
	if has(resident.Segments) {
		a.addSegments(index.SegmentsNow(g), 1, g)
	}
	if has(resident.Reach) {
		a.addReach(g, true, g)
	}
	if has(resident.ParallelEdges) {
		a.addReach(g, false, base)
	}
	if edges {
		a.addIDs(g)
	}
	if has(resident.ByLabel) {
		a.addLabelRows(g, kinds, edges)
		if has(resident.LabelWeights) {
			a.addLabelWeights(g, kinds)
		}
	}
	if has(resident.Temporal) {
		a.addTemporal(g, has(resident.Decay), edges)
	}
	return a
}

// addSegments adds sums of biases, with a number of totals per row.
func (a *partArrays) addSegments(s index.Segments, totals int64, owner *graph.Graph) {
	add(a, func(g *kernels.Graph) *uint64 { return &g.Totals }, s.Totals, totals, 0, owner)
	add(a, func(g *kernels.Graph) *uint64 { return &g.Segments }, s.Sums, 0, 0, owner)
	(*a)[len(*a)-1].edges = index.SegmentEdges
}

// addLabelWeights adds the biases in the order of the rows by label, and their sums.
func (a *partArrays) addLabelWeights(g *graph.Graph, kinds int) {
	weights := index.LabelWeightsNow(g)
	add(a, func(g *kernels.Graph) *uint64 { return &g.Biases }, weights.Biases, 0, 0, g)
	a.addSegments(weights.Segments, int64(kinds), g)
}

// addReach adds the largest shares. Without parallel edges and weights there are none.
func (a *partArrays) addReach(g *graph.Graph, weighted bool, owner *graph.Graph) {
	if reach, built := index.ReachNow(g, weighted); !built || reach != nil {
		add(a, func(g *kernels.Graph) *uint64 { return &g.Reach }, reach, 1, 0, owner)
	}
}

// addIDs adds the ids of edges, if they are not their positions.
func (a *partArrays) addIDs(g *graph.Graph) {
	ids := func(g *kernels.Graph) *uint64 { return &g.IDs }
	switch {
	case g.EdgeIDs != nil:
		add(a, ids, g.EdgeIDs, 0, 0, g.Base())
	case g.EdgeIDs64 != nil:
		add(a, ids, g.EdgeIDs64, 0, 0, g.Base())
	}
}

// addLabelRows adds the rows by label. Their places are needed for the positions of edges only.
func (a *partArrays) addLabelRows(g *graph.Graph, kinds int, edges bool) {
	rows := index.LabelRowsNow(g)
	add(a, func(g *kernels.Graph) *uint64 { return &g.LabelRows }, rows.Starts, int64(kinds), 1, g.Base())
	add(a, func(g *kernels.Graph) *uint64 { return &g.LabelIndices }, rows.Indices, 0, 0, g.Base())
	if edges {
		add(a, func(g *kernels.Graph) *uint64 { return &g.LabelPositions }, rows.Places, 0, 0, g.Base())
	}
}

// addTemporal adds the rows in order of time of a view. Views that differ in the decay of weights alone share them.
func (a *partArrays) addTemporal(g *graph.Graph, decay, edges bool) {
	rows, owner := index.TemporalRowsOf(g), g
	if decay {
		plain := rows.Order
		plain.Scale = 0
		if view := index.TemporalViewNow(g, plain); view != nil {
			owner = view
		}
		add(a, func(g *kernels.Graph) *uint64 { return &g.Decay }, rows.Sums, 0, 0, g)
	}
	add(a, func(g *kernels.Graph) *uint64 { return &g.Temporal }, rows.Edges, 0, 0, owner)
	if edges {
		add(a, func(g *kernels.Graph) *uint64 { return &g.TemporalPlaces }, rows.Places, 0, 0, owner)
	}
}
