package graph

import (
	"sync"
	"unsafe"
)

// tables are what engines derive from a graph, each made at its first use and kept as long as the graph.
type tables struct {
	packed, packedPositive, alias, filter table
}

type table struct {
	once sync.Once
	err  error
	free func()
}

func (t *tables) free() {
	for _, one := range []*table{&t.packed, &t.packedPositive, &t.alias, &t.filter} {
		if one.free != nil {
			one.free()
			one.free = nil
		}
	}
}

// Limits of the packed vertex records. A graph beyond one of them is sampled by way of Indptr.
const (
	PackedDegreeBits  = 24
	MaxPackedDegree   = 1<<PackedDegreeBits - 1
	MaxPackedEdges    = 1 << (64 - PackedDegreeBits)
	MaxPackedVertices = 1 << 31
)

// Packed is one 8-byte record for each vertex, position<<24 | degree, so that a step reads one cache line where Indptr
// may need two.
//
// A vertex that a walk cannot leave has the record of the sentinel: degree 1 at position NumEdges, where Indices holds
// None. None itself has that record too, before the first vertex's: engines index with the sign-extended vertex, so a
// walk that ended stays at None without a branch.
type Packed struct {
	Records []uint64 // NumVertices+1: the record of None, then the vertices'
}

// Base gives the address of vertex 0's record.
func (p Packed) Base() unsafe.Pointer { return unsafe.Pointer(&p.Records[1]) }

// Of gives the record of a vertex, or of None.
func (p Packed) Of(v uint32) uint64 { return p.Records[int(int32(v))+1] }

// AliasSlot is one edge's slot of its row's alias table (Vose's method in integers): the edge itself is taken when a
// 32-bit fraction is below Threshold, the edge at AliasPosition otherwise.
type AliasSlot struct {
	Vertex        uint32 // the edge's own end point
	AliasVertex   uint32 // the other edge's end point
	Threshold     uint32
	AliasPosition uint32 // the other edge's place within the row
}
