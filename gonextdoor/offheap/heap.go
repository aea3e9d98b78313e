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
	arena     = 64 << 20  // Go's heap takes addresses in steps of this size
	spareHeap = 2 * arena // addresses left for threads, their stacks, and growth that is too small to be counted

	countFrom = 64 << 10 // a smaller growth is not counted
	askFrom   = 4 << 20  // a larger growth is checked before it is made
	lookEvery = 16 << 20 // growths between the two sizes are checked together, after this many bytes
)

// heap accounts for the growth of the Go heap. Go ends the process if the system denies it memory, so each large growth is
// checked here first and denied in time.
var heap struct {
	small atomic.Int64 // bytes of growths that were counted but not checked yet
	mu    sync.Mutex
	pages int64 // bytes that were granted and are not allocated yet
	room  int64 // the addresses that Go may take for them
	fresh []promise
	freed time.Time // when unused memory was last returned to the system
}

// promise is a growth that was granted a moment ago: its pages count as available until they are touched.
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

func moved[T any](s []T, n int) ([]T, error) {
	var z T
	size := int64(unsafe.Sizeof(z))
	if int64(n) > (1<<47)/size-int64(len(s)) {
		return s, refuse.Memory("an array of %d + %d elements does not fit in memory", len(s), n)
	}
	need := int64(len(s)) + int64(n)
	if need*size < askFrom/2 { // slices.Grow at most doubles
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

// CheckHeap returns a MemoryError if the Go heap cannot grow by a number of bytes now. It is for allocations that Room cannot
// make. Granted bytes count until they can have been touched, at 1 GB/s.
func CheckHeap(bytes int64) error {
	switch {
	case bytes < countFrom:
		return nil
	case bytes < askFrom:
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
	if room := addresses(); room >= 0 {
		left = lesser(left, max(0, room-spareHeap))
	}
	return left
}

// counted adds a small growth to the unchecked ones, and checks them together once they are many.
func counted(bytes int64) error {
	if heap.small.Add(bytes) < lookEvery {
		return nil
	}
	all := heap.small.Swap(0)
	if all < lookEvery { // another thread checks them
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
	if room := addresses(); room >= 0 && addressed > room-spareHeap-heap.room {
		return short(bytes, room-spareHeap-heap.room)
	}
	left := unpromised()
	if left >= 0 && bytes > left && time.Since(heap.freed) > time.Second { // memory that the collector freed may suffice
		debug.FreeOSMemory()
		heap.freed = time.Now()
		left = unpromised()
	}
	if left >= 0 && bytes > left {
		return short(bytes, left)
	}
	heap.pages += bytes
	heap.room += addressed
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

// settle ends a grant: its addresses are taken, and its pages will be touched soon.
func settle(bytes int64) {
	heap.mu.Lock()
	defer heap.mu.Unlock()
	heap.pages -= bytes
	heap.room -= (bytes + arena - 1) / arena * arena
	now := time.Now()
	heap.fresh = slices.DeleteFunc(heap.fresh, func(p promise) bool { return p.until.Before(now) })
	until := now.Add(time.Duration(min(bytes, 1<<40)) + time.Millisecond)
	heap.fresh = append(heap.fresh, promise{bytes, until})
}

func short(bytes, left int64) error {
	return refuse.Memory("%s more needed for samples as they grow, %s available: sample in pieces, with first_id",
		human(bytes), human(max(0, left)))
}
