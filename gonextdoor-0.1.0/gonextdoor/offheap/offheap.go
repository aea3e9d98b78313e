// Package offheap allocates large arrays outside the Go heap, on huge pages.
//
// Random access over pages of 4 KiB halves the speed of some walks, and the Go heap does not use huge pages. Arrays of this package
// are never moved and are invisible to the garbage collector. They may be passed to Python by address, and live until Free. All
// functions may be called from several goroutines.
package offheap

import (
	"os"
	"sync"
	"syscall"
	"unsafe"

	"gonextdoor/gonextdoor/refuse"
)

const (
	hugePage  = 2 << 20
	checkFrom = 64 << 20 // smaller requests are not checked against the available memory
)

// region is the mapping of an array.
type region struct {
	mapping []byte // includes the bytes skipped for alignment
	used    int64  // bytes that count as used, in whole pages
}

// page is the size in bytes of the system's pages, a power of two: 64 KiB on some aarch64 kernels. Tests change it.
var page = os.Getpagesize()

var (
	mu         sync.Mutex
	regions    = map[uintptr]region{} // by the address of the array
	used, peak int64
)

// Make returns a zeroed array of n elements. It is
//
//	make([]T, n)
//
// outside the Go heap. T must not contain pointers. The caller must Free the array. It returns a MemoryError if the memory is
// not available.
func Make[T any](n int) ([]T, error) { return MakeSlack[T](n, 0) }

// MakeSlack is Make with capacity for extra elements after the n: cap is at least n+extra.
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

// Free frees an array from Make. Nil and empty arrays, and memory that is not from this package, are ignored.
func Free[T any](s []T) {
	if cap(s) == 0 {
		return
	}
	FreeAt(uintptr(unsafe.Pointer(unsafe.SliceData(s))))
}

// FreeAt is Free by address. It returns false, and does nothing, if there is no array at the address.
func FreeAt(address uintptr) bool {
	mu.Lock()
	r, ok := regions[address]
	delete(regions, address)
	used -= r.used
	mu.Unlock()
	if ok {
		syscall.Munmap(r.mapping)
	}
	return ok
}

// Trim shortens an array from Make to its first n elements and returns the memory after them to the system. The address does not
// change.
func Trim[T any](s []T, n int) []T {
	if n >= cap(s) {
		return s
	}
	first := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
	keep := wholePages(n * int(unsafe.Sizeof(*new(T))))
	mu.Lock()
	defer mu.Unlock()
	r, ok := regions[first]
	if !ok || keep >= r.used {
		return s[:n:n]
	}
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), int(r.used))
	// Unmapping a part would split huge pages and invalidate Go's record of the mapping.
	if syscall.Madvise(b[keep:], syscall.MADV_DONTNEED) != nil {
		return s[:n:n]
	}
	used -= r.used - keep
	r.used = keep
	regions[first] = r
	return s[:n:n]
}

// Used returns the bytes of all live arrays, in whole pages. Memory tests of builders and engines call Used and Peak.
func Used() int64 {
	mu.Lock()
	defer mu.Unlock()
	return used
}

// Peak returns the maximum of Used since the last ResetPeak.
func Peak() int64 {
	mu.Lock()
	defer mu.Unlock()
	return peak
}

// ResetPeak starts a new measurement of Peak.
func ResetPeak() {
	mu.Lock()
	defer mu.Unlock()
	peak = used
}

// Live returns the number of live arrays.
func Live() int {
	mu.Lock()
	defer mu.Unlock()
	return len(regions)
}

// wholePages returns the bytes of the pages that a number of bytes occupies.
func wholePages(bytes int) int64 { return int64((bytes + page - 1) &^ (page - 1)) }

// mapPages maps size bytes, aligned to huge pages if there are enough for one, and registers the region.
func mapPages(size int) ([]byte, error) {
	align := 0
	if size >= hugePage {
		align = hugePage
	}
	pages := wholePages(size)
	mapping, err := syscall.Mmap(-1, 0, int(pages)+align, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, refuse.Memory("the system could not allocate %d bytes: %w", size, err)
	}
	b := mapping
	if align > 0 {
		first := uintptr(unsafe.Pointer(unsafe.SliceData(mapping)))
		b = mapping[int((first+hugePage-1)&^(hugePage-1)-first):][:size]
		syscall.Madvise(b[:len(b)&^(page-1)], syscall.MADV_HUGEPAGE) // has no effect if the kernel has no huge pages
	}
	mu.Lock()
	defer mu.Unlock()
	regions[uintptr(unsafe.Pointer(unsafe.SliceData(b)))] = region{mapping, pages}
	used += pages
	peak = max(peak, used)
	return b, nil
}
