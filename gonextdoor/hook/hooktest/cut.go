//go:build cgo && linux

package hooktest

import (
	"syscall"
	"testing"
	"unsafe"
)

// Cut returns 2^18 zeros in pages that nothing readable follows, as in a mapped file.
func Cut(t *testing.T) []uint32 {
	t.Helper()
	const bytes, page = 1 << 20, 1 << 16
	memory, err := syscall.Mmap(-1, 0, bytes+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err == nil {
		err = syscall.Mprotect(memory[bytes:], syscall.PROT_NONE)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(memory) })
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(memory))), bytes/4)
}
