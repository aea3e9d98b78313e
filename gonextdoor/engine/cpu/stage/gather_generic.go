//go:build !amd64

package stage

import "unsafe"

// The pure Go twins, documented beside the assembly. Go has no prefetch for them to call.

func PrefetchRecords(unsafe.Pointer, []uint32) {}

func PrefetchIndices(*uint32, []uint64) {}

func PrefetchWords(*uint64, []uint64) {}

func PrefetchSlots(unsafe.Pointer, []uint64) {}

func Gather(indices *uint32, positions []uint64, v *uint32) { gather(indices, positions, v) }

func GatherDense(indices, _ *uint32, positions []uint64, v *int64) { gather(indices, positions, v) }

func GatherHash(indices *uint32, _ *uint64, positions []uint64, v *int64, _ uint64) {
	gather(indices, positions, v)
}

func Number(ids *uint32, v []int64, nodes *uint32, count uint64) uint64 {
	return number(ids, v, nodes, count)
}

func Forget(ids *uint32, nodes []uint32) { forget(ids, nodes) }
