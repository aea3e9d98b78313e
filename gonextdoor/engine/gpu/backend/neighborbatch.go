package backend

import (
	"errors"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/dlpack"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/engine/gpu/transfer"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
)

// neighborSampler draws mini-batches that stay on a GPU.
type neighborSampler struct{ *gpu.NeighborSampler }

// Begin submits one launch, which draws the mini-batch of each seed. It returns nil if the graph does not fit.
func (n neighborSampler) Begin(
	m *app.NeighborSampling, batchSeeds []uint64, nodes []app.SeedNodes, j *job.Job,
) (engine.PendingBatches, error) {
	p, err := n.NeighborSampler.Begin(m, batchesOf(batchSeeds, nodes), j)
	if errors.Is(err, resident.ErrRoom) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return pendingBatches{p}, nil
}

// DrawFromHost draws the mini-batch of each seed, whose end points the host reads. It returns nil if the GPU cannot choose the
// edges.
func (n neighborSampler) DrawFromHost(
	m *app.NeighborSampling, batchSeeds []uint64, nodes []app.SeedNodes, threads int, j *job.Job,
) (engine.DeviceBatches, error) {
	result, err := n.NeighborSampler.DrawFromHost(m, batchesOf(batchSeeds, nodes), threads, j)
	if result == nil || err != nil {
		return nil, err
	}
	return newNeighborBatches(result), nil
}

// batchesOf returns the mini-batches of a launch.
func batchesOf(batchSeeds []uint64, nodes []app.SeedNodes) []gpu.Batch {
	batches := make([]gpu.Batch, len(batchSeeds))
	for i := range batches {
		batches[i] = gpu.Batch{Seed: batchSeeds[i], SeedNodes: nodes[i]}
	}
	return batches
}

// pendingBatches are mini-batches that a GPU is drawing.
type pendingBatches struct{ gpu.PendingBatches }

// Finish returns the batches. The caller releases them.
func (p pendingBatches) Finish(j *job.Job) (engine.DeviceBatches, error) {
	result, err := p.PendingBatches.Finish(j)
	if err != nil {
		return nil, err
	}
	return newNeighborBatches(result), nil
}

// Upload copies a mini-batch, which draw draws in host memory, to the GPU. The caller releases the result.
func (n neighborSampler) Upload(draw func(to output.ArenaLender) (output.NeighborBatch, error)) (engine.DeviceBatches, error) {
	arenas := &gpu.PinnedArenas{Device: n.Engine.Device}
	batch, err := draw(arenas)
	if err != nil {
		return nil, err
	}
	defer arenas.Return(batch.Arena)
	result, err := n.NeighborSampler.Upload(batch)
	if err != nil {
		return nil, err
	}
	return newNeighborBatches(result), nil
}

// newNeighborBatches returns a result with one reference.
func newNeighborBatches(result *gpu.NeighborBatches) *neighborBatches {
	b := &neighborBatches{NeighborBatches: result}
	b.device, b.stream, b.free, b.references = result.Device, result.Stream, result.Free, 1
	return b
}

// neighborBatches are mini-batches in GPU memory.
type neighborBatches struct {
	*gpu.NeighborBatches
	sharedBuffer
}

var _ engine.DeviceBatches = (*neighborBatches)(nil)

// Batches returns where each mini-batch is in the arena.
func (b *neighborBatches) Batches() []output.PlacedBatch { return b.NeighborBatches.Batches }

// Words returns the length of the arena in 8-byte integers.
func (b *neighborBatches) Words() int { return int(b.Arena.Bytes / 8) }

// Address waits for the arena and returns its address, for readers whose stream is unknown.
func (b *neighborBatches) Address() (at uintptr, err error) {
	return b.Arena.Address, b.Device.Do(func() error { return b.complete(b.Ready) })
}

// Tensor returns the address of a DLPack tensor that shares count integers of the arena, beginning at integer from.
func (b *neighborBatches) Tensor(from, count int, versioned bool, stream int64) (at uintptr, err error) {
	err = b.Device.Do(func() (err error) {
		t := dlpack.Tensor{Address: b.Arena.Address + uintptr(8*from), Bits: 64, Shape: []int64{int64(count)}, Strides: []int64{1}}
		at, err = b.tensor(t, versioned, stream, b.Ready)
		return err
	})
	return at, err
}

// CopyOut copies count integers of the arena, beginning at integer from, to the host.
func (b *neighborBatches) CopyOut(from, count int, to unsafe.Pointer, j *job.Job) error {
	return b.Device.Do(func() error {
		l, err := transfer.Of(b.Device)
		if err != nil {
			return err
		}
		c := transfer.Columns{Address: b.Arena.Address + uintptr(8*from), Rows: count, Width: 1, Stride: count, Size: 8}
		return l.Rows(c, to, 8, b.Ready, 0, j)
	})
}
