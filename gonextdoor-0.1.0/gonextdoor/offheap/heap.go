package offheap

import (
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"gonextdoor/gonextdoor/refuse"
)

const (
	arena     = 64 << 20  // the Go heap reserves addresses in steps of this size
	spareHeap = 2 * arena // addresses left for threads, their stacks, and growths that are not counted

	countFrom  = 64 << 10 // smaller growths are not counted
	checkHeap  = 4 << 20  // growths from this size on are checked before they are made
	checkEvery = 16 << 20 // growths between the two sizes are checked together, each time they sum to this many bytes
)

// heap accounts for growths of the Go heap. Go ends the process if the system denies it memory, so each large growth is
// checked first, and refused if it does not fit.
var heap struct {
	small     atomic.Int64 // bytes of growths that were counted but not checked yet
	mu        sync.Mutex   // guards the following fields
	pages     int64        // bytes that were granted and are not allocated yet
	addresses int64        // bytes of addresses that Go may reserve for them
	fresh     []promise
	freed     time.Time // time at which unused memory was last returned to the system
}

// promise is a growth that was allocated recently. The system counts its pages as available until they are touched, which is
// assumed to have happened at until.
type promise struct {
	bytes int64
	until time.Time
}

// Room returns s with capacity for n more elements, like slices.Grow, or a MemoryError if the Go heap cannot grow by the new
// array. A large array is reserved before it is allocated, so that concurrent calls do not exceed the memory together.
func Room[T any](s []T, n int) ([]T, error) {
	if n <= cap(s)-len(s) {
		return s, nil
	}
	return moved(s, n)
}

// moved returns a copy of s with capacity for n more elements, if memory suffices.
func moved[T any](s []T, n int) ([]T, error) {
	var z T
	size := int64(unsafe.Sizeof(z))
	if int64(n) > (1<<47)/size-int64(len(s)) {
		return s, refuse.Memory("an array of %d + %d elements does not fit in memory", len(s), n)
	}
	need := int64(len(s)) + int64(n)
	if need*size < checkHeap/2 { // slices.Grow at most doubles the size
		grown := slices.Grow(s, n)
		if bytes := int64(cap(grown)) * size; bytes >= countFrom {
			return grown, counted(bytes)
		}
		return grown, nil
	}
	capacity := max(need, int64(len(s))+int64(len(s))/4)
	err := grant(capacity * size)
	if err != nil && capacity > need {
		capacity = need
		err = grant(capacity * size)
	}
	if err != nil {
		return s, err
	}
	defer settle(capacity * size)
	grown := make([]T, len(s), capacity)
	copy(grown, s)
	return grown, nil
}

// CheckHeap returns a MemoryError if the Go heap cannot grow by the given number of bytes now. It is meant for allocations that
// Room cannot make. Granted bytes are accounted for until the caller has probably touched them, at 1 GB/s.
func CheckHeap(bytes int64) error {
	switch {
	case bytes < countFrom:
		return nil
	case bytes < checkHeap:
		return counted(bytes)
	}
	err := grant(bytes)
	if err == nil {
		settle(bytes)
	}
	return err
}

// HeapLeft returns the bytes by which the Go heap can still grow, or -1 if unknown.
func HeapLeft() int64 {
	left := physical()
	if left >= 0 {
		left = max(0, left-arena)
	}
	if free := addresses(); free >= 0 {
		left = lesser(left, max(0, free-spareHeap))
	}
	return left
}

// counted adds a small growth to the unchecked ones, and checks them together once they sum to checkEvery.
func counted(bytes int64) error {
	if heap.small.Add(bytes) < checkEvery {
		return nil
	}
	all := heap.small.Swap(0)
	if all < checkEvery { // another thread checks them
		heap.small.Add(all)
		return nil
	}
	err := grant(all)
	if err == nil {
		settle(all)
	}
	return err
}

// grant reserves a number of bytes of the Go heap. The caller must call settle once they are allocated.
func grant(bytes int64) error {
	heap.mu.Lock()
	defer heap.mu.Unlock()
	addressed := (bytes + arena - 1) / arena * arena
	if free := addresses(); free >= 0 && addressed > free-spareHeap-heap.addresses {
		return short(bytes, free-spareHeap-heap.addresses)
	}
	left := unpromised()
	if left >= 0 && bytes > left && time.Since(heap.freed) > time.Second { // returning garbage to the system may suffice
		debug.FreeOSMemory()
		heap.freed = time.Now()
		left = unpromised()
	}
	if left >= 0 && bytes > left {
		return short(bytes, left)
	}
	heap.pages += bytes
	heap.addresses += addressed
	return nil
}

// unpromised returns the bytes of memory that are neither used nor granted, or -1 if unknown.
func unpromised() int64 {
	left := physical()
	if left < 0 {
		return left
	}
	now := time.Now()
	for _, p := range heap.fresh {
		if p.until.After(now) {
			left -= p.bytes
		}
	}
	return max(0, left-arena-heap.pages)
}

// settle ends a grant: its memory has been allocated, and its pages will soon be touched.
func settle(bytes int64) {
	heap.mu.Lock()
	defer heap.mu.Unlock()
	heap.pages -= bytes
	heap.addresses -= (bytes + arena - 1) / arena * arena
	now := time.Now()
	heap.fresh = slices.DeleteFunc(heap.fresh, func(p promise) bool { return p.until.Before(now) })
	until := now.Add(time.Duration(min(bytes, 1<<40)) + time.Millisecond)
	heap.fresh = append(heap.fresh, promise{bytes, until})
}

// short returns the error for a growth that does not fit.
func short(bytes, left int64) error {
	return refuse.Memory("growing samples need %s more memory, but %s is available: sample in pieces with first_id",
		human(bytes), human(max(0, left)))
}
