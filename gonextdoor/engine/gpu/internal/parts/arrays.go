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
	from   unsafe.Pointer
	size   int64        // bytes of an element; 0: parts do not have the array
	perRow int64        // elements of a row; 0: an element per edge
	ends   int64        // 1 if the rows of a part are followed by one more element, the end of the last row; else 0
	owner  *graph.Graph // with which it is freed
}

// partArrays are the arrays of the parts of a graph.
type partArrays [kernels.PartArrays]partArray

func pointerTo[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// partArraysOf returns the arrays of parts that have some layouts: Rows, Alias, Biases, Labels, ByLabel, Temporal, Decay, Reach,
// ParallelEdges or RowTries. All but Rows have the begins of rows too, and no end points beside theirs. edges: parts have the ids of edges. The tables must have
// been built, unless only sizes are wanted; kinds is the number of labels of ByLabel.
func partArraysOf(g *graph.Graph, want resident.Layout, kinds int, edges bool) (a partArrays) {
	base, has := g.Base(), func(l resident.Layout) bool { return want&l != 0 }
	if !has(resident.ByLabel) || edges {
		a[kernels.PartIndptr] = partArray{pointerTo(g.Indptr), 8, 1, 1, base}
	}
	if has(resident.Rows) {
		a[kernels.PartIndices] = partArray{pointerTo(g.Indices), 4, 0, 0, base}
	}
	if has(resident.Alias) {
		a[kernels.PartAlias] = partArray{pointerTo(index.AliasOf(g)), 16, 0, 0, g}
	}
	if has(resident.Biases) {
		a[kernels.PartBiases] = partArray{pointerTo(g.Biases), 4, 0, 0, g}
	}
	if has(resident.Labels) {
		a[kernels.PartLabels] = partArray{pointerTo(g.Labels), 4, 0, 0, base}
	}
	if has(resident.RowTries) {
		a[kernels.PartRowTries] = partArray{pointerTo(index.RowTriesNow(g)), 1, 1, 0, g}
	}
	if has(resident.Reach) {
		a[kernels.PartReach] = reachArray(g, true, g)
	}
	if has(resident.ParallelEdges) {
		a[kernels.PartReach] = reachArray(g, false, base)
	}
	if edges {
		a.addIDs(g)
	}
	if has(resident.ByLabel) {
		a.addLabelRows(g, kinds, edges)
	}
	if has(resident.Temporal) {
		a.addTemporal(g, has(resident.Decay), edges)
	}
	return a
}

// reachArray returns the array of the largest shares. Without parallel edges and weights there is none.
func reachArray(g *graph.Graph, weighted bool, owner *graph.Graph) partArray {
	reach, built := index.ReachNow(g, weighted)
	if built && reach == nil {
		return partArray{}
	}
	return partArray{pointerTo(reach), 16, 1, 0, owner}
}

// addIDs adds the ids of edges, if they are not their positions.
func (a *partArrays) addIDs(g *graph.Graph) {
	switch {
	case g.EdgeIDs != nil:
		a[kernels.PartIDs] = partArray{pointerTo(g.EdgeIDs), 4, 0, 0, g.Base()}
	case g.EdgeIDs64 != nil:
		a[kernels.PartIDs] = partArray{pointerTo(g.EdgeIDs64), 8, 0, 0, g.Base()}
	}
}

// addLabelRows adds the rows by label. Their places are needed for the positions of edges only.
func (a *partArrays) addLabelRows(g *graph.Graph, kinds int, edges bool) {
	rows := index.LabelRowsNow(g)
	a[kernels.PartLabelRows] = partArray{pointerTo(rows.Starts), 8, int64(kinds), 1, g.Base()}
	a[kernels.PartLabelIndices] = partArray{pointerTo(rows.Indices), 4, 0, 0, g.Base()}
	if edges {
		a[kernels.PartLabelPlaces] = partArray{pointerTo(rows.Places), 4, 0, 0, g.Base()}
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
		a[kernels.PartDecay] = partArray{pointerTo(rows.Sums), 8, 0, 0, g}
	}
	a[kernels.PartTemporal] = partArray{pointerTo(rows.Edges), 16, 0, 0, owner}
	if edges {
		a[kernels.PartTemporalPlaces] = partArray{pointerTo(rows.Places), 4, 0, 0, owner}
	}
}

// present returns a bit for each array that parts have.
func (a *partArrays) present() (bits uint64) {
	for k := range a {
		if a[k].size > 0 {
			bits |= 1 << k
		}
	}
	return bits
}

// partFields returns the fields of g for the arrays of a part.
func partFields(g *kernels.Graph) [kernels.PartArrays]*uint64 {
	return [...]*uint64{
		&g.Indptr, &g.Indices, &g.Alias, &g.IDs, &g.Biases, &g.Labels, &g.LabelRows, &g.LabelIndices, &g.LabelPositions, &g.Temporal,
		&g.TemporalPlaces, &g.Decay, &g.Reach, &g.RowTries,
	}
}
