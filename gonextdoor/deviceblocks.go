package gonextdoor

import (
	"errors"
	"slices"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/dlpack"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/transfer"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// DeviceBlocks are mini-batches on a card, in one arena. They stay there until all who hold them, the maker and each
// tensor, have let go.
type DeviceBlocks struct {
	*gpu.Blocks
	loan
}

// OnDevice draws the mini-batches of several words on a GPU and leaves them there; each is what Draw gives. They are drawn
// by as few launches as can be, mostly one: each has some of them, one behind the other. It returns when it is known where
// they lie, and mostly before they are there.
func (b *Batches) OnDevice(device int, m *app.MiniBatch, words []uint64, seeds []app.Seeds, j *job.Job) (all []*DeviceBlocks, err error) {
	if len(words) != len(seeds) {
		return nil, refuse.Value("words has %d elements: expected %d, one a batch", len(words), len(seeds))
	}
	err = b.Graph.Blame(parallel.Do(1, func(int) error { return b.bindOnDevice(m, j) })) // a mapped graph may fault
	if err != nil {
		return nil, err
	}
	n, err := b.drawer(device)
	if err != nil {
		return nil, err
	}
	for begin := 0; begin < len(words); {
		end := begin + together(seeds[begin:])
		given := make([]gpu.Batch, end-begin)
		for i := range given {
			given[i] = gpu.Batch{Word: words[begin+i], Seeds: seeds[begin+i]}
		}
		blocks, err := n.Draw(m, given, j)
		if err != nil {
			for _, r := range all {
				err = errors.Join(err, r.Release())
			}
			return nil, b.blame(m, seeds, b.Graph.Blame(err))
		}
		r := &DeviceBlocks{Blocks: blocks}
		r.device, r.stream, r.free, r.holders = blocks.Device, blocks.Stream, blocks.Free, 1
		all = append(all, r)
		begin = end
	}
	return all, nil
}

// together gives how many of the first batches one launch draws: those that leave out the same edges.
func together(seeds []app.Seeds) int {
	for i, s := range seeds {
		if i == plan.NeighborhoodBatches || !slices.EqualFunc(s.Excluded, seeds[0].Excluded, slices.Equal) {
			return i
		}
	}
	return len(seeds)
}

// blame gives a refusal of one of several batches its number.
func (b *Batches) blame(m *app.MiniBatch, seeds []app.Seeds, err error) error {
	kind := refuse.KindOf(err)
	for i, s := range seeds {
		if refused := s.Check(m, b.Graph); refused != nil && refuse.KindOf(refused) == kind {
			return OfBatch(i, len(seeds), refused)
		}
	}
	return err
}

// bindOnDevice makes sure that the graph suits the app. Tables of weights are built on the GPU.
func (b *Batches) bindOnDevice(m *app.MiniBatch, j *job.Job) error {
	for _, r := range b.Graph.Relations {
		if err := r.Graph.ValidateWith(graph.Options{Job: j}); err != nil {
			return err
		}
	}
	return m.Bind(b.Graph)
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
