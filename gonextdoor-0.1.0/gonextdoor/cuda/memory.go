package cuda

import (
	"errors"
	"fmt"
	"math/bits"
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/refuse"
)

// Memory is a block of GPU memory. The zero value is no memory.
type Memory struct {
	Address uintptr // 0: no memory
	Bytes   int64
}

// Alloc allocates uninitialised memory, which work submitted to s after the call may use. It returns Memory{} if bytes is
// not positive. The memory comes from the device's pool, usually without a call into the operating system. If the pool
// and the GPU are exhausted, Alloc waits for the device, releases unused blocks of the pool and tries once more.
//
// Errors: DeviceError that wraps ErrMemory and names the bytes needed and free.
func (d *Device) Alloc(bytes int64, s Stream) (Memory, error) {
	if bytes <= 0 {
		return Memory{}, nil
	}
	at, err := allocate(d.pool, bytes, s.handle)
	if errors.Is(err, codeOutOfMemory) && !s.capturing() {
		// The pool may contain unused blocks of other sizes, or blocks whose stream has not reached the Free yet.
		if err = d.Trim(); err == nil {
			at, err = allocate(d.pool, bytes, s.handle)
		}
	}
	if errors.Is(err, codeOutOfMemory) {
		return Memory{}, d.outOfMemory(bytes)
	}
	return Memory{Address: at, Bytes: bytes}, fault("taking GPU memory", err)
}

// ErrMemory is wrapped by the errors of Alloc if the GPU does not have enough free memory.
var ErrMemory = errors.New("GPU out of memory")

// outOfMemory returns the error of Alloc.
func (d *Device) outOfMemory(bytes int64) error {
	free, total, err := d.FreeMemory()
	if err != nil {
		return err
	}
	return refuse.Device("%w: %s are needed at once, but of the %s on cuda:%d only %s are free: sample fewer at a time, free what other libraries hold (torch.cuda.empty_cache()), or use device=\"cpu\"",
		ErrMemory, Size(bytes), Size(total), d.ID, Size(free))
}

// Free frees memory once the work that s contains now is complete. It returns at once. Work in other streams that uses the
// memory must be complete, or s must wait for it. Free of Memory{} does nothing.
func (d *Device) Free(m Memory, s Stream) error {
	if m.Address == 0 {
		return nil
	}
	return fault("freeing GPU memory", release(d.pool, m.Address, s.handle))
}

// FreeMemory returns how many bytes can be allocated, including the unused ones of the pool, and the GPU's memory in bytes.
// A call takes some 0.3 ms.
func (d *Device) FreeMemory() (free, total int64, err error) {
	if free, total, err = memoryInfo(); err != nil {
		return 0, 0, fault("asking for the GPU's free memory", err)
	}
	reserved, used, err := poolUse(d.pool)
	return free + reserved - used, total, fault("asking for the GPU's free memory", err)
}

// Synchronize waits for all work in the context, including that of other libraries.
func (d *Device) Synchronize() error { return fault("waiting for the GPU", synchronizeContext()) }

// Trim waits for the device and returns unused memory of the pool and unused pinned memory to the system.
func (d *Device) Trim() error {
	if err := synchronizeContext(); err != nil {
		return fault("waiting for the GPU", err)
	}
	d.pinned.trim()
	return fault("giving GPU memory back", trimPool(d.pool))
}

// Share lets another GPU read and write the memory of Alloc, that of earlier calls too. The first call for a GPU takes some
// time; the access stays. It needs peer access between the GPUs, but not cuCtxEnablePeerAccess: the access to a pool is
// separate from it (CUDA C++ Programming Guide, "Device Accessibility for Multi-GPU Support").
func (d *Device) Share(with *Device) error {
	d.lock.Lock()
	defer d.lock.Unlock()
	if d == with || d.sharers[with.ID] {
		return nil
	}
	if d.pool == 0 {
		return refuse.Device("GPU: cuda:%d has no pool of memory that cuda:%d could read: the driver is too old: install 525 or later", d.ID, with.ID)
	}
	if err := sharePool(d.pool, with.ID); err != nil {
		return fault(fmt.Sprintf("giving cuda:%d access to the memory of cuda:%d", with.ID, d.ID), err)
	}
	d.sharers[with.ID] = true
	return nil
}

// CopyIn copies bytes from host memory to GPU memory in s. Pinned host memory must stay unchanged until the copy is
// complete, because the call does not wait for it. Other host memory has been read when the call returns.
func (d *Device) CopyIn(to uintptr, from unsafe.Pointer, bytes int64, s Stream) error {
	if bytes <= 0 {
		return nil
	}
	return fault("copying to the GPU", copyIn(to, from, bytes, s.handle))
}

// CopyOut copies bytes from GPU memory to host memory in s. The host may read the memory once s has been synchronised.
func (d *Device) CopyOut(to unsafe.Pointer, from uintptr, bytes int64, s Stream) error {
	if bytes <= 0 {
		return nil
	}
	return fault("copying from the GPU", copyOut(to, from, bytes, s.handle))
}

