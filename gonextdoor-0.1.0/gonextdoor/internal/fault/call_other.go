//go:build !cgo || !linux

package fault

import "syscall"

// Callable reports whether this build can call machine code.
const Callable = false

func arm() {}

// Call panics: this build cannot call machine code.
func Call(uint64, uintptr) syscall.Signal {
	panic("fault: this build has no cgo, and calls no machine code")
}
