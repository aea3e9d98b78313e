//go:build cgo && linux

package fault

/*
#include <stdint.h>
#include "trap.h"
#cgo noescape gonextdoor_call
#cgo nocallback gonextdoor_call
*/
import "C"

import "syscall"

// Callable reports whether this build can call machine code.
const Callable = true

func init() { C.gonextdoor_trap_begin() }

func arm() { C.gonextdoor_trap_arm() }

// Call calls the C function void(const void*) at an address with the address of a block. It returns the signal of a memory
// fault, or 0. The block is an integer because cgo checks everything that a pointer leads to, which costs a microsecond per
// call. The caller keeps the block alive.
func Call(function uint64, block uintptr) syscall.Signal {
	return syscall.Signal(C.gonextdoor_call(C.uint64_t(function), C.uintptr_t(block)))
}
