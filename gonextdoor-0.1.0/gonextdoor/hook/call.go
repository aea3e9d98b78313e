package hook

import (
	"fmt"
	"runtime"
	"unsafe"

	"gonextdoor/gonextdoor/internal/fault"
)

// Callable reports whether this build can call compiled hooks.
const Callable = fault.Callable

// Call runs a kernel on a block, which must be on the heap because stacks move. It panics if the kernel faults on a memory
// access; package parallel converts the panic to an error.
func Call(kernel uint64, b *Block) {
	if signal := fault.Call(kernel, uintptr(unsafe.Pointer(b))); signal != 0 {
		panic(fmt.Sprintf("a compiled hook read memory that is not there (%v)", signal))
	}
	runtime.KeepAlive(b)
}
