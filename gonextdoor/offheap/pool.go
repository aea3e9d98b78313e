package offheap

import (
	"math/bits"
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/refuse"
)

// Pool lends blocks of memory and keeps some returned blocks for reuse: the kernel must zero fresh pages, which takes a good
// part of the time of a large result. Lent blocks are not zeroed.
type Pool struct {
	mu   sync.Mutex
	free [64][]unsafe.Pointer // by class: a block of class c has 1<<c bytes
	kept int64
	out  map[uintptr]uint8 // lent blocks -> class
	// Keep is the largest number of bytes of returned blocks to keep.
	Keep int64
}

// KeepMore raises Keep to at least a number of bytes.
func (p *Pool) KeepMore(bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Keep = max(p.Keep, bytes)
}

// Results is the pool for results.
var Results = &Pool{Keep: 512 << 20}

// Lend returns the address of a block of at least size bytes, not zeroed.
func (p *Pool) Lend(size int64) (unsafe.Pointer, error) {
	if size > 1<<47 {
		return nil, refuse.Memory("a block of %d bytes does not fit in memory", size)
	}
	size = max(size, 4096) // an empty result has an address too
	class := uint8(bits.Len64(uint64(size - 1)))
	whole := int64(1) << class
	p.mu.Lock()
	kept := p.Keep
	p.mu.Unlock()
	if whole > kept { // too large to be kept, so not rounded up: the system may refuse to reserve twice the size
		whole = size
	}
	p.mu.Lock()
	if list := p.free[class]; len(list) > 0 {
		block := list[len(list)-1]
		p.free[class] = list[:len(list)-1]
		p.kept -= 1 << class
		p.lent(block, class)
		p.mu.Unlock()
		return block, nil
	}
	p.mu.Unlock()
	if size >= checkFrom { // the block may be larger than size, but untouched pages cost nothing
		if err := Check(size); err != nil {
			return nil, err
		}
	}
	b, err := mapPages(int(whole))
	if err != nil {
		return nil, err
	}
	block := unsafe.Pointer(unsafe.SliceData(b))
	p.mu.Lock()
	p.lent(block, class)
	p.mu.Unlock()
	return block, nil
}

func (p *Pool) lent(block unsafe.Pointer, class uint8) {
	if p.out == nil {
		p.out = map[uintptr]uint8{}
	}
	p.out[uintptr(block)] = class
}

// Return takes back a lent block. It returns false for any other address.
func (p *Pool) Return(address uintptr) bool {
	p.mu.Lock()
	class, ok := p.out[address]
	delete(p.out, address)
	keep := ok && p.kept+1<<class <= p.Keep
	if keep {
		p.free[class] = append(p.free[class], *(*unsafe.Pointer)(unsafe.Pointer(&address)))
		p.kept += 1 << class
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
