// Package offheap holds large arrays outside the Go heap, on huge pages.
//
// Random access over 4 KB pages costs up to half of a walk's speed, and the Go heap gets no huge pages. Arrays made here
// are never moved, are not seen by the collector, may be handed to Python by address, and live until Free.
package offheap

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"gonextdoor/gonextdoor/refuse"
)

const (
	hugePage  = 2 << 20
	checkFrom = 64 << 20 // smaller requests are not checked against the memory that is left
)

var (
	mu      sync.Mutex
	regions = map[uintptr][]byte{} // first address handed out -> the whole mapping
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
	size := (n + extra) * int(unsafe.Sizeof(z))
	if n < 0 || extra < 0 || n+extra > (1<<47)/int(unsafe.Sizeof(z)) {
		return nil, refuse.Memory("an array of %d elements does not fit in memory", n)
	}
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
	whole, ok := regions[address]
	delete(regions, address)
	mu.Unlock()
	if ok {
		syscall.Munmap(whole)
	}
	return ok
}

// Live gives the number of arrays that have not been freed, for leak tests.
func Live() int {
	mu.Lock()
	defer mu.Unlock()
	return len(regions)
}

// Bytes gives the memory that s takes.
func Bytes[T any](s []T) int64 {
	var z T
	return int64(cap(s)) * int64(unsafe.Sizeof(z))
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
	regions[uintptr(unsafe.Pointer(unsafe.SliceData(b)))] = whole
	mu.Unlock()
	return b, nil
}

// Check refuses a need of so many bytes that the machine (or its container) cannot give now.
func Check(bytes int64) error {
	if left := Available(); left >= 0 && bytes > left {
		return refuse.Memory("%s needed, %s available", human(bytes), human(left))
	}
	return nil
}

// Available gives the bytes that can still be had without swapping: the lesser of the system's and the container's,
// or -1 where neither is known.
func Available() int64 {
	left := int64(-1)
	for line := range strings.Lines(readAll("/proc/meminfo")) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "MemAvailable:" {
			if kb, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				left = kb << 10
			}
		}
	}
	if limit, used := cgroup("memory.max"), cgroup("memory.current"); limit > 0 && used >= 0 {
		if room := max(limit-used, 0); left < 0 || room < left {
			left = room
		}
	}
	return left
}

// cgroup reads a number of this process's version-2 control group, or -1.
func cgroup(file string) int64 {
	for line := range strings.Lines(readAll("/proc/self/cgroup")) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			text := strings.TrimSpace(readAll(filepath.Join("/sys/fs/cgroup", path, file)))
			if n, err := strconv.ParseInt(text, 10, 64); err == nil {
				return n
			}
		}
	}
	return -1
}

func readAll(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(b)
}

func human(n int64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
