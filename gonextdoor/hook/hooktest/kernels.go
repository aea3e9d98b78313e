//go:build cgo

package hooktest

// #include "kernels.h"
import "C"

import "gonextdoor/gonextdoor/hook"

// Kernels gives all the hooks that there are. An app takes those that it wants.
func Kernels() hook.Kernels {
	at := func(number C.int) uint64 { return uint64(C.kernel(number)) }
	return hook.Kernels{
		EdgeBias: at(0), RowBias: at(1), Bound: at(2), Next: at(3), VertexBias: at(4), Update: at(5), Stop: at(6), Fanout: at(7),
	}
}

// Faulty gives biases that fault at some samples from step 2 on, and are 1 elsewhere.
func Faulty() hook.Kernels {
	return hook.Kernels{EdgeBias: uint64(C.kernel(8)), RowBias: uint64(C.kernel(9))}
}

// Sizes gives those of Run and Block as C has them.
func Sizes() (run, block uint64) { return uint64(C.run_size()), uint64(C.block_size()) }
