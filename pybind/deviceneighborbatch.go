package pybind

import (
	"gonextdoor/gonextdoor"
	"gonextdoor/gonextdoor/engine"
)

// DrawBatchesOnDevice draws mini-batches as DrawBatches does and leaves them on a device, in one or several arenas. In
// place of the address and length of a batch's block, its facts have the length and the handle of its arena.
func DrawBatchesOnDevice(hetero int64, sampler int64, count int64, words uintptr, seeds uintptr, kind int64, sizes uintptr,
	times uintptr, excluded uintptr, excludedSizes uintptr, facts uintptr, device int64, job uintptr,
) (arenas int64, err error) {
	defer guard(&err)
	b, m, given, err := batchesOf(hetero, sampler, count, seeds, kind, sizes, times, excluded, excludedSizes)
	if err != nil {
		return 0, err
	}
	all, err := b.DrawOnDevice(func() (engine.Device, error) { return gonextdoor.Backend().Open(int(device)) }, m, view[uint64](words, count), given, watched(job))
	if err != nil {
		return 0, err
	}
	size := uintptr(factsOf(m, b.Graph))
	for _, r := range all {
		handle := deviceBatches.add(r)
		for _, one := range r.Batches() {
			describePlaced(one, r.Words(), handle, view[int64](facts, int64(size)))
			facts += 8 * size
		}
	}
	return int64(len(all)), nil
}

// describePlaced writes the facts of a batch in an arena of so many words.
func describePlaced(b engine.PlacedBatch, words int, handle int64, facts []int64) {
	facts = append(facts[:0], int64(words), handle)
	for t, nodes := range b.Nodes {
		trees := int64(-1)
		if b.Trees != nil {
			trees = int64(b.Trees[t].First)
		}
		facts = append(facts, int64(nodes.First), trees)
		for _, n := range b.New[t] {
			facts = append(facts, int64(n))
		}
	}
	for _, hop := range b.Hops {
		for _, x := range hop {
			facts = append(facts, int64(x.First), int64(x.Destinations), int64(x.Indptr.First), int64(x.Indices.First),
				int64(x.EdgeIDs.First), int64(x.Indices.Count))
		}
	}
	for _, p := range b.Pairs {
		facts = append(facts, int64(p.Sources.First), int64(p.Destinations.First), int64(p.EdgeIDs.First))
		for _, n := range p.Counts {
			facts = append(facts, int64(n))
		}
	}
}

// BlocksTensor returns the address of a DLPack tensor of count integers of an arena, beginning at integer from. See
// engine.DeviceSamples.Tensor.
func BlocksTensor(handle int64, from int64, count int64, versioned bool, stream int64) (address int64, err error) {
	defer guard(&err)
	r, err := deviceBatches.get(handle)
	if err != nil {
		return 0, err
	}
	at, err := r.Tensor(int(from), int(count), versioned, stream)
	return int64(at), err
}

// BlocksAddress waits for an arena on a device and returns its address.
func BlocksAddress(handle int64) (address int64, err error) {
	defer guard(&err)
	r, err := deviceBatches.get(handle)
	if err != nil {
		return 0, err
	}
	at, err := r.Address()
	return int64(at), err
}

// BlocksOut copies count integers of an arena on a device, beginning at integer from, to out.
func BlocksOut(handle int64, from int64, count int64, out uintptr, job uintptr) (n int64, err error) {
	defer guard(&err)
	r, err := deviceBatches.get(handle)
	if err != nil {
		return 0, err
	}
	return count, r.CopyOut(int(from), int(count), pointer(out), watched(job))
}

// DropBlocks releases an arena on a device.
func DropBlocks(handle int64) (known bool, err error) {
	defer guard(&err)
	r, known := deviceBatches.drop(handle)
	if known {
		err = r.Release()
	}
	return known, err
}
