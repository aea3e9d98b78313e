package hook

import (
	"fmt"
	"runtime"
	"unsafe"

	"gonextdoor/gonextdoor/fault"
)

// Callable says whether this build can call compiled hooks.
const Callable = fault.Callable

// Call runs a kernel over a block, which must lie on the heap: stacks move. A fault of memory in the kernel is a panic,
// which parallel turns into an error.
func Call(kernel uint64, b *Block) {
	if signal := fault.Call(kernel, uintptr(unsafe.Pointer(b))); signal != 0 {
		panic(fmt.Sprintf("a compiled hook read memory that is not there (%v)", signal))
	}
	runtime.KeepAlive(b)
}
