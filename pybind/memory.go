package pybind

import (
	"unsafe"

	"gonextdoor/gonextdoor/dlpack"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
)

// view returns a slice over n elements of the caller's memory. The caller keeps the memory during the call.
func view[T any](address uintptr, n int64) []T {
	if address == 0 || n <= 0 {
		return nil
	}
	return unsafe.Slice((*T)(pointer(address)), n)
}

// at returns a pointer to a record in the caller's memory.
func at[T any](address uintptr) *T { return (*T)(pointer(address)) }

// pointer converts an address from Python to a pointer. A direct conversion would be reported by vet, which assumes that the
// memory is Go's.
func pointer(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// address returns the address of a slice's first element, or 0 for a slice without memory.
func address[T any](s []T) int64 {
	if cap(s) == 0 {
		return 0
	}
	return int64(uintptr(unsafe.Pointer(unsafe.SliceData(s))))
}

// presence returns the address of a slice's first element, 1 for a slice without memory, or 0 for nil.
func presence[T any](s []T) int64 {
	if s != nil && cap(s) == 0 {
		return 1
	}
	return address(s)
}

// jobAt returns the job in the caller's memory, or nil for address 0. Python sets its stop flag and reads its counter during
// the call.
func jobAt(address uintptr) *job.Job { return (*job.Job)(pointer(address)) }

// Lend returns the address of an uninitialised block of at least size bytes for a result. The caller returns it with Return.
func Lend(size int64) (address int64, err error) {
	defer guard(&err)
	block, err := offheap.Results.Lend(size)
	return int64(uintptr(block)), err
}

// Return takes back a block of Lend, or an array of a result. known is false if the address is not that of a lent block.
func Return(address int64) (known bool, err error) {
	defer guard(&err)
	return offheap.Results.Return(uintptr(address)), nil
}

// CheckMemory returns a MemoryError if that many bytes are not available now.
func CheckMemory(size int64) (n int64, err error) {
	defer guard(&err)
	return size, offheap.Check(size)
}

// Living returns the number of live objects of a kind, for leak tests: what = 0 counts graphs, 1 apps, 2 lent blocks,
// 3 arrays outside of Go's heap, 4 results, tensors and roots on GPUs, 5 samplers, 6 stores of features and their reads, 7 partitioned graphs,
// their parts, walks and cohorts.
func Living(what int64) (n int64, err error) {
	defer guard(&err)
	switch what {
	case 0:
		return graphs.count() + neighborSamplers.count(), nil
	case 1:
		return parsedApps.count() + neighborSamplings.count(), nil
	case 2:
		return int64(offheap.Results.Out()), nil
	case 4:
		return results.count() + deviceBatches.count() + pendingCalls.count() + deviceRoots.count() + int64(dlpack.Live()), nil
	case 5:
		return samplers.count(), nil
	case 6:
		return features.count() + featureReads.count(), nil
	case 7:
		return partitions.count() + parts.count() + walks.count() + cohorts.count(), nil
	default:
		return int64(offheap.Live()), nil
	}
}
