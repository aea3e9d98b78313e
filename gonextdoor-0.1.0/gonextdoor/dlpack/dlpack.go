// Package dlpack shares arrays with other libraries through DLPack (https://dmlc.github.io/dlpack), the C structure through
// which PyTorch, CuPy, JAX and others exchange memory.
//
// Ownership: the producer keeps the memory of the array until the consumer calls the tensor's deleter. The deleter is a C
// function that calls the function given to New and frees the structure. It does not need Python: a consumer may call it in
// any thread, even after the interpreter has ended. In a forked child it frees the structure only.
//
// All functions are safe for concurrent use. Builds without cgo cannot share arrays.
package dlpack

import "sync"

// Values of Tensor.DeviceType (CPU, CUDA) and Tensor.Code (Int, UInt, Float), as in dlpack.h.
const (
	CPU   = 1
	CUDA  = 2
	Int   = 0
	UInt  = 1
	Float = 2
)

// Tensor describes an array of numbers: its memory, type and shape.
type Tensor struct {
	Address    uintptr
	DeviceType int32
	DeviceID   int32
	Code       uint8 // Int, UInt or Float
	Bits       uint8 // per element
	Shape      []int64
	Strides    []int64 // in elements
}

// MaxRank is the largest number of dimensions of a tensor.
const MaxRank = 4

// The functions that the deleters call, by the number of the tensor. C code stores the number instead of a Go pointer.
var (
	mu       sync.Mutex // guards the variables below
	last     uint64     // number of the latest tensor
	deleters = map[uint64]func(){}
)

// Live returns the number of tensors that consumers have not deleted, for leak tests.
func Live() int {
	mu.Lock()
	defer mu.Unlock()
	return len(deleters)
}

// register stores the function of a tensor's deleter and returns the tensor's number.
func register(deleted func()) uint64 {
	mu.Lock()
	defer mu.Unlock()
	last++
	deleters[last] = deleted
	return last
}

// deleteTensor calls the function of a tensor's deleter. A second call for the same tensor does nothing.
func deleteTensor(number uint64) {
	mu.Lock()
	deleted := deleters[number]
	delete(deleters, number)
	mu.Unlock()
	if deleted != nil {
		deleted()
	}
}
