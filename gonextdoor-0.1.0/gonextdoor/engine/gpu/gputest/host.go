package gputest

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/output"
)

// Host waits for mini-batches and copies them to the host. Each is lent from offheap.Results.
func Host(b *gpu.NeighborBatches) (all []output.NeighborBatch, err error) {
	err = b.Device.Do(func() error {
		if err := b.Ready.Synchronize(); err != nil {
			return err
		}
		arena := make([]int64, b.Arena.Bytes/8)
		if err := b.Device.CopyOut(unsafe.Pointer(unsafe.SliceData(arena)), b.Arena.Address, int64(8*len(arena)), b.Stream); err != nil {
			return err
		}
		if err := b.Stream.Synchronize(); err != nil {
			return err
		}
		for _, p := range b.Batches {
			one, err := OnHost(p, arena)
			if err != nil {
				return err
			}
			all = append(all, one)
		}
		return nil
	})
	if err != nil {
		for _, one := range all {
			one.Return()
		}
		return nil, err
	}
	return all, nil
}

// OnHost copies one mini-batch out of a copy of the arena. The result is lent from offheap.Results.
func OnHost(p output.PlacedBatch, arena []int64) (out output.NeighborBatch, err error) {
	words := 0
	measure := func(s output.Span) []int64 {
		words += s.Count
		return nil
	}
	output.ConvertArrays(p, measure)
	memory, err := output.LendArena(words)
	if err != nil {
		return out, err
	}
	rest := memory
	out.BatchArrays = output.ConvertArrays(p, func(s output.Span) []int64 {
		to := rest[:s.Count:s.Count]
		rest = rest[s.Count:]
		copy(to, arena[s.First:])
		return to
	})
	out.Arena = memory
	return out, nil
}
