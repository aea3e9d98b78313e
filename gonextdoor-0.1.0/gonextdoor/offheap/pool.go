package offheap

import (
	"math/bits"
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/refuse"
)

// Pool lends blocks of memory and keeps some returned blocks for reuse, because the kernel zeroes fresh pages, which takes a
// large part of the time of a large result. Lent blocks are not zeroed. All methods may be called from several goroutines.
type Pool struct {
	mu   sync.Mutex
	free [64][]unsafe.Pointer // by class: a block of class c has a capacity of 1<<c bytes
	kept int64                // bytes in free
	out  map[uintptr]int64    // capacity of each lent block, by address
	// Keep is the largest number of bytes of returned blocks to keep.
	Keep int64
}

// KeepMore raises Keep to at least the given number of bytes.
func (p *Pool) KeepMore(bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Keep = max(p.Keep, bytes)
}

// smallest is the capacity in bytes of the smallest block.
const smallest = 4096

// Results is the pool from which the engines lend results.
var Results = &Pool{Keep: 512 << 20}

// Lend returns the address of a block of at least size bytes, which is not zeroed. The caller must Return it.
func (p *Pool) Lend(size int64) (unsafe.Pointer, error) {
	if size > 1<<47 {
		return nil, refuse.Memory("a block of %d bytes does not fit in memory", size)
	}
	size = max(size, smallest) // an empty result needs an address as well
	class := bits.Len64(uint64(size - 1))
	p.mu.Lock()
	if list := p.free[class]; len(list) > 0 {
		block := list[len(list)-1]
		p.free[class] = list[:len(list)-1]
		p.kept -= 1 << class
		p.lent(block, 1<<class)
		p.mu.Unlock()
		return block, nil
	}
	capacity := int64(1) << class
	if capacity > p.Keep { // not expected to be kept, so not rounded up: the system may refuse to reserve twice the size
		capacity = size
	}
	p.mu.Unlock()
	if size >= checkFrom { // the block may be larger than size, but untouched pages cost nothing
		if err := Check(size); err != nil {
			return nil, err
		}
	}
	b, err := mapPages(int(capacity))
	if err != nil {
		return nil, err
	}
	block := unsafe.Pointer(unsafe.SliceData(b))
	p.mu.Lock()
	p.lent(block, capacity)
	p.mu.Unlock()
	return block, nil
}

// lent records a lent block and its capacity. The caller holds the lock.
func (p *Pool) lent(block unsafe.Pointer, capacity int64) {
	if p.out == nil {
		p.out = map[uintptr]int64{}
	}
	p.out[uintptr(block)] = capacity
}

// Return returns a lent block to the pool, which keeps or frees it. It returns false for any other address. Keep may have
// changed since the block was lent, so the recorded capacity decides: only a block with the whole capacity of a class is kept.
func (p *Pool) Return(address uintptr) bool {
	p.mu.Lock()
	capacity, ok := p.out[address]
	delete(p.out, address)
	keep := ok && capacity&(capacity-1) == 0 && p.kept+capacity <= p.Keep
	if keep {
		class := bits.TrailingZeros64(uint64(capacity))
		p.free[class] = append(p.free[class], *(*unsafe.Pointer)(unsafe.Pointer(&address)))
		p.kept += capacity
	}
	p.mu.Unlock()
	if ok && !keep {
		FreeAt(address)
	}
	return ok
}

// Out returns the number of lent blocks.
func (p *Pool) Out() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.out)
}
