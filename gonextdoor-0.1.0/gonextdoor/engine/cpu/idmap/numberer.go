package idmap

import (
	"unsafe"

	"gonextdoor/gonextdoor/plan"
)

// Nodes are the discovered nodes of one type, indexed by local id.
type Nodes struct {
	Vertices []uint32
	Trees    []uint32 // the tree of each node; empty unless trees are disjoint
}

// Numberer assigns local ids to the nodes of one type. It is used by one goroutine at a time.
//
// The methods take batches of up to plan.Lag edges, so that the reads of one batch overlap: the caller first gathers (or
// prefetches) a batch, does other work, and then numbers it. trees holds the tree of each edge; maps of nodes that all
// seed nodes share ignore it.
type Numberer interface {
	// Gather writes the end points of the edges at positions, indices[position], to v and prefetches the entries that Number
	// reads for them.
	Gather(indices *uint32, positions []uint64, v []int64, trees []uint32)
	// Prefetch prefetches the entries that Number reads for the vertices v, which the caller has gathered.
	Prefetch(v []int64, trees []uint32)
	// Number replaces each vertex of v by its local id. Vertices without an id are appended to n and get the next one.
	Number(v []int64, trees []uint32, n *Nodes) error
	// Reset removes all entries. n lists the nodes that have one.
	Reset(n *Nodes)
	// Free frees the memory outside the Go heap.
	Free()
}

// New returns a Dense map if the graph has at most plan.MaxDenseIDs vertices and hash is false, and a Hash map
// otherwise.
func New(vertices int, hash bool) (Numberer, error) {
	if hash || vertices > plan.MaxDenseIDs {
		return NewHash(), nil
	}
	d, err := NewDense(vertices)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// unsigned returns the same memory as unsigned words. The values of s are not negative.
func unsigned(s []int64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}
