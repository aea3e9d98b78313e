//go:build !amd64

package stage

import "unsafe"

// The forms without assembly, which gather_amd64.go documents. Go has no prefetch instruction.

// PrefetchRecords does nothing without assembly.
func PrefetchRecords(unsafe.Pointer, []uint32) {}

// PrefetchIndices does nothing without assembly.
func PrefetchIndices(*uint32, []uint64) {}

// PrefetchWords does nothing without assembly.
func PrefetchWords(*uint64, []uint64) {}

// PrefetchSlots does nothing without assembly.
func PrefetchSlots(unsafe.Pointer, []uint64) {}

// Gather is the form without assembly.
func Gather(indices *uint32, positions []uint64, v *uint32) { gather(indices, positions, v) }

// GatherDense is the form without assembly.
func GatherDense(indices, _ *uint32, positions []uint64, v *int64) { gather(indices, positions, v) }

// GatherHash is the form without assembly.
func GatherHash(indices *uint32, _ *uint64, positions []uint64, v *int64, _ uint64) {
	gather(indices, positions, v)
}

// Number is the form without assembly.
func Number(ids *uint32, v []int64, nodes *uint32, count uint64) uint64 {
	return number(ids, v, nodes, count)
}

// Forget is the form without assembly.
func Forget(ids *uint32, nodes []uint32) { forget(ids, nodes) }
