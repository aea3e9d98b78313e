// Package output declares the types of results: matrices, ragged and layered samples, neighbour batches and scores. All are
// flat arrays, with offsets if their parts differ in length.
//
// Ownership: the memory of a Matrix belongs to the caller, unless LendMatrix lent it. The arrays of all other results are lent from offheap.Results,
// outside of Go's heap. The owner of a result frees it by Return, once; its slices are invalid afterwards.
package output

// Matrix is a result whose samples all have the same number of slots.
type Matrix struct {
	Vertices []uint32 // Rows*Width, row by row; graph.None in a slot without a vertex
	Edges    []int64  // Rows*(Width-Roots) edge ids, -1 in a slot without an edge; nil if not requested
	Width    int      // slots per row
	Roots    int      // the first slots of a row, to which no edge led
}

// Ragged is a result whose samples differ in length. Its arrays are lent from offheap.Results.
type Ragged struct {
	Offsets  []int64  // Rows+1
	Vertices []uint32 // of sample i: [Offsets[i], Offsets[i+1])
	Edges    []int64  // parallel to Vertices, -1 at roots; nil if not requested
}

// Layers is a result whose samples grow by steps of different sizes. Its arrays are lent from offheap.Results.
type Layers struct {
	Ragged           // the vertices, roots first, and the edges that led to them
	Parents  []int32 // parallel to Vertices: the index in the sample of the vertex that each was reached from, or -1
	EndsFrom []int64 // Rows+1: the begin of each sample in Ends
	Ends     []int32 // of each step of a sample: the number of vertices after it; the first entry counts the roots

	LinksFrom        []int64 // Rows+1: the begin of each sample in the arrays below; nil if the app records no edges
	Sources, Targets []int32 // indices in the sample
	LinkEdges        []int64 // edge ids, -1 for a pair without an edge in the graph
	Values           []float64
}
