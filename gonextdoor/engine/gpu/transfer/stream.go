package transfer

import (
	"unsafe"

	"gonextdoor/gonextdoor/plan"
)

// storeLine is the number of bytes that storeAround copies at a time, a cache line.
const storeLine = 64

// streamed copies from to to, which must be as long. If the whole transfer has at least plan.TransferStreamed bytes, it bypasses
// the caches: the CPU then does not read the lines that it overwrites, so that copies take two thirds of the memory traffic.
// Smaller results stay in the caches, where the caller will read them.
func streamed(to, from []byte, whole int) {
	if !hasStoreAround || whole < plan.TransferStreamed || len(from) < 2*storeLine {
		copy(to, from)
		return
	}
	at := unsafe.Pointer(unsafe.SliceData(to))
	head := int(-uintptr(at) % storeLine)
	body := (len(from) - head) &^ (storeLine - 1)
	copy(to[:head], from)
	storeAround(unsafe.Add(at, head), unsafe.Pointer(&from[head]), body)
	copy(to[head+body:], from[head+body:])
}
