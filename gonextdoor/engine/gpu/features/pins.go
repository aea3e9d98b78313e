package features

import (
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
)

// pins are the blocks of rows that are pinned for kernels, with the number of stores that read each. A block can be pinned once.
var pins struct {
	sync.Mutex
	of map[block]int
}

// block is memory of the host.
type block struct {
	address unsafe.Pointer
	bytes   int
}

// pin pins the memory of a store. It is called within Device.Do.
//
// Errors: DeviceError if the system does not permit it, or if other parts of its pages are pinned.
func pin(d *cuda.Device, rows []byte) (unsafe.Pointer, error) {
	b := block{unsafe.Pointer(unsafe.SliceData(rows)), len(rows)}
	pins.Lock()
	defer pins.Unlock()
	if pins.of[b] == 0 {
		if err := d.Register(b.address, int64(b.bytes)); err != nil {
			return nil, err
		}
	}
	if pins.of == nil {
		pins.of = map[block]int{}
	}
	pins.of[b]++
	return b.address, nil
}

// unpin ends what pin began, after all work that reads the memory.
func unpin(d *cuda.Device, rows []byte) error {
	b := block{unsafe.Pointer(unsafe.SliceData(rows)), len(rows)}
	pins.Lock()
	defer pins.Unlock()
	if pins.of[b]--; pins.of[b] > 0 {
		return nil
	}
	delete(pins.of, b)
	return d.Unregister(b.address)
}
