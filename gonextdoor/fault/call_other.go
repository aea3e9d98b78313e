//go:build !cgo || !linux

package fault

import "syscall"

// Callable reports whether this build can call machine code.
const Callable = false

func arm() {}

// Call calls the C function void(const void*) at an address with a block.
func Call(uint64, uintptr) syscall.Signal {
	panic("fault: this build has no cgo, and calls no machine code")
}
