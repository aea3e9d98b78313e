//go:build cgo

package hook

/*
#include <stdint.h>
#cgo noescape call
#cgo nocallback call
static void call(uint64_t kernel, uintptr_t block) { ((void (*)(const void *))(uintptr_t)kernel)((const void *)block); }
*/
import "C"

import (
	"runtime"
	"unsafe"
)

// Callable says whether this build can call compiled hooks.
const Callable = true

// Call runs a kernel over a block, which must lie on the heap: stacks move. The block goes as a number, since cgo reads
// through all that a pointer leads to at every call, which costs a microsecond.
func Call(kernel uint64, b *Block) {
	C.call(C.uint64_t(kernel), C.uintptr_t(uintptr(unsafe.Pointer(b))))
	runtime.KeepAlive(b)
}
