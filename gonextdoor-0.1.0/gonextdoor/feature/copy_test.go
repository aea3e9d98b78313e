package feature

import (
	"bytes"
	"fmt"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/internal/streamstore"
)

// Every way to copy rows equals the loop over rows, including those that this CPU or this size would not take.
func TestCopiesEqualTheLoop(t *testing.T) {
	memory := make([]byte, 1<<16)
	for i := range memory {
		memory[i] = byte(i*7 + i>>8)
	}
	base := uintptr(unsafe.Pointer(&memory[0]))
	for size := 1; size <= 300; size++ {
		for _, n := range []int{1, 2, 3, 9, 30} {
			from := make([]uintptr, n)
			want := []byte{}
			for i := range from {
				at := (i*7919 + size*31) % (len(memory) - size)
				from[i] = base + uintptr(at)
				want = append(want, memory[at:at+size]...)
			}
			ways := map[string]func(to unsafe.Pointer){
				"overlapped": func(to unsafe.Pointer) { overlapped(to, from, size, copyRow) },
				"large":      func(to unsafe.Pointer) { copyRows(unsafe.Slice((*byte)(to), n*size), from, size, true) },
				"small":      func(to unsafe.Pointer) { copyRows(unsafe.Slice((*byte)(to), n*size), from, size, false) },
			}
			if size%16 == 0 {
				ways["streamed"] = func(to unsafe.Pointer) { overlapped(to, from, size, streamstore.Copy); streamstore.Fence() }
			}
			if hasWide && size >= wideRow {
				ways["wide"] = func(to unsafe.Pointer) { copyWide(to, from, size) }
			}
			for name, way := range ways {
				got := make([]byte, n*size+128)
				shift := int(-uintptr(unsafe.Pointer(&got[0])) & 63) // Copy needs aligned memory
				way(unsafe.Pointer(&got[shift]))
				whole := fmt.Sprintf("%s, %d rows of %d bytes", name, n, size)
				if !bytes.Equal(got[shift:shift+n*size], want) {
					t.Fatalf("%s: other bytes", whole)
				}
				if !bytes.Equal(got[shift+n*size:], make([]byte, len(got)-shift-n*size)) || !bytes.Equal(got[:shift], make([]byte, shift)) {
					t.Fatalf("%s: bytes outside of the result were written", whole)
				}
			}
		}
	}
}
