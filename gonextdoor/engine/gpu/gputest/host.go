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
			one, err := onHost(p, arena)
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

// onHost copies one mini-batch out of a copy of the arena.
func onHost(p output.PlacedBatch, arena []int64) (out output.NeighborBatch, err error) {
	words := 0
	measure := func(s output.Span) []int64 {
		words += s.Count
		return nil
	}
	arrays(p, measure)
	memory, err := output.LendArena(words)
	if err != nil {
		return out, err
	}
	rest := memory
	out.BatchArrays = arrays(p, func(s output.Span) []int64 {
		to := rest[:s.Count:s.Count]
		rest = rest[s.Count:]
		copy(to, arena[s.First:])
		return to
	})
	out.Arena = memory
	return out, nil
}

// arrays returns a mini-batch whose arrays are those that take returns for the spans.
func arrays(p output.PlacedBatch, take func(s output.Span) []int64) (out output.BatchArrays[[]int64]) {
	out.New = p.New
	for t := range p.Nodes {
		out.Nodes = append(out.Nodes, take(p.Nodes[t]))
		if p.Trees != nil {
			out.Trees = append(out.Trees, take(p.Trees[t]))
		}
	}
	for _, hop := range p.Hops {
		var hops []output.Hop
		for _, x := range hop {
			hops = append(hops, output.Hop{
				First: x.First, Destinations: x.Destinations, Indptr: take(x.Indptr), Indices: take(x.Indices), EdgeIDs: take(x.EdgeIDs),
			})
		}
		out.Hops = append(out.Hops, hops)
	}
	for _, x := range p.Pairs {
		out.Pairs = append(out.Pairs, output.Pairs{
			Sources: take(x.Sources), Destinations: take(x.Destinations), EdgeIDs: take(x.EdgeIDs), Counts: x.Counts,
		})
	}
	return out
}