// CopyFrom copies bytes from the memory of another GPU, or of this one, in a stream of from. It is called within from.Do.
func (d *Device) CopyFrom(from *Device, to, at uintptr, bytes int64, s Stream) error {
	if bytes <= 0 {
		return nil
	}
	return fault("copying between GPUs", copyPeer(to, d.context, at, from.context, bytes, s.handle))
}

// Copy copies bytes between addresses that the GPU can use, of whichever GPU the memory is.
func (d *Device) Copy(to, from uintptr, bytes int64, s Stream) error {
	if bytes <= 0 {
		return nil
	}
	return fault("copying GPU memory", copyDevice(to, from, bytes, s.handle))
}

// Fill32 writes count copies of a 32-bit word in s.
func (d *Device) Fill32(at uintptr, word uint32, count int64, s Stream) error {
	if count <= 0 {
		return nil
	}
	return fault("filling GPU memory", fill32(at, word, count, s.handle))
}

// DeviceOf returns the number of the GPU whose memory contains address. It need not be called within Do.
func DeviceOf(address uintptr) (int, error) {
	if err := Status(); err != nil {
		return 0, err
	}
	id, err := ownerOf(address)
	return id, fault("asking whose memory an address is", err)
}

// Pinned is page-locked host memory, which the GPU reads and writes at full speed. The zero value is no memory.
type Pinned struct {
	Pointer   unsafe.Pointer
	Bytes     int64 // requested
	allocated int64 // Bytes rounded up by pinnedSize
}

const (
	minPinned  = 64 << 10 // bytes of the smallest block
	pinnedStep = 32 << 20 // larger blocks are multiples of it, smaller ones are powers of two
	maxUnused  = 1 << 29  // bytes that stay pinned while they are unused
)

// pinnedPool keeps unused pinned memory by its size, because pinning memory takes as long as the copies through it. It is
// safe for concurrent use.
type pinnedPool struct {
	lock   sync.Mutex
	free   map[int64][]unsafe.Pointer
	unused int64 // bytes in free
}

// pinnedSize returns the size of the block that is allocated for that many bytes.
func pinnedSize(bytes int64) int64 {
	if bytes > pinnedStep {
		return (bytes + pinnedStep - 1) / pinnedStep * pinnedStep
	}
	return max(minPinned, int64(1)<<bits.Len64(uint64(max(bytes, 1)-1)))
}

// Pin returns pinned host memory with arbitrary content. The caller owns it until Unpin.
//
// Errors: MemoryError if the system refuses to lock that much memory.
func (d *Device) Pin(bytes int64) (Pinned, error) {
	p := Pinned{Bytes: bytes, allocated: pinnedSize(bytes)}
	if p.Pointer = d.pinned.take(p.allocated); p.Pointer != nil {
		return p, nil
	}
	var err error
	if p.Pointer, err = pin(p.allocated); errors.Is(err, codeOutOfMemory) {
		return Pinned{}, refuse.Memory("cannot allocate %s of pinned memory, which the system limits (ulimit -l, the container's memory)", Size(p.allocated))
	}
	return p, fault("pinning memory", err)
}

// Unpin frees pinned memory. All copies that use it must be complete. Unpin of Pinned{} does nothing.
func (d *Device) Unpin(p Pinned) error {
	if p.Pointer == nil || d.pinned.put(p) {
		return nil
	}
	return fault("releasing pinned memory", unpin(p.Pointer))
}

// take removes a block of exactly that size from the pool, or returns nil if there is none.
func (p *pinnedPool) take(bytes int64) unsafe.Pointer {
	p.lock.Lock()
	defer p.lock.Unlock()
	blocks := p.free[bytes]
	if len(blocks) == 0 {
		return nil
	}
	p.free[bytes] = blocks[:len(blocks)-1]
	p.unused -= bytes
	return blocks[len(blocks)-1]
}

// put adds a block to the pool. If the pool is full, it frees blocks of other sizes first: sizes that are in use return, but
// those of a first guess may not. It returns false if the pool is full of blocks of that size; the caller then frees the block.
func (p *pinnedPool) put(m Pinned) bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	for size, blocks := range p.free {
		for size != m.allocated && len(blocks) > 0 && p.unused+m.allocated > maxUnused {
			_ = unpin(blocks[len(blocks)-1]) // a block that the driver allocated can be freed
			blocks = blocks[:len(blocks)-1]
			p.unused -= size
		}
		p.free[size] = blocks
	}
	if p.unused+m.allocated > maxUnused {
		return false
	}
	if p.free == nil {
		p.free = map[int64][]unsafe.Pointer{}
	}
	p.free[m.allocated] = append(p.free[m.allocated], m.Pointer)
	p.unused += m.allocated
	return true
}

// trim returns all blocks of the pool to the system.
func (p *pinnedPool) trim() {
	p.lock.Lock()
	defer p.lock.Unlock()
	for _, blocks := range p.free {
		for _, m := range blocks {
			_ = unpin(m) // a block that the driver allocated can be freed
		}
	}
	p.free, p.unused = nil, 0
}
