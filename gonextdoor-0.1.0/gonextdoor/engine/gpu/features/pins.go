package features

import (
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
)

// pins are the blocks of rows that are pinned for kernels. A block can be pinned once.
var pins struct {
	sync.Mutex
	of map[block]use
}

// use is how a block is used.
type use struct {
	stores int
	given  bool // another library has pinned it, and unpins it
}

// block is memory of the host.
type block struct {
	address unsafe.Pointer
	bytes   int
}

// pin pins the memory of a store. It is called within Device.Do.
//
// Errors: DeviceError if the system does not permit it, or if a part of it is pinned already.
func pin(d *cuda.Device, rows []byte) (unsafe.Pointer, error) {
	b := block{unsafe.Pointer(unsafe.SliceData(rows)), len(rows)}
	pins.Lock()
	defer pins.Unlock()
	u := pins.of[b]
	if u.stores == 0 {
		if u.given = d.IsPinned(b.address, int64(b.bytes)); !u.given {
			if err := d.Register(b.address, int64(b.bytes)); err != nil {
				return nil, err
			}
		}
	}
	if pins.of == nil {
		pins.of = map[block]use{}
	}
	u.stores++
	pins.of[b] = u
	return b.address, nil
}

// unpin ends what pin began, after all work that reads the memory.
func unpin(d *cuda.Device, rows []byte) error {
	b := block{unsafe.Pointer(unsafe.SliceData(rows)), len(rows)}
	pins.Lock()
	defer pins.Unlock()
	u := pins.of[b]
	if u.stores--; u.stores > 0 {
		pins.of[b] = u
		return nil
	}
	delete(pins.of, b)
	if u.given {
		return nil
	}
	return d.Unregister(b.address)
}
