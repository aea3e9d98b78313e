package neighbor

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/refuse"
)

// Upload copies a mini-batch in host memory to the GPU. It returns when the copy is complete.
//
// Errors: DeviceError if the GPU's memory is too small for the batch.
func (n *Sampler) Upload(batch output.NeighborBatch) (result *Batches, err error) {
	d := n.Engine.Device
	err = d.Do(func() (err error) {
		b := &Batches{Device: d, Batches: []output.PlacedBatch{batch.Placed()}}
		if b.Stream, err = n.Engine.WorkStream(); err != nil {
			return err
		}
		if err = b.upload(batch.Arena); err != nil {
			_ = b.free()
			return err
		}
		result = b
		return nil
	})
	return result, err
}

// upload allocates the arena, copies words to it, and waits for the copy.
func (b *Batches) upload(words []int64) (err error) {
	bytes := 8 * int64(len(words))
	if b.Arena, err = resident.Alloc(b.Device, max(8, bytes), b.Stream); err != nil {
		return err
	}
	if b.Ready, err = b.Device.NewEvent(); err != nil {
		return err
	}
	err = launch.First(b.Device.CopyIn(b.Arena.Address, unsafe.Pointer(unsafe.SliceData(words)), bytes, b.Stream), b.Ready.Record(b.Stream))
	return launch.First(err, b.Ready.Synchronize())
}

// PinnedArenas lends pinned memory for the arenas of mini-batches that will be uploaded, because the GPU copies from it at full
// speed. If the system refuses to pin more memory, it lends other memory. One thread at a time may use it.
type PinnedArenas struct {
	Device *cuda.Device
	lent   []cuda.Pinned
}

// Lend returns an uninitialised arena, n words long.
func (p *PinnedArenas) Lend(n int) (arena []int64, err error) {
	var m cuda.Pinned
	err = p.Device.Do(func() error {
		m, err = p.Device.Pin(8 * int64(max(1, n)))
		return err
	})
	if refuse.KindOf(err) == refuse.KindMemory {
		return output.LendArena(n)
	}
	if err != nil {
		return nil, err
	}
	p.lent = append(p.lent, m)
	return unsafe.Slice((*int64)(m.Pointer), n), nil
}

// Return takes back an arena. The copies from it must be complete.
func (p *PinnedArenas) Return(arena []int64) {
	at := unsafe.Pointer(unsafe.SliceData(arena))
	for i, m := range p.lent {
		if m.Pointer == at {
			p.lent = append(p.lent[:i], p.lent[i+1:]...)
			_ = p.Device.Do(func() error { return p.Device.Unpin(m) }) // if the GPU's context is lost, so is the memory
			return
		}
	}
	output.ResultArenas{}.Return(arena)
}
