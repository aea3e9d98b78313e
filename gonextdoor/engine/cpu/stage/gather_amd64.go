package stage

import "unsafe"

// PrefetchRecords asks for the 8-byte records of vertices, graph.None's being at -1:
//
//	for _, u := range v { prefetch base[int32(u)] }
//
//go:noescape
func PrefetchRecords(base unsafe.Pointer, v []uint32)

// PrefetchIndices asks for the neighbours at positions:
//
//	for _, p := range positions { prefetch indices[p] }
//
//go:noescape
func PrefetchIndices(indices *uint32, positions []uint64)

// PrefetchWords asks for the 8-byte words at positions:
//
//	for _, p := range positions { prefetch words[p] }
//
//go:noescape
func PrefetchWords(words *uint64, positions []uint64)

// PrefetchSlots asks for the 16-byte alias slots at positions:
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

// GatherStamps is Gather, and asks for the stamps of what it finds:
//
//	for i, p := range positions { v[i] = indices[p]; prefetch stamps[v[i]] }
//
//go:noescape
func GatherStamps(indices, stamps *uint32, positions []uint64, v *int64)

// GatherBuckets is Gather, and asks for the buckets of what it finds:
//
//	for i, p := range positions { v[i] = indices[p]; prefetch buckets[v[i] * rng.Gamma >> shift] }
//
//go:noescape
func GatherBuckets(indices *uint32, buckets *uint64, positions []uint64, v *int64, shift uint64)

// Number puts the vertices' local numbers in their place, from count for those without a stamp yet. A stamp is the number
// plus 1. nodes has room for one vertex more than it gets. It is
//
//	for i, u := range v {
//		if stamps[u] == 0 { nodes[count] = u; count++; stamps[u] = count }
//		v[i] = stamps[u] - 1
//	}
//	return count
//
// without a branch: whether a vertex is new, no processor can foresee.
//
//go:noescape
func Number(stamps *uint32, v []int64, nodes *uint32, count uint64) uint64

// Forget takes the stamps of nodes away:
//
//	for _, u := range nodes { stamps[u] = 0 }
//
//go:noescape
func Forget(stamps *uint32, nodes []uint32)
