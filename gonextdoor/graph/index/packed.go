package index

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// Limits of the packed vertex records. Engines read Indptr of a graph beyond one of them.
const (
	PackedDegreeBits  = 24
	MaxPackedDegree   = 1<<PackedDegreeBits - 1
	MaxPackedEdges    = 1<<(64-PackedDegreeBits) - 1
	MaxPackedVertices = 1 << 31
)

// Packed holds one 8-byte record per vertex, position<<24 | degree, so that a step reads one cache line; Indptr may need two.
//
// A vertex without edges has the record of the sentinel: degree 1 at position NumEdges, at which Indices holds None. None has
// that record too, before the record of vertex 0: engines index with the sign-extended vertex, so that a walk that ended
// stays at None without a branch.
type Packed struct {
	Records []uint64 // NumVertices+1: of None, then of the vertices
}

// Base returns the address of the record of vertex 0.
func (p Packed) Base() unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(p.Records)), 8)
}

// Of returns the record of a vertex, or of None.
func (p Packed) Of(v uint32) uint64 { return p.Records[int(int32(v))+1] }

// CanPack reports whether the graph is within the limits of Packed.
func CanPack(g *graph.Graph) bool {
	return g.MaxDegree() <= MaxPackedDegree && g.NumEdges() <= MaxPackedEdges && g.NumVertices() <= MaxPackedVertices
}

var packedKey = graph.NewKey(offheap.Free[uint64])

// PackedOf returns the packed records of a graph for which CanPack is true. They are built at the first call, with all
// threads, and cached; they take 8 bytes per vertex.
func PackedOf(g *graph.Graph) (Packed, error) {
	g = g.Base()
	records, err := packedKey.Get(g, func() ([]uint64, error) {
		records, err := offheap.Make[uint64](g.NumVertices() + 1)
		if err != nil {
			return nil, err
		}
		sentinel := uint64(g.NumEdges())<<PackedDegreeBits | 1
		records[0] = sentinel
		err = parallel.For(nil, 0, g.NumVertices(), graph.EdgeChunk, func(lo, hi int) error {
			for v := lo; v < hi; v++ {
				records[v+1] = sentinel
				if d := g.Indptr[v+1] - g.Indptr[v]; d > 0 {
					records[v+1] = g.Indptr[v]<<PackedDegreeBits | d
				}
			}
			return nil
		})
		if err != nil {
			offheap.Free(records)
			return nil, err
		}
		return records, nil
	})
	return Packed{records}, err
}
