package gpu

import (
	"math"
	"slices"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// treeParts makes the picks of trees on a graph of which GPU memory has some parts at a time. All transits of a launch are
// sorted by vertex. Then each part makes the picks of its transits, which are a range of the list, while the next part is
// copied to another slot. So all samples share a copy of the graph per step, as in C-SAW's batched multi-instance sampling.
//
// The words of a pick are keyed by its row, step and transit. So the order of the parts does not change a sample.
type treeParts struct {
	cut   *partCut
	slots *partSlots
	read  []cuda.Event // per slot: the kernels that read its part are complete
}

// treePartSpec returns the partSpec of a tree; nil if it has no steps, or its choices need other kernels.
func treePartSpec(t tree) *partSpec {
	if len(t.fanouts) == 0 || slices.ContainsFunc(t.fanouts, t.isLong) {
		return nil
	}
	s := &partSpec{layout: resident.Rows, sweeps: len(t.fanouts)}
	switch {
	case t.weighted() && t.replace:
		s.layout = resident.Alias
	case t.weighted():
		s.layout = resident.Rows | resident.Alias | resident.Biases
	}
	s.samples = func(r *run) error {
		variants := t.variants()
		r.kernel = variants[len(variants)-1].kernel
		r.launcher.limited = true
		one := &treeRun{tree: t, run: r, parts: &treeParts{}}
		return first(one.samples(), one.parts.end())
	}
	return s
}

// isLong reports whether the choices of a fan-out have more picks than fit the shared memory.
func (t tree) isLong(fanout int) bool {
	return !t.replace && fanout > plan.TreePicks && fanout < t.maxDegree
}

// sortAll selects transit order for all steps, and bounds the rows of a launch, so that there is memory to sort one transit of
// each.
func (t *treeRun) sortAll() error {
	t.orders = slices.Repeat([]plan.Order{plan.TransitOrder}, len(t.fanouts))
	most := t.run.device.Total / plan.TransitShare / t.stagedBytes(slices.Max(t.fanouts))
	most -= most % warp
	if most == 0 {
		return refuse.Device("%w: a pick of %d edges does not fit beside the parts of a graph that does not fit: use device=\"cpu\"",
			cuda.ErrMemory, slices.Max(t.fanouts))
	}
	t.rows = int(min(int64(t.rows), most))
	return nil
}

// picksInParts makes the picks of the sorted transits, part by part.
func (t *treeRun) picksInParts(a kernels.Tree, s treeStep) error {
	p := t.parts
	if p.slots == nil {
		if err := p.begin(t.run); err != nil {
			return err
		}
	}
	order, next := p.order()
	done := make([]bool, p.cut.parts())
	for _, part := range order {
		// 1. Copy the next parts to the slots of parts that have been read.
		for ; next < len(order); next++ {
			slot := p.spare(done)
			if slot < 0 {
				break
			}
			if err := first(p.slots.stream.Wait(p.read[slot]), p.slots.load(order[next], slot)); err != nil {
				return err
			}
		}
		// 2. Make the picks of this one.
		if err := t.picksOfPart(a, s, part); err != nil {
			return err
		}
		done[part] = true
	}
	return nil
}

// picksOfPart makes the picks of the sorted transits whose rows are in a part, which is in a slot.
func (t *treeRun) picksOfPart(a kernels.Tree, s treeStep, part int) error {
	p, r, o := t.parts, t.run, &t.order.args
	slot := slices.IndexFunc(p.slots.slots, func(s partSlot) bool { return s.part == part })
	lo, hi := uint64(p.cut.bounds[part]), uint64(p.cut.bounds[part+1])
	a.G = p.cut.addresses(a.G, part, p.slots.memory.Address+uintptr(int64(slot)*p.cut.slotBytes))
	a.RowBegin, a.RowEnd = lo, hi
	a.SortedBegin = o.P.ToFirsts + 4*(lo>>o.P.Shift)
	a.SortedEnd = o.P.ToFirsts + 4*((hi-1)>>o.P.Shift+1)
	err := first(r.launcher.admit(r.job), r.stream.Wait(p.slots.slots[slot].loaded))
	if err == nil {
		err = t.picks(&a, s)
	}
	return first(err, p.read[slot].Record(r.stream), r.launcher.launched())
}

// begin cuts the graph for the memory that is free now, and allocates the slots.
func (p *treeParts) begin(r *run) (err error) {
	if p.cut, err = r.cutParts(); err != nil {
		return err
	}
	if p.slots, err = newPartSlots(r.resident, r.device, p.cut, r.stream, r.options()); err != nil {
		return err
	}
	for range p.slots.slots {
		e, err := r.device.NewEvent()
		if err != nil {
			return err
		}
		p.read = append(p.read, e)
	}
	return nil
}

// order returns all parts, those first that are in slots, and their number.
func (p *treeParts) order() (parts []int, inSlots int) {
	for _, s := range p.slots.slots {
		if s.part >= 0 {
			parts = append(parts, s.part)
		}
	}
	inSlots = len(parts)
	for part := range p.cut.parts() {
		if !p.slots.has(part) {
			parts = append(parts, part)
		}
	}
	return parts, inSlots
}

// spare returns the slot to copy the next part to: an empty one, or of those whose part is done the one that was copied first.
// It returns -1 if there is none.
func (p *treeParts) spare(done []bool) (best int) {
	best, oldest := -1, math.MaxInt
	for k, s := range p.slots.slots {
		if s.part < 0 {
			return k
		}
		if done[s.part] && s.load < oldest {
			best, oldest = k, s.load
		}
	}
	return best
}

// end waits for the copies and frees the slots in stream order.
func (p *treeParts) end() (err error) {
	if p.slots != nil {
		err = p.slots.end()
	}
	for _, e := range p.read {
		err = first(err, e.Destroy())
	}
	return err
}
