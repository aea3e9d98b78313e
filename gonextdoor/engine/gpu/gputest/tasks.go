// Package gputest runs kernels that tests alone have.
package gputest

import (
	"fmt"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/kernels"
)

// Threads is how many threads the blocks of these kernels have.
const Threads = 128

// Load gives the kernels of a file, and a stream for them.
func Load(d *cuda.Device, file string) (m *cuda.Module, s cuda.Stream, err error) {
	image, err := kernels.Image(file)
	if err != nil {
		return nil, s, err
	}
	if m, err = d.Load(file, image); err != nil {
		return nil, s, err
	}
	s, err = d.NewStream()
	return m, s, err
}

// CountTasks has a launch of so many blocks take the places from ... from+rows-1 from a pool. For each place it gives how
// often it was taken, and how many rounds it had: 1 and 1 + place%4, as it should be, and 0 for those before from.
func CountTasks(d *cuda.Device, from, rows, blocks int) ([]uint64, error) {
	a := kernels.Walk{}
	a.B.From, a.B.Rows = uint64(from), uint64(from+rows)
	return count(d, a, 2*(from+rows), 1, func(run launch) error {
		return run("tasks", cuda.Grid{Blocks: blocks, Threads: Threads})
	})
}

// By says which groups of threads are the specs of GrowTasks.
type By string

// The specs.
const (
	Warps  By = "tasks_warps"
	Blocks By = "tasks_blocks"
)

// Rounds is how often GrowTasks counts every number.
const Rounds = 3

// GrowTasks has specs divide the numbers below a bound into spans, and those again, in Rounds rounds over one queue with
// so many slots; each number is counted by one task. It is an error that one was not counted once a round.
func GrowTasks(d *cuda.Device, by By, numbers, slots, blocks int) error {
	specs := blocks
	if by == Warps {
		specs *= Threads / 32
	}
	a := kernels.Walk{Threshold: uint64(slots - 1), Most: uint64(specs)}
	a.B.Rows, a.B.Stream = uint64(numbers), uint64(slots*blocks)
	const counters, slot = 48, 3 // words
	counts, err := count(d, a, numbers, counters+slot*slots, func(run launch) error {
		for range Rounds {
			if err := run("tasks_arm", cuda.Grid{Blocks: 1, Threads: 1}); err != nil {
				return err
			}
			// A cooperative launch has all its blocks at once, as the queue's specs must be.
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

type launch func(kernel string, g cuda.Grid) error

// count has launches count in so many numbers, by a queue of so many words, and gives the counts.
func count(d *cuda.Device, a kernels.Walk, numbers, queue int, launches func(run launch) error) ([]uint64, error) {
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
