//go:build cgo

package hooktest

// #include "kernels.h"
import "C"

import "gonextdoor/gonextdoor/hook"

// Kernels returns the addresses of all hooks. An app uses some of them.
func Kernels() hook.Kernels {
	at := func(number C.int) uint64 { return uint64(C.kernel(number)) }
	return hook.Kernels{
		EdgeBias: at(0), RowBias: at(1), Bound: at(2), Next: at(3), VertexBias: at(4), Update: at(5), Stop: at(6), Fanout: at(7),
	}
}

// Faulty returns the address of a bias that faults at some samples from step 2 on, and is 1 otherwise.
func Faulty() hook.Kernels {
	return hook.Kernels{EdgeBias: uint64(C.kernel(8)), RowBias: uint64(C.kernel(9))}
}

// Refusing returns the address of a bias that at some candidates faults, or is parameter 3 if that is not 0. It is 128 at
// the others.
func Refusing() hook.Kernels {
	return hook.Kernels{EdgeBias: uint64(C.kernel(10)), RowBias: uint64(C.kernel(11))}
}

// Ends returns the address of a bias of rows, which reads nothing but the end points of the edges. EdgeBias is not called.
func Ends() hook.Kernels {
	return hook.Kernels{EdgeBias: uint64(C.kernel(0)), RowBias: uint64(C.kernel(12))}
}

// Sizes returns the sizes of Run and Block in C.
func Sizes() (run, block uint64) { return uint64(C.run_size()), uint64(C.block_size()) }
