package stage

import "unsafe"

// gather is Gather in Go. It is compiled on all CPUs, so that tests can compare the assembly with it.
func gather[T uint32 | int64](indices *uint32, positions []uint64, v *T) {
	for i, p := range positions {
		*at(v, uint64(i)) = T(*at(indices, p))
	}
}

// number is Number in Go.
func number(ids *uint32, v []int64, nodes *uint32, count uint64) uint64 {
	for i, u := range v {
		entry := at(ids, uint64(u))
		if *entry == 0 {
			*at(nodes, count) = uint32(u)
			count++
			*entry = uint32(count)
		}
		v[i] = int64(*entry) - 1
	}
	return count
}

// forget is Forget in Go.
func forget(ids *uint32, nodes []uint32) {
	for _, u := range nodes {
		*at(ids, uint64(u)) = 0
	}
}

// at returns the address of element i of the array that starts at first.
func at[T any](first *T, i uint64) *T {
	return (*T)(unsafe.Add(unsafe.Pointer(first), i*uint64(unsafe.Sizeof(*first))))
}
