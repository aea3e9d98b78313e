package parts

import (
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/kernels"
)

// slots are slots in GPU memory, to which parts of a graph are copied in turn. While kernels read the parts of other
// slots, one slot is loading.
type slots struct {
	device  *cuda.Device
	cut     *cut
	stream  cuda.Stream // of the copies
	host    *resident.HostParts
	memory  cuda.Memory
	release func() error // frees the memory
	slots   []slot
	loads   int // copies so far
}

// slot is a slot.
type slot struct {
	part   int // -1: none
	load   int // the number of its copy
	loaded cuda.Event
}

// newSlots cuts the graph of a run into parts for the memory that is free now, and allocates the slots. Work of the run's stream
// frees them at the end. The caller calls end, unless p is nil.
func newSlots(r *launch.Run) (p *slots, err error) {
	cut, err := cutParts(r)
	if err != nil {
		return nil, err
	}
	p = &slots{device: r.Device, cut: cut, release: func() error { return nil }}
	if p.stream, err = r.Device.NewStream(); err != nil {
		return p, err
	}
	p.host = resident.NewHostParts(r.Device, p.stream, r.Options())
	memory, release, err := r.Resident.Lend(int64(cut.slots)*cut.slotBytes, r.Stream, r.Options())
	if err != nil {
		return p, err
	}
	p.memory, p.release = memory, release
	for range cut.slots {
		e, err := r.Device.NewEvent()
		if err != nil {
			return p, err
		}
		p.slots = append(p.slots, slot{part: -1, loaded: e})
	}
	// The memory may have been in use before, by work of the run's stream.
	return p, launch.First(p.slots[0].loaded.Record(r.Stream), p.stream.Wait(p.slots[0].loaded))
}

// has reports whether a part is in a slot, or is being copied to one.
func (p *slots) has(part int) bool {
	for _, s := range p.slots {
		if s.part == part {
			return true
		}
	}
	return false
}

// spare returns the slot to copy the next part to: an empty one, or of those whose part is free that for which the fewest
// walkers wait, and of these the one that was copied first. It returns -1 if there is none.
func (p *slots) spare(free func(slot int) bool, waiting func(part int) uint64) int {
	best := -1
	for k, s := range p.slots {
		switch {
		case s.part < 0:
			return k
		case !free(k):
		case best < 0:
			best = k
		default:
			mine, others := waiting(s.part), waiting(p.slots[best].part)
			if mine < others || mine == others && s.load < p.slots[best].load {
				best = k
			}
		}
	}
	return best
}

// load copies a part to a slot, whose previous part no kernel is reading.
func (p *slots) load(part, slot int) error {
	if err := p.cut.copyTo(p.host, p.device, part, p.address(slot)); err != nil {
		return err
	}
	p.loads++
	s := &p.slots[slot]
	s.part, s.load = part, p.loads
	return s.loaded.Record(p.stream)
}

// address returns the begin of a slot.
func (p *slots) address(slot int) uintptr {
	return p.memory.Address + uintptr(int64(slot)*p.cut.slotBytes)
}

// arrays returns the addresses of the arrays of the part in a slot.
func (p *slots) arrays(g kernels.Graph, slot int) kernels.Graph {
	return p.cut.addresses(g, p.slots[slot].part, p.address(slot))
}

// resident lets kernels read the parts in all slots but one, which may be -1: it sets their numbers, a byte per slot, and the
// addresses of their arrays. any is whether there are any.
func (p *slots) resident(a *kernels.StreamedWalk, but int) (any bool) {
	a.Resident = ^uint64(0)
	for k, s := range p.slots {
		if k != but && s.part >= 0 {
			any = true
			a.Resident ^= uint64(0xff^s.part) << (8 * k)
			a.Slots[k] = p.arrays(a.W.G, k)
		}
	}
	return any
}

// end waits for all copies and frees the slots in stream order.
func (p *slots) end() (err error) {
	if p.host != nil {
		err = launch.First(p.host.End(), p.stream.Destroy())
	}
	for _, s := range p.slots {
		err = launch.First(err, s.loaded.Destroy())
	}
	return launch.First(err, p.release())
}
