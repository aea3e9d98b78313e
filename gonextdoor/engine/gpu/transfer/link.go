// Package transfer copies results from the GPU to host memory, row by row, converts vertices to 64 bits, counts vertices,
// and validates roots in GPU memory.
//
// All functions are called within Device.Do. The package is not under internal/ because it belongs to engine/gpu, which
// programs may use without package gonextdoor.
package transfer

import (
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// Columns is an array on the card: element (row, slot) of Size bytes stands at slot*Stride + row.
type Columns struct {
	Address             uintptr
	Rows, Width, Stride int
	Size                int // 4: vertices; 8: edges' ids
}

// arguments mirrors Columns of kernels/result/columns.cuh.
type arguments struct {
	From, To, Rows, Width, Stride, First, Across, Vertices, Fault uint64
}

const (
	threads   = 256
	tileRows  = 32 // of rows_of_columns
	tileSlots = 128
	inFlight  = plan.TransferPlaces
)

// Link is what one device needs for its transfers; it is kept with the process, as devices are.
type Link struct {
	device *cuda.Device
	module *cuda.Module
	lock   sync.Mutex
	idle   []*lane
}

// lane is what one transfer at a time needs.
type lane struct {
	kernels, copies cuda.Stream
	made, gone      [inFlight]cuda.Event
}

var links struct {
	sync.Mutex
	of map[*cuda.Device]*Link
}

// Of gives the device's link.
func Of(d *cuda.Device) (*Link, error) {
	links.Lock()
	defer links.Unlock()
	if l := links.of[d]; l != nil {
		return l, nil
	}
	image, err := kernels.Image("result")
	if err != nil {
		return nil, err
	}
	m, err := d.Load("result", image)
	if err != nil {
		return nil, err
	}
	if links.of == nil {
		links.of = map[*cuda.Device]*Link{}
	}
	l := &Link{device: d, module: m}
	links.of[d] = l
	return l, nil
}

// take gives a lane that nobody else uses.
func (l *Link) take() (*lane, error) {
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
	for i := range inFlight {
		if one.made[i], err = l.device.NewEvent(); err != nil {
			return nil, err
		}
		if one.gone[i], err = l.device.NewEvent(); err != nil {
			return nil, err
		}
	}
	return one, nil
}

func (l *Link) give(one *lane) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.idle = append(l.idle, one)
}

// with calls f with a lane of its own.
func (l *Link) with(f func(one *lane) error) error {
	one, err := l.take()
	if err != nil {
		return err
	}
	defer l.give(one)
	return f(one)
}

// first gives the first error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// launch runs a kernel over so many units of work, each thread or block taking several.
func (l *Link) launch(name string, blocks int, a arguments, s cuda.Stream) error {
	f, err := l.module.Function(name)
	if err != nil {
		return err
	}
	blocks = max(1, min(blocks, l.device.Processors*8))
	return f.Launch(cuda.Grid{Blocks: blocks, Threads: threads}, s, unsafe.Pointer(&a), unsafe.Sizeof(a))
}

func (c Columns) arguments() arguments {
	return arguments{From: uint64(c.Address), Rows: uint64(c.Rows), Width: uint64(c.Width), Stride: uint64(c.Stride)}
}

func blocksFor(elements int) int { return (elements + threads - 1) / threads }
