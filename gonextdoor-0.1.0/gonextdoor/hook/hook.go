// Package hook is the interface between the engines and compiled hooks: two structs that compiled code reads by their
// offsets, and the call. One call of a hook computes the results of a whole block of choices. The engine makes the choices.
// Python's compiler of hooks reads the offsets from Layout, and a test compares the two.
//
// Compiled code never calls back, never allocates, and never keeps an address.
package hook

// Run has the arguments that all choices of a run share. The address of a missing array is 0.
type Run struct {
	Indptr   uintptr // uint64, NumVertices+1 elements
	Indices  uintptr // uint32, NumEdges elements
	Weights  uintptr // float64 by position; 0: every weight is 1
	Labels   uintptr // int32 by position; 0: every label is 0
	Times    uintptr // int64 by position; hooks that read it run on graphs with times only
	EdgeIDs  uintptr // by position, EdgeIDSize bytes each; 0: the id is the position
	Largest  uintptr // float64 by vertex: the largest weight of its row
	Prefix   uintptr // float64 by position: the sum of the row's weights up to and including this one
	Slots    uintptr // slots of index.EdgeSet; 0: has_edge searches the row
	Fault    uintptr // one uint64: the smallest code of a fault so far, see Code
	Vertices uint64
	Edges    uint64
	First    uint64 // the id of row 0

	EdgeIDSize uint64 // 4 or 8
	SetBuckets uint64 // of index.EdgeSet: len(Slots) / index.BucketSlots
	SetBits    uint64
	SetShift   uint64
	Mirrored   uint64 // 1 or 0

	Params [MaxParams]uint64 // int64, or the bits of a float64
	Arrays [MaxArrays]Array
}

// The largest numbers of parameters and arrays of a user's app.
const (
	MaxParams = 32
	MaxArrays = 16
)

// Array is an array of a user's app. The caller keeps it alive.
type Array struct {
	Address uintptr `json:"address"`
	Length  int64   `json:"length"`
}

// Block has the arguments of one call: N choices of one step. All fields from Row on are columns: addresses of N elements. A
// column that the hooks do not read (see Reads) may be missing.
type Block struct {
	Run  uintptr
	N    int64
	Step int64

	Row     uintptr // uint64: the index of the sample in the run; its id is Run.First + Row
	Transit uintptr // uint32: a vertex, or 0xFFFFFFFF for none
	Prev    uintptr // uint32: likewise
	// PrevEdge is uint64: the position of the edge by which Transit was reached, or 2^64-1 for none.
	PrevEdge uintptr

	Slot   uintptr // uint32: the number of the pick
	Size   uintptr // uint32: vertices of the sample after its roots
	Key    uintptr // uint64: the rng.Key of the choice
	Words  uintptr // uint64: the slot of word 0 of the hooks
	Sample uintptr // uint64: the address of the sample's vertices so far (uint32, roots first)
	Ends   uintptr // uint64: the address of the sample's step ends (int32, that of the roots first); 0, or no column: each step has one vertex
	Roots  uintptr // uint32: the number of roots

	Edge uintptr // uint64: the position of the candidate; for RowBias, of the first edge of the row
	Dst  uintptr // uint32: the end point of the candidate, or the vertex of VertexBias; for RowBias, the number of edges
	Out  uintptr // uint32: the result: a bias, a vertex (0xFFFFFFFF: none), a flag, or a fan-out; for RowBias, the biases of all edges, row after row
}

// Kernels has the addresses of the compiled hooks of an app, each a C function void(const Block*). The address of a missing
// hook is 0.
type Kernels struct {
	EdgeBias   uint64 `json:"edge_bias"` // one bias per candidate
	RowBias    uint64 `json:"row_bias"`  // the biases of whole rows; present if EdgeBias is
	Bound      uint64 `json:"bound"`
	Next       uint64 `json:"next"`
	VertexBias uint64 `json:"vertex_bias"`
	Update     uint64 `json:"update"`
	Stop       uint64 `json:"stop"`
	Fanout     uint64 `json:"fanout"`
}
