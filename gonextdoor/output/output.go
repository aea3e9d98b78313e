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

// NeighborBatch is a mini-batch: the nodes that its hops discovered and the edges between them. All arrays are parts of
// Arena, which is lent from offheap.Results. A local id is the position of a node among the nodes of its type.
type NeighborBatch struct {
	Arena []int64   // the memory of all arrays
	Nodes [][]int64 // by type: the vertex of each node; first the seed nodes, then others in order of discovery
	Trees [][]int64 // by type, parallel to Nodes: the tree of each node; nil unless trees are disjoint
	New   [][]int   // by type: the number of seed nodes, then the number of nodes that each hop discovered
	Hops  [][]Hop   // by hop, from the seed nodes outwards, and relation; nil if the layout is COO
	Pairs []Pairs   // by relation; nil if the layout is CSC
}

// Hop holds the edges of one hop along one relation in CSC: the destination with local id First+i has the sources
// Indices[Indptr[i]:Indptr[i+1]], which are local ids too.
type Hop struct {
	First, Destinations      int
	Indptr, Indices, EdgeIDs []int64
}

// Pairs holds the edges of one relation in COO, one hop after another: edge i leads from local id Sources[i] to local id
// Destinations[i].
type Pairs struct {
	Sources, Destinations, EdgeIDs []int64
	Counts                         []int // edges of each hop
}
