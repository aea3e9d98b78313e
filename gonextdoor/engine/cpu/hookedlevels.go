package cpu

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/buffer"
	"gonextdoor/gonextdoor/engine/cpu/rowaccess"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// levels grows a group of samples level by level: those whose transits make several picks, or all together, or whose
// vertices are unique.
type levels struct {
	picker
	samples []growing
	step    int
	tasks   []task
}

// growing is a sample as it grows; its row is among the columns' views.
type growing struct {
	key      rng.Key
	transits []transit
	next     []transit
	taken    rowaccess.HashSet
	done     bool
}

// transit is app.StepProgram's.
type transit struct {
	vertex, prev uint32
	place        int32
}

// task is a choice: of one transit, or of all of a sample together.
type task struct {
	sample int
	from   transit
	place  uint64 // the transit's among its step's
	lo, hi int    // the task's spans
	n      uint64 // candidates
	k      int    // picks wanted; where nothing is asked for, the slots that stay empty
	asked  bool
	first  int // of the task's picks
	end    int
	biases []uint64 // of the candidates, where all are weighed
}

// reached is a transit with the positions of its edges. Candidates are numbered through a task's spans.
type reached struct {
	transit
	first, end uint64
	before     uint64 // candidates of the spans before
}

func newLevels(h *hooked, samples int) *levels {
	l := &levels{picker: newPicker(h), samples: make([]growing, samples)}
	l.c.views = make([]app.Row, samples)
	l.c.roots = h.batch.Roots.Width
	return l
}

