// Package transfer moves samples and roots between GPU and host memory. It transposes the columns of a result to rows and
// converts vertices to 64 bits on the way. It also counts vertices, and validates roots that are already in GPU memory.
//
// Copies to the host are pipelined: while the GPU transposes one piece, a second one is copied to pinned memory, and CPU
// threads copy a third one from there to its destination. Transfers use separate streams and therefore overlap with kernels
// of the engine. The order is established by events.
//
// All functions are called within cuda.Device.Do. They are safe for concurrent use; each call has a separate lane.
//
// The package is not under internal/ because it belongs to engine/gpu, which programs may use without package gonextdoor.
package transfer

import (
	"sync"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
	"gonextdoor/kernels/function"
)

// Columns is an array in GPU memory, stored by columns: element (row, slot) is element slot*Stride + row. The caller owns the
// memory and keeps it until the transfer has returned.
type Columns struct {
	Address             uintptr
	Rows, Width, Stride int
	Size                int // bytes per element; 4: vertices, 8: edge ids or converted vertices
}

// Sizes of the launches.
const (
	threads   = 256                 // per block
	maxPieces = plan.TransferPlaces // pieces of a transfer in progress at a time
)

// Link performs the transfers of one device. It stays as long as the process.
type Link struct {
	device *cuda.Device
	lock   sync.Mutex // guards idle
	idle   []*lane    // lanes that no transfer is using
}

// lane has the streams and events of one transfer. It is reused by later transfers.
type lane struct {
	kernels, copies    cuda.Stream
	transposed, copied [maxPieces]cuda.Event // by the place of a piece, see pipeline
}

// links are the links of all devices.
var links struct {
	sync.Mutex
	of map[*cuda.Device]*Link
}

// Of returns the device's link. The first call loads the kernels.
func Of(d *cuda.Device) (*Link, error) {
	links.Lock()
	defer links.Unlock()
	if l := links.of[d]; l != nil {
		return l, nil
	}
	if _, err := function.Load(d, "result_rows"); err != nil {
		return nil, err
	}
	if links.of == nil {
		links.of = map[*cuda.Device]*Link{}
	}
	l := &Link{device: d}
	links.of[d] = l
	return l, nil
}

// takeLane returns an idle lane, or a new one.
func (l *Link) takeLane() (*lane, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if n := len(l.idle); n > 0 {
		one := l.idle[n-1]
		l.idle = l.idle[:n-1]
		return one, nil
	}
	one := new(lane)
	var err error
	if one.kernels, err = l.device.NewStream(); err != nil {
		return nil, err
	}
	if one.copies, err = l.device.NewStream(); err != nil {
		return nil, err
	}
	for i := range maxPieces {
		if one.transposed[i], err = l.device.NewEvent(); err != nil {
			return nil, err
		}
		if one.copied[i], err = l.device.NewEvent(); err != nil {
			return nil, err
		}
	}
	return one, nil
}

// returnLane makes a lane idle.
func (l *Link) returnLane(one *lane) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.idle = append(l.idle, one)
}

// with calls f with a lane that no other call uses meanwhile.
func (l *Link) with(f func(one *lane) error) error {
	one, err := l.takeLane()
	if err != nil {
		return err
	}
	defer l.returnLane(one)
	return f(one)
}

// first returns the first error that is not nil.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// launch starts a kernel with up to that many blocks, at most eight per multiprocessor. The kernel's loops cover the rest.
func (l *Link) launch(name string, blocks int, a kernels.Columns, s cuda.Stream) error {
	f, err := function.Load(l.device, name)
	if err != nil {
		return err
	}
	blocks = max(1, min(blocks, l.device.Multiprocessors*8))
	return f.Launch(cuda.Grid{Blocks: blocks}, s, &a)
}

// arguments returns the kernels' description of c, without a destination.
func (c Columns) arguments() kernels.Columns {
	return kernels.Columns{From: uint64(c.Address), Rows: uint64(c.Rows), Width: uint64(c.Width), Stride: uint64(c.Stride)}
}

// blocksFor returns the number of blocks with one thread per element.
func blocksFor(elements int) int { return (elements + threads - 1) / threads }
