package gpu_test

import (
	"fmt"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/kernels"
)

// TestEveryTaskIsDoneOnce has kernels take tasks from a launch's pool and leave some to their block: each is taken once,
// and has as many rounds as it should.
func TestEveryTaskIsDoneOnce(t *testing.T) {
	d := device(t)
	for _, from := range []int{0, 17} {
		for _, rows := range []int{1, 31, 128, 1000, 3000} {
			for _, blocks := range []int{1, 2, 5} {
				t.Run(fmt.Sprintf("%d rows from %d by %d blocks", rows, from, blocks), func(t *testing.T) {
					counts := countTasks(t, d, from, rows, blocks)
					for i := range from + rows {
						taken, alone, together := counts[3*i], counts[3*i+1], counts[3*i+2]
						if i < from && taken+alone+together != 0 {
							t.Fatalf("place %d is not the launch's, and was taken %d times", i, taken)
						}
						if i >= from && (taken != 1 || alone+together != uint64(1+i%4)) {
							t.Fatalf("place %d was taken %d times, with %d rounds by its lane and %d by the block", i, taken, alone, together)
						}
					}
				})
			}
		}
	}
}

func countTasks(t *testing.T, d *cuda.Device, from, rows, blocks int) []uint64 {
	t.Helper()
	const threads = 128
	counts := make([]uint64, 3*(from+rows))
	err := d.Do(func() error {
		image, err := kernels.Image("tasks")
		if err != nil {
			return err
		}
		m, err := d.Load("tasks", image)
		if err != nil {
			return err
		}
		f, err := m.Function("tasks")
		if err != nil {
			return err
		}
		s, err := d.NewStream()
		if err != nil {
			return err
		}
		bytes := int64(8 * (1 + len(counts)))
		memory, err := d.Alloc(bytes, s)
		if err != nil {
			return err
		}
		if err := d.Fill32(memory.Address, 0, bytes/4, s); err != nil {
			return err
		}
		a := kernels.Walk{Queue: uint64(memory.Address), Counts: uint64(memory.Address) + 8}
		a.B.From, a.B.Rows = uint64(from), uint64(from+rows)
		if err := f.Launch(cuda.Grid{Blocks: blocks, Threads: threads}, s, unsafe.Pointer(&a), unsafe.Sizeof(a)); err != nil {
			return err
		}
		if err := d.CopyOut(unsafe.Pointer(&counts[0]), memory.Address+8, 8*int64(len(counts)), s); err != nil {
			return err
		}
		if err := s.Synchronize(); err != nil {
			return err
		}
		return d.Free(memory, s)
	})
	if err != nil {
		t.Fatal(err)
	}
	return counts
}