// whole grows the samples [lo, hi).
func (l *levels) whole(lo, hi int, emit func(i int, row app.Row) error) error {
	for ; lo < hi; lo += len(l.samples) {
		n := min(len(l.samples), hi-lo)
		for s := range n {
			l.begin(s, lo+s)
		}
		if err := l.grow(n); err != nil {
			return err
		}
		for s, row := range l.c.views[:n] {
			if l.grows.Records() {
				row = l.grows.Linked(l.g, row)
				l.c.views[s].Links = row.Links
			}
			if err := emit(lo+s, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin puts sample s of the group, row i, at its roots.
func (l *levels) begin(s, i int) {
	id, a := l.batch.First+uint64(i), &l.samples[s]
	a.key, a.done = l.stream.Key(id), false
	a.transits, a.next = a.transits[:0], a.next[:0]
	a.taken.Reset()
	row := l.c.views[s].Reset(id)
	row.Vertices = append(row.Vertices, l.batch.Roots.Of(i, l.out[:1])...)
	row.Ends = append(row.Ends, int32(len(row.Vertices)))
	for k, v := range row.Vertices {
		a.transits = append(a.transits, transit{v, graph.None, int32(k)})
		if l.grows.Unique == app.PerSample {
			a.taken.Add(uint64(v))
		}
	}
	l.c.views[s] = row
}

// grow takes steps until all n samples have ended.
func (l *levels) grow(n int) error {
	steps := l.grows.Steps
	for l.step = 0; steps == 0 || l.step < steps; l.step++ {
		going := false
		for s := range l.samples[:n] {
			a := &l.samples[s]
			if a.done {
				continue
			}
			if l.step == hook.MaxSteps && steps == 0 && l.grows.Faults != nil {
				a.done = l.fault(l.c.views[s].ID-l.first, l.step, hook.NeverEnds)
				continue
			}
			going = true
			if l.grows.Unique == app.PerStep {
				a.taken.Reset()
			}
			if err := l.ask(s); err != nil {
				return err
			}
		}
		if err := l.flush(); err != nil || !going {
			return err
		}
		for s := range l.samples[:n] {
			l.stepped(s)
		}
	}
	return nil
}

// ask adds the tasks of a sample's step.
func (l *levels) ask(s int) error {
	a := &l.samples[s]
	if l.grows.Scope == app.Collective {
		l.spans = buffer.Grow(l.spans, len(a.transits))
		t := task{sample: s, from: transit{graph.None, graph.None, -1}, lo: len(l.spans)}
		for _, from := range a.transits {
			if from.vertex != graph.None {
				l.spans = t.reach(l.g, l.spans, from)
			}
		}
		t.hi = len(l.spans)
		t.asked = t.hi > t.lo
		return l.add(t)
	}
	for i, from := range a.transits {
		if err := l.add(task{sample: s, from: from, place: uint64(i), asked: from.vertex != graph.None}); err != nil {
			return err
		}
	}
	return nil
}

// reach adds a transit's row to the candidates.
func (t *task) reach(g *graph.Graph, spans []reached, from transit) []reached {
	first, end := g.Row(from.vertex)
	before := t.n
	t.n += end - first
	return append(spans, reached{from, first, end, before})
}

func (l *levels) add(t task) error {
	if l.tasks = append(l.tasks, t); len(l.tasks) == plan.HookedGroup {
		return l.flush()
	}
	return nil
}

// stepped ends a step of a sample.
func (l *levels) stepped(s int) {
	a := &l.samples[s]
	if a.done {
		return
	}
	a.transits, a.next = a.next, a.transits[:0]
	row := &l.c.views[s]
	if len(a.transits) > 0 {
		row.Ends = append(row.Ends, int32(len(row.Vertices)))
	}
	a.done = l.width == 0
	for _, t := range a.transits {
		if t.vertex != graph.None {
			a.done = false
			break
		}
	}
}

// flush makes the choices of the tasks, and records them.
func (l *levels) flush() error {
	if err := l.job.Err(); err != nil || len(l.tasks) == 0 {
		l.tasks = l.tasks[:0]
		return err
	}
	c, n := &l.c, 0
	c.step = l.step
	l.live = l.live[:0]
	for i := range l.tasks {
		t := &l.tasks[i]
		t.k = l.grows.FanoutAt(l.step)
		if !t.asked {
			continue
		}
		a := &l.samples[t.sample]
		c.who[n], c.row[n] = uint32(t.sample), c.views[t.sample].ID-l.first
		c.transit[n], c.prev[n], c.slot[n] = t.from.vertex, t.from.prev, 0
		c.key[n], c.words[n] = uint64(a.key), rng.Slot(uint64(l.step), app.HookTry)
		if !l.walk {
			c.key[n], c.words[n] = uint64(a.key.Stream(uint64(l.step)).Key(t.place)), app.HookSlot
		}
		l.live = append(l.live, i)
		n++
	}
	if l.grows.Scope == app.Individual {
		stage.PrefetchRecords(buffer.Pointer(l.g.Indptr), c.transit[:n])
	}
	err := l.pickAll(l.tasks, l.samples)
	if err == nil {
		l.makeRoom()
		l.record()
	}
	l.tasks, l.spans = l.tasks[:0], l.spans[:0]
	return err
}

// makeRoom makes room in the samples for what record writes: all of a sample's tasks lie together.
func (l *levels) makeRoom() {
	for i := 0; i < len(l.tasks); {
		s, added := l.tasks[i].sample, 0
		for ; i < len(l.tasks) && l.tasks[i].sample == s; i++ {
			t := &l.tasks[i]
			if added += t.end - t.first; l.width > 0 {
				added += max(0, t.k-(t.end-t.first))
			}
		}
		l.c.views[s] = buffer.GrowRow(l.c.views[s], added)
		l.samples[s].next = buffer.Grow(l.samples[s].next, added)
	}
}

// record writes the picks of the tasks to the samples, in order.
func (l *levels) record() {
	for i := range l.tasks {
		t := &l.tasks[i]
		a, row := &l.samples[t.sample], &l.c.views[t.sample]
		for _, p := range l.picks[t.first:t.end] {
			if p.to == graph.None {
				l.empty(a, row, 1)
				continue
			}
			place := int32(len(row.Vertices))
			*row = row.Add(p.to, p.edge)
			row.Parents = append(row.Parents, p.from.place)
			a.next = append(a.next, transit{p.next, p.from.vertex, place})
		}
		l.empty(a, row, t.k-(t.end-t.first))
	}
}

// empty leaves slots empty, where samples have one width.
func (l *levels) empty(a *growing, row *app.Row, n int) {
	if l.width == 0 {
		return
	}
	for range n {
		*row = row.Add(graph.None, graph.NoEdge)
		row.Parents = append(row.Parents, -1)
		a.next = append(a.next, transit{graph.None, graph.None, -1})
	}
}
