package features

import (
	"errors"
	"sync"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels/function"
)

// link is what all stores of a GPU share: streams, pinned memory and the order of reads. It stays as long as the process.
type link struct {
	device *cuda.Device
	search cuda.Stream // finds rows, and copies hits of caches that do not change
	copies cuda.Stream // copies from the host
	host   cuda.Stream // reads missed rows from host memory by a kernel
	rows   cuda.Stream // all other copies of rows
	frees  cuda.Stream // results are freed here, after the work of consumers, for which no read may wait

	order sync.Mutex    // locked while a read or an announcement is submitted to search
	last  chan struct{} // closed when the latest read has submitted everything; guarded by order

	ring    pinnedRing
	workers workers
}

// links are the links of all GPUs.
var links struct {
	sync.Mutex
	of map[*cuda.Device]*link
}

// linkOf returns the link of a GPU and creates it at the first call. It is called within Device.Do.
func linkOf(d *cuda.Device) (*link, error) {
	links.Lock()
	defer links.Unlock()
	if l := links.of[d]; l != nil {
		return l, nil
	}
	l := &link{device: d, last: make(chan struct{})}
	close(l.last)
	all := []*cuda.Stream{&l.search, &l.copies, &l.host, &l.rows, &l.frees}
	for _, s := range all {
		var err error
		if *s, err = d.NewStream(); err != nil {
			for _, made := range all {
				if *made != (cuda.Stream{}) {
					err = errors.Join(err, made.Destroy())
				}
			}
			return nil, err
		}
	}
	if links.of == nil {
		links.of = map[*cuda.Device]*link{}
	}
	links.of[d] = l
	return l, nil
}

// turn returns a channel that is closed when everything before has been submitted, and the function to call when this has.
// The lock of order is held.
func (l *link) turn() (before <-chan struct{}, done func()) {
	before, now := l.last, make(chan struct{})
	l.last = now
	return before, func() { close(now) }
}

// then lets a stream wait for the present work of another.
func (l *link) then(first, next cuda.Stream) error {
	e, err := l.device.NewEvent()
	if err != nil {
		return err
	}
	return errors.Join(e.Record(first), next.Wait(e), e.Destroy())
}

// launch starts a kernel with up to that many blocks. argument points to its parameter.
func (l *link) launch(name string, blocks int, argument any, s cuda.Stream) error {
	f, err := function.Load(l.device, name)
	if err != nil {
		return err
	}
	return f.Launch(cuda.Grid{Blocks: max(1, blocks)}, s, argument)
}

// warps returns the blocks that give each tile a warp, at most as many as the GPU runs at once.
func (l *link) warps(tiles uint64) int {
	return int(min((tiles*32+plan.GPUBlock-1)/plan.GPUBlock, uint64(l.device.Multiprocessors*l.device.ThreadsPerMultiprocessor/plan.GPUBlock)))
}

// each returns the blocks that give each of n elements a thread, at most as many as the GPU runs at once.
func (l *link) each(n int) int { return l.warps(uint64(n+31) / 32) }
