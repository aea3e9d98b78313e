package gonextdoor

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/dlpack"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/transfer"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// DeviceBlocks are mini-batches on a card, in one arena. They stay there until all who hold them, the maker and each
// tensor, have let go.
type DeviceBlocks struct {
	*gpu.Blocks
	loan
}

// OnDevice draws the mini-batches of several words on a GPU, in one launch, and leaves them there; each is what Draw
// gives. It returns when it is known where they lie, and mostly before they are there.
func (b *Batches) OnDevice(device int, m *app.MiniBatch, words []uint64, seeds []app.Seeds, j *job.Job) (*DeviceBlocks, error) {
	if len(words) != len(seeds) {
		return nil, refuse.Value("words has %d elements: expected %d, one a batch", len(words), len(seeds))
	}
	if err := b.bindOnDevice(m, j); err != nil {
		return nil, err
	}
	n, err := b.drawer(device)
	if err != nil {
		return nil, err
	}
	given := make([]gpu.Batch, len(words))
	for i, s := range seeds {
		given[i] = gpu.Batch{Word: words[i], Seeds: s}
	}
	blocks, err := n.Draw(m, given, j)
	if err != nil {
		return nil, err
	}
	r := &DeviceBlocks{Blocks: blocks}
	r.device, r.stream, r.free, r.holders = blocks.Device, blocks.Stream, blocks.Free, 1
	return r, nil
}

// bindOnDevice makes sure that the graph suits the app. Tables of weights are made on the card.
func (b *Batches) bindOnDevice(m *app.MiniBatch, j *job.Job) error {
	bind := func() error { return m.Bind(b.Graph) }
	for _, r := range b.Graph.Relations {
		if err := r.Graph.ValidateBy(graph.Hands{Job: j}); err != nil {
			return err
		}
		inner := bind
		bind = func() error { return r.Graph.WithoutAlias(inner) }
	}
	return bind()
}

// drawer gives what draws on a GPU.
func (b *Batches) drawer(device int) (*gpu.Neighborhoods, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := b.onDevice[device]; n != nil {
		return n, nil
	}
	d, err := cuda.Open(device)
	if err != nil {
		return nil, err
	}
	opened.Store(true)
	n := &gpu.Neighborhoods{Engine: gpu.Engine{Device: d}, Graph: b.Graph}
	err = d.Do(func() (err error) {
		n.Engine.Stream, err = streamOf(d)
		return err
	})
	if err != nil {
		return nil, err
	}
	if b.onDevice == nil {
		b.onDevice = map[int]*gpu.Neighborhoods{}
	}
	b.onDevice[device] = n
	return n, nil
}

// Address waits for the arena and gives where it lies, for readers in streams that are not named.
func (r *DeviceBlocks) Address() (at uintptr, err error) {
	return r.Arena.Address, r.Device.Do(func() error { return r.complete(r.Ready) })
}

// Tensor gives count numbers of the arena, from one on, as a DLPack tensor; see DeviceSamples.Tensor.
func (r *DeviceBlocks) Tensor(from, count int, versioned bool, stream int64) (at uintptr, err error) {
	err = r.Device.Do(func() (err error) {
		t := dlpack.Tensor{Address: r.Arena.Address + uintptr(8*from), Bits: 64, Shape: []int64{int64(count)}, Strides: []int64{1}}
		at, err = r.tensor(t, versioned, stream, r.Ready)
		return err
	})
	return at, err
}

// CopyOut copies count numbers of the arena, from one on, to the host.
func (r *DeviceBlocks) CopyOut(from, count int, to unsafe.Pointer, j *job.Job) error {
	return r.Device.Do(func() error {
		l, err := transfer.Of(r.Device)
		if err != nil {
			return err
		}
		c := transfer.Columns{Address: r.Arena.Address + uintptr(8*from), Rows: count, Width: 1, Stride: count, Size: 8}
		return l.Rows(c, to, 8, r.Ready, 0, j)
	})
}
