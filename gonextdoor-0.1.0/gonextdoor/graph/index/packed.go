package index

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// Limits of the packed vertex records. For a graph beyond one of them, engines read Indptr.
const (
	PackedDegreeBits  = 24
	MaxPackedDegree   = 1<<PackedDegreeBits - 1
	MaxPackedEdges    = 1<<(64-PackedDegreeBits) - 1
	MaxPackedVertices = 1 << 31
)

// Packed holds an 8-byte record per vertex, position<<24 | degree. A step reads one cache line, whereas two elements of Indptr
// may be in two.
//
// A vertex without edges has the sentinel's record: degree 1 at position NumEdges, where Indices holds None. None has the same
// record, stored before that of vertex 0. Engines index with the sign-extended vertex, so a walk that has ended stays at None
// without a branch.
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
