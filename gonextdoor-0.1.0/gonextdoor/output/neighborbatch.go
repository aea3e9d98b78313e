package output

import "unsafe"

// NeighborBatch is a mini-batch in host memory: the nodes that its hops discovered and the edges between them.
type NeighborBatch struct {
	Arena []int64 // the memory of all arrays, lent from offheap.Results
	BatchArrays[[]int64]
}

// PlacedBatch is a mini-batch in an arena that the host may not be able to read.
type PlacedBatch = BatchArrays[Span]

// Span is a part of an arena, in 8-byte integers.
type Span struct{ First, Count int }

// BatchArrays are the arrays of a mini-batch, each an A: a slice, or a Span of an arena. A local id is the position of a
// node among the nodes of its type.
type BatchArrays[A any] struct {
	Nodes []A              // by type: the vertex of each node; first the seed nodes, then others in order of discovery
	Trees []A              // by type, parallel to Nodes: the tree of each node; nil unless trees are disjoint
	New   [][]int          // by type: the number of seed nodes, then the number of nodes that each hop discovered
	Hops  [][]HopArrays[A] // by hop, from the seed nodes outwards, and relation; nil if the layout is COO
	Pairs []PairArrays[A]  // by relation; nil if the layout is CSC
}

// HopArrays hold the edges of one hop along one relation in CSC: the destination with local id First+i has the sources
// Indices[Indptr[i]:Indptr[i+1]], which are local ids too.
type HopArrays[A any] struct {
	First, Destinations      int
	Indptr, Indices, EdgeIDs A
}

// PairArrays hold the edges of one relation in COO, one hop after another: edge i leads from local id Sources[i] to local
// id Destinations[i].
type PairArrays[A any] struct {
	Sources, Destinations, EdgeIDs A
	Counts                         []int // edges of each hop
}

// Hop and Pairs are the edges of a mini-batch in host memory.
type (
	Hop   = HopArrays[[]int64]
	Pairs = PairArrays[[]int64]
)

// Placed returns where the arrays of the batch are in its arena. An empty array is at its begin.
func (b NeighborBatch) Placed() PlacedBatch {
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(b.Arena)))
	return ConvertArrays(b.BatchArrays, func(s []int64) Span {
		if len(s) == 0 {
			return Span{}
		}
		return Span{int(uintptr(unsafe.Pointer(unsafe.SliceData(s)))-begin) / 8, len(s)}
	})
}

// ConvertArrays returns a mini-batch with the same counts, whose arrays are those that convert returns for the arrays of b.
func ConvertArrays[A, B any](b BatchArrays[A], convert func(A) B) (out BatchArrays[B]) {
	out.New = b.New
	for t := range b.Nodes {
		out.Nodes = append(out.Nodes, convert(b.Nodes[t]))
		if b.Trees != nil {
			out.Trees = append(out.Trees, convert(b.Trees[t]))
		}
	}
	for _, hop := range b.Hops {
		var hops []HopArrays[B]
		for _, x := range hop {
			hops = append(hops, HopArrays[B]{
				First: x.First, Destinations: x.Destinations, Indptr: convert(x.Indptr), Indices: convert(x.Indices),
				EdgeIDs: convert(x.EdgeIDs),
			})
		}
		out.Hops = append(out.Hops, hops)
	}
	for _, x := range b.Pairs {
		out.Pairs = append(out.Pairs, PairArrays[B]{
			Sources: convert(x.Sources), Destinations: convert(x.Destinations), EdgeIDs: convert(x.EdgeIDs), Counts: x.Counts,
		})
	}
	return out
}
