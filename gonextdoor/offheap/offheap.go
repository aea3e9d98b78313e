// Package offheap holds large arrays outside the Go heap, on huge pages.
//
// Random access over 4 KB pages costs up to half of a walk's speed, and the Go heap gets no huge pages. Arrays made here
// are never moved, are not seen by the collector, may be handed to Python by address, and live until Free.
package offheap

import (
	"sync"
	"syscall"
	"unsafe"

	"gonextdoor/gonextdoor/refuse"
)

const (
	hugePage  = 2 << 20
	checkFrom = 64 << 20 // smaller requests are not checked against the memory that is left
)

// region is one mapping: what the kernel gave, and how much of it counts as used.
type region struct {
	whole []byte
	used  int64
}

var (
	mu         sync.Mutex
	regions    = map[uintptr]region{} // by the first address handed out
	used, peak int64
)

// Make gives a zeroed array of n elements. It is
//
//	make([]T, n)
//
// outside the Go heap. T must hold no pointers. The array ends only with Free.
func Make[T any](n int) ([]T, error) { return MakeSlack[T](n, 0) }

// MakeSlack is Make with room for extra more elements behind the n (cap is n+extra at least).
func MakeSlack[T any](n, extra int) ([]T, error) {
	var z T
	most := (1 << 47) / int(unsafe.Sizeof(z))
	if n < 0 || extra < 0 || n > most || extra > most-n {
		return nil, refuse.Memory("an array of %d elements does not fit in memory", n)
	}
	size := (n + extra) * int(unsafe.Sizeof(z))
	if size == 0 {
		return []T{}, nil
	}
	if size >= checkFrom {
		if err := Check(int64(size)); err != nil {
			return nil, err
		}
	}
	b, err := mapPages(size)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n+extra)[:n], nil
}

// Free ends the life of an array from Make; nil and empty arrays are fine.
func Free[T any](s []T) {
	if cap(s) == 0 {
		return
	}
	FreeAt(uintptr(unsafe.Pointer(unsafe.SliceData(s))))
}

// FreeAt is Free by address; an address that is not an array's first is ignored and gives false.
func FreeAt(address uintptr) bool {
	mu.Lock()
	r, ok := regions[address]
	delete(regions, address)
	used -= r.used
	mu.Unlock()
	if ok {
		syscall.Munmap(r.whole)
	}
	return ok
}

// Trim gives the memory behind the first n elements of an array from Make back to the system, and the array cut to
// them. The address stays.
func Trim[T any](s []T, n int) []T {
	if n >= cap(s) {
		return s
	}
	first := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
	keep := (n*int(unsafe.Sizeof(*new(T))) + 4095) &^ 4095
	mu.Lock()
	defer mu.Unlock()
	r, ok := regions[first]
	if !ok || int64(keep) >= r.used {
		return s[:n:n]
	}
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), int(r.used))
	syscall.Madvise(b[keep:], syscall.MADV_DONTNEED) // munmap of a part would split huge pages and Go's own record of it
	used -= r.used - int64(keep)
	r.used = int64(keep)
	regions[first] = r
	return s[:n:n]
}

// Used gives the bytes of all arrays that have not been freed, in whole pages.
func Used() int64 {
	mu.Lock()
	defer mu.Unlock()
	return used
}

// Peak gives the most that Used has been since the last ResetPeak.
func Peak() int64 {
	mu.Lock()
	defer mu.Unlock()
	return peak
}

// ResetPeak begins a new measurement of Peak.
func ResetPeak() {
	mu.Lock()
	defer mu.Unlock()
	peak = used
}

// Live gives the number of arrays that have not been freed, for leak tests.
func Live() int {
	mu.Lock()
	defer mu.Unlock()
	return len(regions)
}

func mapPages(size int) ([]byte, error) {
	align := 0
	if size >= hugePage {
		align = hugePage
	}
	whole, err := syscall.Mmap(-1, 0, size+align, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, refuse.Memory("%d bytes could not be had from the system: %w", size, err)
	}
	b := whole
	if align > 0 {
		first := uintptr(unsafe.Pointer(unsafe.SliceData(whole)))
		b = whole[int((first+hugePage-1)&^(hugePage-1)-first):][:size]
		syscall.Madvise(b[:len(b)&^4095], syscall.MADV_HUGEPAGE) // where the kernel has none, pages are small
	}
	mu.Lock()
	defer mu.Unlock()
	pages := int64(size+4095) &^ 4095
	regions[uintptr(unsafe.Pointer(unsafe.SliceData(b)))] = region{whole, pages}
	used += pages
	peak = max(peak, used)
	return b, nil
}
