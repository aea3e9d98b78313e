package gputest

import (
	"fmt"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/kernels"
	"gonextdoor/kernels/function"
)

// TopCounts are numbers of tops around the limits of a warp, a block and an iteration of sum_tops, see
// kernels/driver/sampleoffsets.cuh.
var TopCounts = []int{1, 31, 32, 33, 255, 256, 257, 1024, 2047, 8191, 8192, 8193, 20000}

// CheckTops computes the exclusive prefix sums of random tops on the device, followed by their total.
//
// Errors: a sum is wrong; the device's errors.
func CheckTops(d *cuda.Device, count int) error {
	const topRows, partRows, topsThreads = 2048, 256, 1024
	// 1. The tops follow the sums of the parts, of which the last top has one.
	rows := (count-1)*topRows + 1
	parts := (rows + partRows - 1) / partRows
	key := rng.NewStream(7, rng.Choices).Key(uint64(count))
	words, want := make([]uint64, parts+count+1), make([]uint64, parts+count+1)
	for i := range words {
		words[i] = key.Word(uint64(i)) >> 24
	}
	copy(want, words[:parts])
	sum := uint64(0)
	for i := parts; i < len(want); i++ {
		want[i] = sum
		sum += words[i]
	}
	// 2. Run the kernel.
	if err := sumTops(d, rows, topsThreads, words); err != nil {
		return err
	}
	for i, w := range want {
		if words[i] != w {
			return fmt.Errorf("word %d of %d after %d parts is %d, expected %d", i-parts, count+1, parts, words[i], w)
		}
	}
	return nil
}

// sumTops runs kernel stepchunks_tops on the sums of that many rows.
func sumTops(d *cuda.Device, rows, threads int, sums []uint64) error {
	return d.Do(func() error {
		f, err := function.Load(d, "stepchunks_tops")
		if err != nil {
			return err
		}
		s, err := d.NewStream()
		if err != nil {
			return err
		}
		defer s.Destroy()
		memory, err := d.Alloc(int64(8*len(sums)), s)
		if err != nil {
			return err
		}
		defer d.Free(memory, s)
		if err := d.CopyIn(memory.Address, unsafe.Pointer(&sums[0]), memory.Bytes, s); err != nil {
			return err
		}
		a := kernels.StepChunks{Sums: uint64(memory.Address)}
		a.B.Rows = uint64(rows)
		if err := f.Launch(cuda.Grid{Blocks: 1, Threads: threads}, s, &a); err != nil {
			return err
		}
		if err := d.CopyOut(unsafe.Pointer(&sums[0]), memory.Address, memory.Bytes, s); err != nil {
			return err
		}
		return s.Synchronize()
	})
}
