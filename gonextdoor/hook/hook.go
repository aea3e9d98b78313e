// Package hook is the border between the engine and hooks that were compiled elsewhere: two structs that compiled code
// reads by their offsets, and the call. Go proposes and decides; a compiled hook weighs a whole block of choices in one
// call. Python's compiler mirrors the offsets (Layout tells them), and a test holds the two together.
//
// Compiled code never calls back, never allocates, and never keeps an address.
//
// The package is not internal because app.Custom, which is public API, has its types as fields.
package hook

// Run is what all choices of a run share. Addresses are 0 where there is no such array.
type Run struct {
	Indptr   uintptr // uint64, NumVertices+1
	Indices  uintptr // uint32, NumEdges
	Weights  uintptr // float64 by position; 0: every weight is 1
	Labels   uintptr // int32 by position; 0: every label is 0
	EdgeIDs  uintptr // by position, of EdgeIDSize bytes; 0: the position itself
	Largest  uintptr // float64 by vertex: the largest weight of its row
	Prefix   uintptr // float64 by position: the sum of the row's weights up to and with this one
	Slots    uintptr // of index.EdgeSet; 0: has_edge searches the row
	Fault    uintptr // one uint64, the lowest fault so far; see Fault
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

// Bounds of what a user's app may declare.
const (
	MaxParams = 32
	MaxArrays = 16
)

// Array is an array of the user's.
type Array struct {
	Address uintptr `json:"address"`
	Length  int64   `json:"length"`
}

// Block is one call: N choices of one step, a column for each field. Columns are addresses of N elements.
type Block struct {
	Run  uintptr
	N    int64
	Step int64

	Row     uintptr // uint64: the sample's place in the run; its id is Run.First + Row
	Transit uintptr // uint32, 0xFFFFFFFF: none
	Prev    uintptr // uint32, likewise
	Slot    uintptr // uint32
	Size    uintptr // uint32: vertices of the sample behind its roots
	Key     uintptr // uint64: rng.Key of the choice
	Words   uintptr // uint64: the slot of the hook's own word 0
	Sample  uintptr // uint64: the address of the sample's vertices so far, uint32, roots first
	Ends    uintptr // uint64: the address of the sample's step ends (int32, the roots' first); 0, or no column: each step has one vertex
	Roots   uintptr // uint32: the number of roots

	Edge uintptr // uint64: the position of the candidate; for RowBias that of the row's first
	Dst  uintptr // uint32: its end point, or the vertex to weigh; for RowBias the number of edges
	Out  uintptr // uint32: what the hook returns: a bias, a vertex (0xFFFFFFFF: none), a flag, a fan-out. For RowBias one bias for each edge of each row, one row behind the other
}

// Kernels are the addresses of an app's compiled hooks, each a C function void(const Block*); 0: the app has none.
type Kernels struct {
	EdgeBias   uint64 `json:"edge_bias"` // a column of candidates
	RowBias    uint64 `json:"row_bias"`  // whole rows; there with EdgeBias
	Bound      uint64 `json:"bound"`
	Next       uint64 `json:"next"`
	VertexBias uint64 `json:"vertex_bias"`
	Update     uint64 `json:"update"`
	Stop       uint64 `json:"stop"`
	Fanout     uint64 `json:"fanout"`
}
