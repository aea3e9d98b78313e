package stage

import "unsafe"

// PrefetchRecords prefetches the 8-byte records of vertices; that of graph.None has index -1:
//
//	for _, u := range v { prefetch base[int32(u)] }
//
//go:noescape
func PrefetchRecords(base unsafe.Pointer, v []uint32)

// PrefetchIndices prefetches the neighbours at positions:
//
//	for _, p := range positions { prefetch indices[p] }
//
//go:noescape
func PrefetchIndices(indices *uint32, positions []uint64)

// PrefetchWords prefetches the 8-byte words at positions:
//
//	for _, p := range positions { prefetch words[p] }
//
//go:noescape
func PrefetchWords(words *uint64, positions []uint64)

// PrefetchSlots prefetches the 16-byte alias slots at positions:
//
//	for _, p := range positions { prefetch slots[p] }
//
//go:noescape
func PrefetchSlots(slots unsafe.Pointer, positions []uint64)

// Gather is
//
//	for i, p := range positions { v[i] = indices[p] }
//
//go:noescape
func Gather(indices *uint32, positions []uint64, v *uint32)

// GatherDense is Gather, and prefetches the entries of a dense id map for the vertices:
//
//	for i, p := range positions { v[i] = indices[p]; prefetch ids[v[i]] }
//
//go:noescape
func GatherDense(indices, ids *uint32, positions []uint64, v *int64)

// GatherHash is Gather, and prefetches the slots of a hash id map for the vertices:
//
//	for i, p := range positions { v[i] = indices[p]; prefetch slots[v[i] * rng.Gamma >> shift] }
//
//go:noescape
func GatherHash(indices *uint32, slots *uint64, positions []uint64, v *int64, shift uint64)

// Number replaces the vertices of v by their local ids and returns the new count. Vertices without an id are appended to
// nodes and get ids from count on; an entry of ids is the id plus 1, or 0. nodes needs capacity for one more vertex. It is
//
//	for i, u := range v {
//		if ids[u] == 0 { nodes[count] = u; count++; ids[u] = count }
//		v[i] = ids[u] - 1
//	}
//	return count
//
// without a branch, because whether a vertex is new is unpredictable.
//
//go:noescape
func Number(ids *uint32, v []int64, nodes *uint32, count uint64) uint64

// Forget removes the ids of nodes:
//
//	for _, u := range nodes { ids[u] = 0 }
//
//go:noescape
func Forget(ids *uint32, nodes []uint32)
