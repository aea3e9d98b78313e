package growth

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// picker makes the choices of a group of samples. It determines which choices are made and their numbers of picks, and calls
// the selection of the run's method. It belongs to one worker.
type picker struct {
	run       *programRun
	hooks     *hookCaller
	walks     bool       // the words of choices are under the sample's key
	columns   *columns   // of the active choices
	scratch   *columns   // for hook calls on anything but the active choices
	active    []int      // choices that are made: choice active[i] is column i
	spans     spanBuffer // of the candidates
	picks     pickList
	single    *chooser   // nil unless the method makes one pick per transit
	selection *selection // nil unless the method makes several picks per choice
}

// newPicker returns a picker for groups of up to samples samples.
func newPicker(r *programRun, samples int) *picker {
	const n = plan.HookedGroup
	c, scratch := newColumns(n), newColumns(n)
	c.views, c.roots = make([]app.Row, samples), r.batch.Roots.Width
	p := &picker{
		run:     r,
		hooks:   newHookCaller(r, n),
		walks:   r.program.Walks(r.batch.Roots.Width),
		columns: &c,
		scratch: &scratch,
		spans:   spanBuffer{graph: r.graph},
		picks:   pickList{graph: r.graph},
	}
	switch {
	case r.method.single():
		p.single = newChooser(r, p.hooks, p.scratch, n)
	case r.method != byNext:
		p.selection = newSelection(r, p.hooks, p.columns, p.scratch, &p.spans, &p.picks, n)
	}
	return p
}

// pickAll makes the picks of up to plan.HookedGroup choices of a step. samples are those of the group.
func (p *picker) pickAll(step int, choices []choice, samples []sampleState) error {
	// 1. Describe the choices in columns, except those that Stop ends.
	p.describe(step, choices, samples)
	if p.run.program.Stop != nil && len(p.active) > 0 {
		p.applyStop()
	}
	if len(p.active) == 0 {
		p.picks.all = p.picks.all[:0]
		return nil
	}
	// 2. Determine the number of picks.
	if p.run.program.Fanout != nil {
		for at, k := range p.hooks.fanout(p.columns, len(p.active)) {
			choices[p.active[at]].k = int(k)
		}
	}
	unlimited := p.run.method == byNext || p.run.program.Replace && p.run.program.Unique == program.Repeats
	if err := p.picks.reserve(choices, p.active, unlimited); err != nil {
		return err
	}
	// 3. Make the picks.
	switch {
	case p.run.method == byNext:
		p.pickByNext(choices)
	case p.single != nil:
		p.pickOneEach(choices)
	default:
		if err := p.selection.pickAll(choices, p.active); err != nil {
			return err
		}
	}
	// 4. Call the Update hook.
	p.picks.update(p.run, p.hooks, p.columns, p.scratch)
	return nil
}

// describe fills the columns and sets active to the choices that are made.
func (p *picker) describe(step int, choices []choice, samples []sampleState) {
	c := p.columns
	c.step = step
	p.active = p.active[:0]
	for i := range choices {
		one := &choices[i]
		one.k = p.run.program.FanoutAt(step)
		if !one.made {
			continue
		}
		n, key := len(p.active), samples[one.sample].key
		c.view[n], c.row[n] = uint32(one.sample), c.views[one.sample].ID-p.run.firstID
		c.transit[n], c.prev[n], c.reached[n], c.slot[n] = one.from.vertex, one.from.prev, one.from.edge, 0
		if p.walks {
			c.key[n], c.words[n] = uint64(key), rng.Slot(uint64(step), program.HookTry)
		} else {
			c.key[n], c.words[n] = uint64(key.Stream(uint64(step)).Key(one.place)), program.HookSlot
		}
		p.active = append(p.active, i)
	}
	if p.run.program.Scope == program.Individual {
		stage.PrefetchRecords(buffer.Pointer(p.run.graph.Indptr), c.transit[:len(p.active)])
	}
}

// applyStop removes the choices that the Stop hook ends.
func (p *picker) applyStop() {
	n, c := 0, p.columns
	for at, stop := range p.hooks.stop(c, len(p.active)) {
		if stop == 0 {
			c.take(n, c, at)
			c.words[n], p.active[n] = c.words[at], p.active[at]
			n++
		}
	}
	p.active = p.active[:n]
}

// pickByNext makes the picks by the Next hook, many in one call.
func (p *picker) pickByNext(choices []choice) {
	t, n := p.scratch, 0
	t.useStepOf(p.columns)
	flush := func() {
		latest := p.picks.all[len(p.picks.all)-n:]
		for i, v := range p.hooks.next(t, n) {
			latest[i].dst = v
		}
		n = 0
	}
	for at, i := range p.active {
		c := &choices[i]
		p.picks.begin(c)
		for j := range c.k {
			t.take(n, p.columns, at)
			t.slot[n], t.words[n] = uint32(j), p.columns.words[at]+uint64(j)*program.UserWords
			p.picks.all = append(p.picks.all, pick{at: at, slot: uint32(j), edge: graph.NoEdge, from: c.from})
			if n++; n == t.capacity() {
				flush()
			}
		}
		p.picks.end(c)
	}
	if n > 0 {
		flush()
	}
	clear(t.slot)
}

// pickOneEach makes one pick for each choice, as walkers do.
func (p *picker) pickOneEach(choices []choice) {
	first := uint64(0)
	if p.walks {
		first = rng.Slot(uint64(p.columns.step), 0)
	}
	p.single.choose(p.columns, len(p.active), first)
	for at, i := range p.active {
		c := &choices[i]
		p.picks.begin(c)
		if dst := p.columns.dst[at]; dst != graph.None {
			p.picks.all = append(p.picks.all, pick{at: at, edge: p.columns.edge[at], dst: dst, from: c.from})
		}
		p.picks.end(c)
	}
}
