package cuda

import (
	"errors"
	"math/bits"
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/refuse"
)

// Memory is a piece of a device's memory.
type Memory struct {
	Address uintptr // 0: none
	Bytes   int64
}

// Alloc takes memory that is there from the next work of s on. It is taken from a pool of the device's own: mostly the
// driver is not asked.
//
// Errors: DeviceError that names what is needed and what is free.
func (d *Device) Alloc(bytes int64, s Stream) (Memory, error) {
	if bytes <= 0 {
		return Memory{}, nil
	}
	at, err := allocate(d.pool, bytes, s.handle)
	if errors.Is(err, codeOutOfMemory) && !s.capturing() {
		// Blocks of other sizes may lie unused in the pool, freed in streams that have not come so far.
		if err = d.Trim(); err == nil {
			at, err = allocate(d.pool, bytes, s.handle)
		}
	}
	if errors.Is(err, codeOutOfMemory) {
		return Memory{}, d.outOfMemory(bytes)
	}
	return Memory{Address: at, Bytes: bytes}, fault("taking GPU memory", err)
}

// ErrMemory lies under the errors of Alloc that mean that the card has not enough memory.
var ErrMemory = errors.New("GPU out of memory")

func (d *Device) outOfMemory(bytes int64) error {
	free, total, err := d.Room()
	if err != nil {
		return err
	}
	return refuse.Device("%w: %s are needed at once, and of the %s of cuda:%d %s are free: sample fewer at a time, free what other libraries hold (torch.cuda.empty_cache()), or use device=\"cpu\"",
		ErrMemory, Size(bytes), Size(total), d.ID, Size(free))
}

// Free gives memory back once the work that s has now is done. Memory{} is nothing.
func (d *Device) Free(m Memory, s Stream) error {
	if m.Address == 0 {
		return nil
	}
	return fault("freeing GPU memory", release(d.pool, m.Address, s.handle))
}

// Room gives the bytes that could be taken, those that the pool holds unused among them, and the card's.
func (d *Device) Room() (free, total int64, err error) {
	if free, total, err = memoryInfo(); err != nil {
		return 0, 0, fault("asking for the GPU's free memory", err)
	}
	reserved, used, err := poolUse(d.pool)
	return free + reserved - used, total, fault("asking for the GPU's free memory", err)
}

// Synchronize waits for all work of the context, other libraries' too.
func (d *Device) Synchronize() error { return fault("waiting for the GPU", synchronizeContext()) }

// Trim waits for the device and gives the pool's unused memory, and unused pinned memory, back to the system.
func (d *Device) Trim() error {
	if err := synchronizeContext(); err != nil {
		return fault("waiting for the GPU", err)
	}
	d.pinned.trim()
	return fault("giving GPU memory back", trimPool(d.pool))
}

// CopyIn copies from the host. The host's memory must stay as it is until s has come so far; where it is pinned the call
// does not wait for that.
func (d *Device) CopyIn(to uintptr, from unsafe.Pointer, bytes int64, s Stream) error {
	if bytes <= 0 {
		return nil
	}
	return fault("copying to the GPU", copyIn(to, from, bytes, s.handle))
}

// CopyOut copies to the host, likewise.
func (d *Device) CopyOut(to unsafe.Pointer, from uintptr, bytes int64, s Stream) error {
	if bytes <= 0 {
		return nil
	}
	return fault("copying from the GPU", copyOut(to, from, bytes, s.handle))
}

// Fill32 writes count times word.
func (d *Device) Fill32(at uintptr, word uint32, count int64, s Stream) error {
	if count <= 0 {
		return nil
	}
	return fault("filling GPU memory", fill32(at, word, count, s.handle))
}

// Of gives the number of the device that an address belongs to.
func Of(address uintptr) (int, error) {
	if err := Status(); err != nil {
		return 0, err
	}
	id, err := ownerOf(address)
	return id, fault("asking whose memory an address is", err)
}

// Pinned is memory of the host that the GPU copies from and to at full speed.
type Pinned struct {
	Pointer unsafe.Pointer
	Bytes   int64 // as asked for
	taken   int64 // as taken from the system
}

const (
	leastPinned = 64 << 10 // bytes
	pinnedSteps = 32 << 20 // larger pieces are multiples of it, smaller ones powers of two
	pinnedKept  = 1 << 29  // bytes that stay pinned though nobody uses them
)

// pinnedPool keeps pinned memory by its size: taking it from the system costs as much as the copies through it.
type pinnedPool struct {
	lock sync.Mutex
	free map[int64][]unsafe.Pointer
	held int64 // bytes of free
}

// pinnedSize is what is taken for so many bytes.
func pinnedSize(bytes int64) int64 {
	if bytes > pinnedSteps {
		return (bytes + pinnedSteps - 1) / pinnedSteps * pinnedSteps
	}
	return max(leastPinned, int64(1)<<bits.Len64(uint64(max(bytes, 1)-1)))
}

// Pin gives pinned memory of the host. What it holds is left from earlier.
func (d *Device) Pin(bytes int64) (Pinned, error) {
	p := Pinned{Bytes: bytes, taken: pinnedSize(bytes)}
	if p.Pointer = d.pinned.take(p.taken); p.Pointer != nil {
		return p, nil
	}
	var err error
	if p.Pointer, err = pin(p.taken); errors.Is(err, codeOutOfMemory) {
		return Pinned{}, refuse.Memory("%s of pinned memory are not to be had: the system limits it (ulimit -l, the container's memory)", Size(p.taken))
	}
	return p, fault("pinning memory", err)
}

// Unpin gives it back. No copy may use it any more. Pinned{} is nothing.
func (d *Device) Unpin(p Pinned) error {
	if p.Pointer == nil || d.pinned.put(p) {
		return nil
	}
	return fault("releasing pinned memory", unpin(p.Pointer))
}

func (p *pinnedPool) take(bytes int64) unsafe.Pointer {
	p.lock.Lock()
	defer p.lock.Unlock()
	kept := p.free[bytes]
	if len(kept) == 0 {
		return nil
	}
	p.free[bytes] = kept[:len(kept)-1]
	p.held -= bytes
	return kept[len(kept)-1]
}

func (p *pinnedPool) put(m Pinned) bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.held+m.taken > pinnedKept {
		return false
	}
	if p.free == nil {
		p.free = map[int64][]unsafe.Pointer{}
	}
	p.free[m.taken] = append(p.free[m.taken], m.Pointer)
	p.held += m.taken
	return true
}

func (p *pinnedPool) trim() {
	p.lock.Lock()
	defer p.lock.Unlock()
	for _, kept := range p.free {
		for _, m := range kept {
			_ = unpin(m) // it was the system's to refuse when it was taken
		}
	}
	p.free, p.held = nil, 0
}
