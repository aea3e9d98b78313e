package cpu

import (
	"sort"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// picker makes the choices of many tasks.
type picker struct {
	chooser
	c        columns // of the tasks that are asked about
	live     []int   // these tasks
	walk     bool    // choices hang under the samples' own keys
	picks    []pick
	spans    []reached
	weights  []uint64   // of all candidates of some tasks
	into     [][]uint64 // where the biases of parts belong
	total    int        // candidates of the parts
	proposed []int64
	take     choices
	chosen   []uint64
	picked   taken // candidates of one choice
	remains  selector.FenwickSampler
	scratch  selector.Scratch
}

// pick is one of a task's picks.
type pick struct {
	at   int    // of the task, among those asked about
	slot uint32 // of the task's picks
	edge uint64
	dst  uint32 // what was picked; None: Next chose nobody
	to   uint32 // what is recorded
	next uint32 // what to go on from
	from transit
}

func newPicker(h *hooked) picker {
	n := plan.HookedGroup
	p := picker{chooser: newChooser(h, n), c: newColumns(n), walk: h.grows.Walks(h.batch.Roots.Width)}
	p.take.set(h.g, h.grows.Replace, h.grows.Weighted)
	return p
}

// pickAll makes the picks of all tasks that are asked about.
func (p *picker) pickAll(tasks []task, samples []growing) error {
	p.picks = p.picks[:0]
	if p.grows.Stop != nil && len(p.live) > 0 {
		p.stop()
	}
	if len(p.live) == 0 {
		return nil
	}
	if p.grows.Fanout != nil {
		for at, k := range p.fanouts(&p.c, len(p.live)) {
			tasks[p.live[at]].k = int(k)
		}
	}
	if err := p.fit(tasks); err != nil {
		return err
	}
	switch {
	case p.grows.Next != nil:
		p.byNext(tasks)
	case p.grows.Single():
		p.single(tasks)
	default:
		if err := p.many(tasks, samples); err != nil {
			return err
		}
	}
	p.update()
	return nil
}

// fit refuses more picks than fit into memory, before the first is made.
func (p *picker) fit(tasks []task) error {
	picks := int64(0)
	for _, i := range p.live {
		t := &tasks[i]
		k := int64(max(0, t.k))
		if p.grows.Next == nil && (t.k == app.All || !p.again()) {
			n := int64(t.n) // of all transits together
			if t.from.vertex != graph.None {
				n = int64(p.g.Degree(t.from.vertex))
			}
			if t.k == app.All || n < k {
				k = n
			}
		}
		picks += k
	}
	if picks > (1<<46)/int64(unsafe.Sizeof(pick{})) {
		return refuse.Memory("a step makes %d picks: no memory holds them", picks)
	}
	var err error
	p.picks, err = offheap.Room(p.picks, int(picks))
	return err
}

// stop leaves out the tasks that Stop ends.
func (p *picker) stop() {
	n, c := 0, &p.c
	for at, stop := range p.stops(c, len(p.live)) {
		if stop == 0 {
			c.take(n, c, at)
			c.words[n], p.live[n] = c.words[at], p.live[at]
			n++
		}
	}
	p.live = p.live[:n]
}

// byNext has the hook choose by itself.
func (p *picker) byNext(tasks []task) {
	t := p.blank()
	n := 0
	flush := func() {
		from := len(p.picks) - n
		for i, v := range p.nexts(t, n) {
			p.picks[from+i].dst = v
		}
		n = 0
	}
	for at, i := range p.live {
		task := &tasks[i]
		task.first = len(p.picks)
		for j := range task.k {
			t.take(n, &p.c, at)
			t.slot[n], t.words[n] = uint32(j), p.c.words[at]+uint64(j)*app.UserWords
			p.picks = append(p.picks, pick{at: at, slot: uint32(j), edge: graph.NoEdge, from: task.from})
			if n++; n == len(t.who) {
				flush()
			}
		}
		task.end = len(p.picks)
	}
	if n > 0 {
		flush()
	}
	clear(t.slot)
}

// single makes one pick for each task, as walkers do.
func (p *picker) single(tasks []task) {
	first := uint64(0)
	if p.walk {
		first = rng.Slot(uint64(p.c.step), 0)
	}
	p.choose(&p.c, len(p.live), first)
	for at, i := range p.live {
		task := &tasks[i]
		task.first = len(p.picks)
		if dst := p.c.dst[at]; dst != graph.None {
			p.picks = append(p.picks, pick{at: at, edge: p.c.edge[at], dst: dst, from: task.from})
		}
		task.end = len(p.picks)
	}
}

// update has the hook say where the picks lead.
func (p *picker) update() {
	for i := range p.picks {
		p.picks[i].to, p.picks[i].next = p.picks[i].dst, p.picks[i].dst
	}
	if p.grows.Update == nil {
		return
	}
	t := p.blank()
	for lo := 0; lo < len(p.picks); {
		n, hi := 0, lo
		for ; hi < len(p.picks) && n < len(t.who); hi++ {
			k := &p.picks[hi]
			if k.dst == graph.None {
				continue
			}
			t.take(n, &p.c, k.at)
			t.transit[n], t.prev[n] = k.from.vertex, k.from.prev
			t.slot[n], t.words[n] = k.slot, p.c.words[k.at]+uint64(k.slot)*app.UserWords
			t.edge[n], t.dst[n] = k.edge, k.dst
			n++
		}
		out := p.updates(t, n)
		for n = 0; lo < hi; lo++ {
			if p.picks[lo].dst != graph.None {
				p.picks[lo].lead(out[n])
				n++
			}
		}
	}
	clear(t.slot)
}

// lead notes what Update returned.
func (k *pick) lead(next uint32) {
	k.next = next
	if next != graph.None && next != k.dst {
		k.to, k.edge = next, graph.NoEdge
	}
}

// blank gives columns of the present step.
func (p *picker) blank() *columns {
	t := &p.tried
	t.step, t.roots, t.views = p.c.step, p.c.roots, p.c.views
	return t
}

// add picks candidate i of a task.
func (p *picker) add(at int, t *task, i uint64) {
	s := t.span(p.spans, i)
	edge := s.first + i - s.before
	p.picks = append(p.picks, pick{
		at: at, slot: uint32(len(p.picks) - t.first), edge: edge, dst: p.g.Indices[edge], from: s.transit,
	})
}

// span gives the span that candidate i is in.
func (t *task) span(all []reached, i uint64) *reached {
	spans := all[t.lo:t.hi]
	if len(spans) == 1 {
		return &spans[0]
	}
	return &spans[sort.Search(len(spans), func(k int) bool { return spans[k].before > i })-1]
}

// vertex gives the end point of candidate i.
func (p *picker) vertex(t *task, i uint64) uint32 {
	s := t.span(p.spans, i)
	return p.g.Indices[s.first+i-s.before]
}
