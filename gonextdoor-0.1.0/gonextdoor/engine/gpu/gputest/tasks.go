// Package gputest runs the test kernels of kernels/testkernels on a device, and adapts the neighbour sampler to the
// conformance suite. Only tests import it.
package gputest

import (
	"fmt"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/kernels"
	"gonextdoor/kernels/testkernels"
)

// Threads is the number of threads per block of the test kernels.
const Threads = 128

// emptyFatbin is a fatbin without code: its magic number, its version, and the size of its header. The emulated driver
// has all kernels built in and reads only the magic number.
var emptyFatbin = []byte{0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0}

// Load returns the kernels of kernels/testkernels/FILE.cu, and a stream to launch them in.
//
// Errors: on a real GPU, if the test kernels are not compiled.
func Load(d *cuda.Device, file string) (m *cuda.Module, s cuda.Stream, err error) {
	image := emptyFatbin
	if cudatest.Real() {
		if image, err = testkernels.Image(file); err != nil {
			return nil, s, err
		}
	}
	if m, err = d.Load(file, image); err != nil {
		return nil, s, err
	}
	s, err = d.NewStream()
	return m, s, err
}

// CountTasks takes the places from ... from+rows-1 from a pool in one launch. For each place it returns how often it was
// taken, 1, and its number of rounds, 1 + place%4; both are 0 for the places before from.
func CountTasks(d *cuda.Device, from, rows, blocks int) ([]uint64, error) {
	a := kernels.Walk{}
	a.B.From, a.B.Rows = uint64(from), uint64(from+rows)
	return count(d, a, 2*(from+rows), 1, func(run startKernel) error {
		return run("tasks", cuda.Grid{Blocks: blocks, Threads: Threads})
	})
}

// By is the kernel of GrowTasks: its workers are warps or blocks.
type By string

// The kernels of GrowTasks.
const (
	Warps  By = "tasks_warps"
	Blocks By = "tasks_blocks"
)

// Rounds is the number of times that GrowTasks counts every number.
const Rounds = 3

// GrowTasks divides the numbers below a bound into spans, and those again, in Rounds rounds over one queue with the given
// number of slots. Each number is counted by one task.
//
// Errors: a number was not counted exactly once per round.
func GrowTasks(d *cuda.Device, by By, numbers, slots, blocks int) error {
	workers := blocks
	if by == Warps {
		workers *= Threads / 32
	}
	a := kernels.Walk{Threshold: uint64(slots - 1), Most: uint64(workers)}
	a.B.Rows, a.B.Stream = uint64(numbers), uint64(slots*blocks)
	const counters, slot = 48, 3 // words
	counts, err := count(d, a, numbers, counters+slot*slots, func(run startKernel) error {
		for range Rounds {
			if err := run("tasks_arm", cuda.Grid{Blocks: 1, Threads: 1}); err != nil {
				return err
			}
			// A cooperative launch has all its blocks at once, as the queue's workers must be.
			if err := run(string(by), cuda.Grid{Blocks: blocks, Threads: Threads, Cooperative: true}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, n := range counts {
		if n != Rounds {
			return fmt.Errorf("number %d of %d was counted %d times in %d rounds", i, numbers, n, Rounds)
		}
	}
	return nil
}

type startKernel func(kernel string, g cuda.Grid) error

// count runs launches over `numbers` zeroed counters and a queue of `queue` zeroed words, and returns the counters.
func count(d *cuda.Device, a kernels.Walk, numbers, queue int, launches func(run startKernel) error) ([]uint64, error) {
	counts := make([]uint64, numbers)
	return counts, d.Do(func() error {
		m, s, err := Load(d, "tasks")
		if err != nil {
			return err
		}
		bytes := int64(8 * (queue + numbers))
		memory, err := d.Alloc(bytes, s)
		if err != nil {
			return err
		}
		if err := d.Fill32(memory.Address, 0, bytes/4, s); err != nil {
			return err
		}
		a.Queue, a.Counts = uint64(memory.Address), uint64(memory.Address)+uint64(8*queue)
		err = launches(func(kernel string, g cuda.Grid) error {
			f, err := m.Function(kernel)
			if err != nil {
				return err
			}
			return f.Launch(g, s, unsafe.Pointer(&a), unsafe.Sizeof(a))
		})
		if err != nil {
			return err
		}
		if err := d.CopyOut(unsafe.Pointer(unsafe.SliceData(counts)), uintptr(a.Counts), 8*int64(numbers), s); err != nil {
			return err
		}
		if err := s.Synchronize(); err != nil {
			return err
		}
		if err := d.Free(memory, s); err != nil {
			return err
		}
		return s.Destroy()
	})
}
