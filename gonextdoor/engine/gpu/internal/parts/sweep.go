package parts

import (
	"slices"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/kernels"
)

// Sweep copies all parts of a graph to the slots, one after another, and does the work on each while the next one is
// copied. All samples share a copy of the graph per step, as in C-SAW's batched multi-instance sampling.
type Sweep struct {
	Run   *launch.Run
	slots *slots
	read  []cuda.Event // per slot: the kernels that read its part are complete
}

// Each submits work for each part, in any order: g with the addresses of the part, which has the rows [lo, hi).
func (p *Sweep) Each(g kernels.Graph, work func(g kernels.Graph, lo, hi uint64) error) error {
	if p.slots == nil {
		if err := p.begin(); err != nil {
			return err
		}
	}
	order, next := p.order()
	done := make([]bool, p.Count())
	for _, part := range order {
		// 1. Copy the next parts to the slots of parts that have been read.
		for ; next < len(order); next++ {
			slot := p.slots.spare(func(slot int) bool { return done[p.slots.slots[slot].part] }, func(int) uint64 { return 0 })
			if slot < 0 {
				break
			}
			if err := launch.First(p.slots.stream.Wait(p.read[slot]), p.slots.load(order[next], slot)); err != nil {
				return err
			}
		}
		// 2. Do the work on this one.
		if err := p.workOn(part, g, work); err != nil {
			return err
		}
		done[part] = true
	}
	return nil
}

// workOn submits the work for a part, which is in a slot.
func (p *Sweep) workOn(part int, g kernels.Graph, work func(g kernels.Graph, lo, hi uint64) error) error {
	r := p.Run
	slot := slices.IndexFunc(p.slots.slots, func(s slot) bool { return s.part == part })
	g = p.slots.arrays(g, slot)
	err := launch.First(r.Launcher.Admit(r.Job), r.Stream.Wait(p.slots.slots[slot].loaded))
	if err == nil {
		err = work(g, uint64(p.slots.cut.bounds[part]), uint64(p.slots.cut.bounds[part+1]))
	}
	return launch.First(err, p.read[slot].Record(r.Stream), r.Launcher.Launched())
}

// Count returns the number of parts, once there are any.
func (p *Sweep) Count() int { return p.slots.cut.parts() }

// begin cuts the graph for the memory that is free now, and allocates the slots.
func (p *Sweep) begin() (err error) {
	if p.slots, err = newSlots(p.Run); err != nil {
		return err
	}
	for range p.slots.slots {
		e, err := p.Run.Device.NewEvent()
		if err != nil {
			return err
		}
		p.read = append(p.read, e)
	}
	return nil
}

// order returns all parts, those first that are in slots, and their number.
func (p *Sweep) order() (parts []int, inSlots int) {
	for _, s := range p.slots.slots {
		if s.part >= 0 {
			parts = append(parts, s.part)
		}
	}
	inSlots = len(parts)
	for part := range p.Count() {
		if !p.slots.has(part) {
			parts = append(parts, part)
		}
	}
	return parts, inSlots
}

// End waits for the copies and frees the slots in stream order.
func (p *Sweep) End() (err error) {
	if p.slots != nil {
		err = p.slots.end()
	}
	for _, e := range p.read {
		err = launch.First(err, e.Destroy())
	}
	return err
}
