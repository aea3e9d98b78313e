// Package dlpack shares arrays with other libraries through DLPack (https://dmlc.github.io/dlpack), the C structure by
// which PyTorch, CuPy, JAX and others exchange memory. The structure is freed by a C function that does not need Python: a
// tensor may be deleted in any thread, even after the interpreter has ended.
//
// It is not internal because pybind, outside gonextdoor/, imports it.
package dlpack

import "sync"

// The kinds of devices, and of elements, as DLPack numbers them.
const (
	CPU  = 1
	CUDA = 2
	Int  = 0
	UInt = 1
)

// Tensor says where an array lies and what it holds.
type Tensor struct {
	Address    uintptr
	DeviceType int32
	DeviceID   int32
	Code       uint8 // Int or UInt
	Bits       uint8
	Shape      []int64
	Strides    []int64 // in elements
}

// MaxRank is how many dimensions a tensor has at most.
const MaxRank = 4

// ends are what the tensors that are out call in the end.
var (
	mu   sync.Mutex
	last uint64
	ends = map[uint64]func(){}
)

// Out gives the number of tensors that have not ended, for leak tests.
func Out() int {
	mu.Lock()
	defer mu.Unlock()
	return len(ends)
}

func keep(end func()) uint64 {
	mu.Lock()
	defer mu.Unlock()
	last++
	ends[last] = end
	return last
}

// finish ends a tensor; a second time is ignored.
func finish(number uint64) {
	mu.Lock()
	end := ends[number]
	delete(ends, number)
	mu.Unlock()
	if end != nil {
		end()
	}
}
