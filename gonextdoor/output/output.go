// Package output holds results: flat arrays addressed by (sample, slot), and their sizes.
//
// It is public API: the Sampler returns and fills these types.
//
// It is internal to this module and may change; the import table in arch_test.go restricts its users, so no folder named
// internal is needed.
package output

// Matrix is a result whose samples all have the same number of slots.
type Matrix struct {
	Vertices []uint32 // Rows*Width, graph.None where a sample has no vertex
	Edges    []int64  // Rows*(Width-Roots) edge ids, -1 where there is none; nil if not wanted
	Width    int
	Roots    int // the first slots of a row, which no edge led to
}

// Ragged is a result whose samples differ in length. Its arrays are lent from offheap.Results.
type Ragged struct {
	Offsets  []int64  // Rows+1
	Vertices []uint32 // sample i: [Offsets[i], Offsets[i+1])
	Edges    []int64  // as Vertices, -1 at roots; nil if not wanted
}

// Layers is a result whose samples grow by steps of different sizes. Its arrays are lent from offheap.Results.
type Layers struct {
	Ragged           // the vertices, roots first, and the edges that led to them
	Parents  []int32 // beside Vertices: the place in the sample that each was reached from, or -1
	EndsFrom []int64 // Rows+1: where each sample begins in Ends
	Ends     []int32 // where each step of a sample ends among its vertices; the first of a sample is its roots'

	LinksFrom        []int64 // Rows+1: where each sample begins in the arrays below; nil where the app records no edges
	Sources, Targets []int32 // places in the sample
	LinkEdges        []int64 // edge ids, -1 where the graph has no such edge
	Values           []float64
}
