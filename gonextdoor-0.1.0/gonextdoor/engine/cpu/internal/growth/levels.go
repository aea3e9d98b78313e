package growth

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/plan"
)

// levelExpansion grows a group of samples step by step, all at the same step. It runs the programs that are not walks: those
// with several picks per transit, collective choices or unique vertices. It belongs to one worker.
type levelExpansion struct {
	run        *programRun
	samples    []sampleState // their rows are the views of the picker's columns
	choices    []choice      // collected for the picker
	picker     *picker
	step       int
	rootBuffer []uint32 // for plan.Roots.Of
}

// newLevelExpansion returns an expansion for groups of up to samples samples.
func newLevelExpansion(r *programRun, samples int) *levelExpansion {
	return &levelExpansion{
		run: r, samples: make([]sampleState, samples), picker: newPicker(r, samples), rootBuffer: make([]uint32, 1),
	}
}

// row returns the row of a sample of the group.
func (l *levelExpansion) row(sample int) *app.Row { return &l.picker.columns.views[sample] }

// emitSamples grows the samples [lo, hi) and passes each to emit in order. The rows are valid until emit returns.
func (l *levelExpansion) emitSamples(lo, hi int, emit func(i int, row app.Row) error) error {
	p := l.run.program
	for ; lo < hi; lo += len(l.samples) {
		n := min(len(l.samples), hi-lo)
		for s := range n {
			l.begin(s, lo+s)
		}
		if err := l.grow(n); err != nil {
			return err
		}
		for s := range n {
			row := l.row(s)
			if p.Records() {
				row.Links = p.Linked(l.run.graph, *row).Links
			}
			if err := emit(lo+s, *row); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin starts sample s of the group, which is row i of the batch, at its roots.
func (l *levelExpansion) begin(s, i int) {
	id, row := l.run.batch.First+uint64(i), l.row(s)
	*row = row.Reset(id)
	row.Vertices = append(row.Vertices, l.run.batch.Roots.Of(i, l.rootBuffer)...)
	l.samples[s].begin(l.run.stream.Key(id), row, l.run.program.Unique)
}

// grow takes steps until the first n samples of the group have ended.
func (l *levelExpansion) grow(n int) error {
	steps := l.run.program.Steps
	for l.step = 0; steps == 0 || l.step < steps; l.step++ {
		// 1. Collect the choices of the step, and make them in groups.
		active := false
		for s := range l.samples[:n] {
			if l.endsHere(s) {
				continue
			}
			active = true
			if err := l.addChoices(s); err != nil {
				return err
			}
		}
		if err := l.flush(); err != nil || !active {
			return err
		}
		// 2. The picked vertices become the transits of the next step.
		for s := range l.samples[:n] {
			if a := &l.samples[s]; !a.done {
				a.advance(l.row(s), l.run.width > 0)
			}
		}
	}
	return nil
}

// endsHere reports whether a sample has ended. It ends one that has reached the step limit.
func (l *levelExpansion) endsHere(s int) bool {
	a := &l.samples[s]
	if !a.done && l.run.unbounded(l.step) {
		l.run.fault(l.row(s).ID-l.run.firstID, l.step, hook.NeverEnds)
		a.done = true
	}
	return a.done
}

// addChoices adds the choices of a sample at the current step.
func (l *levelExpansion) addChoices(s int) error {
	a := &l.samples[s]
	if l.run.program.Unique == program.PerStep {
		a.excluded.Reset()
	}
	if l.run.program.Scope == program.Collective {
		all := l.picker.spans.candidatesOf(a.transits)
		return l.add(choice{sample: s, from: noTransit, excluded: &a.excluded, among: all, made: len(all.spans) > 0})
	}
	for i, from := range a.transits {
		c := choice{sample: s, from: from, place: uint64(i), excluded: &a.excluded, made: from.vertex != graph.None}
		if err := l.add(c); err != nil {
			return err
		}
	}
	return nil
}

// add collects a choice, and makes all collected choices once they fill a group.
func (l *levelExpansion) add(c choice) error {
	if l.choices = append(l.choices, c); len(l.choices) == plan.HookedGroup {
		return l.flush()
	}
	return nil
}

// flush makes the collected choices and records their picks.
func (l *levelExpansion) flush() error {
	err := l.run.job.Err()
	if err == nil && len(l.choices) > 0 {
		if err = l.picker.pickAll(l.step, l.choices, l.samples); err == nil {
			l.reserveRows()
			l.record()
		}
	}
	l.choices = l.choices[:0]
	l.picker.spans.reset()
	return err
}

// emptySlots returns the number of slots of a choice that stay empty. Only samples of a fixed width have any.
func (l *levelExpansion) emptySlots(c *choice) int {
	if l.run.width == 0 {
		return 0
	}
	return max(0, c.k-(c.endPick-c.firstPick))
}

// reserveRows grows the rows of the samples by the number of slots that record appends. The choices of a sample are adjacent.
func (l *levelExpansion) reserveRows() {
	for i := 0; i < len(l.choices); {
		s, added := l.choices[i].sample, 0
		for ; i < len(l.choices) && l.choices[i].sample == s; i++ {
			c := &l.choices[i]
			added += c.endPick - c.firstPick + l.emptySlots(c)
		}
		*l.row(s) = buffer.GrowRow(*l.row(s), added)
		l.samples[s].next = buffer.Grow(l.samples[s].next, added)
	}
}

// record appends the picks of the choices to their samples, in order. A pick for which Next returned None is an empty slot.
func (l *levelExpansion) record() {
	for i := range l.choices {
		c := &l.choices[i]
		a, row := &l.samples[c.sample], l.row(c.sample)
		picks := l.picker.picks.of(c)
		for k := range picks {
			if p := &picks[k]; p.dst != graph.None {
				a.record(row, p)
			} else if l.run.width > 0 {
				a.leaveEmpty(row, 1)
			}
		}
		a.leaveEmpty(row, l.emptySlots(c))
	}
}
