package neighbor

import (
	"errors"
	"math"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// Sample draws the mini-batch of s on at most that many threads: the nodes and edges of app.MiniBatch.Sample, with edge
// ids in place of positions. m is bound to the graph. The arena of the result is lent from offheap.Results; nothing is
// lent after an error.
func (p *Workspaces) Sample(m *app.MiniBatch, seed uint64, s app.Seeds, threads int, j *job.Job) (out output.NeighborBatch, err error) {
	if err := s.Fit(m, p.h); err != nil {
		return out, err
	}
	w := p.borrow()
	err = parallel.Do(1, func(int) (err error) {
		d := drawing{
			p: p, w: w, m: m, seed: seed, seeds: s, threads: threads, job: j, plots: plotsOf(m, len(p.relations), len(w.met)),
		}
		out, err = d.draw()
		return err
	})
	p.giveBack(w, !errors.Is(err, parallel.ErrPanic))
	return out, err
}

// drawing is a mini-batch that is being drawn.
type drawing struct {
	p       *Workspaces
	w       *workspace
	m       *app.MiniBatch
	seed    uint64
	seeds   app.Seeds
	threads int
	job     *job.Job
	plots   plots
	arena   arena
	due     []int          // by type: the first node that takes edges
	known   []int          // and the first behind them
	pairs   []output.Pairs // without arrays
	hops    [][]output.Hop // without arrays
}

func (d *drawing) draw() (out output.NeighborBatch, err error) {
	complete := false
	defer func() {
		if !complete {
			d.arena.free()
		}
	}()
	err = d.enter()
	if err == nil {
		err = d.grow()
	}
	if err == nil {
		err = d.layNodes()
	}
	for t := range d.w.met {
		if m := &d.w.met[t]; m.numbers != nil {
			m.numbers.Reset(&m.Nodes)
		}
	}
	if err != nil {
		return out, err
	}
	d.learn()
	complete = true
	return d.view(), nil
}

// enter numbers the seeds and reads what is left out.
func (d *drawing) enter() error {
	first := 0
	for t := range d.w.met {
		m := &d.w.met[t]
		if err := m.begin(d.m.Disjoint, d.p.h.Counts[t], d.p.Sparse); err != nil {
			return err
		}
		if err := d.enterType(t, first); err != nil {
			return err
		}
		m.settle()
		first += len(d.seeds.Vertices[t])
	}
	for r := range d.w.excluded {
		var ids []int64
		if d.seeds.Excluded != nil {
			ids = d.seeds.Excluded[r]
		}
		if err := d.w.excluded[r].set(d.p.relations[r], ids); err != nil {
			return err
		}
	}
	return d.arena.begin(d.rooms())
}

// enterType numbers the seeds of a type, which must be different ones unless each has a tree of its own; the first of
// them is that of the tree first.
func (d *drawing) enterType(t, first int) error {
	seeds, m, vertices := d.seeds.Vertices[t], &d.w.met[t], d.p.h.Counts[t]
	for i, v := range seeds {
		if uint64(v) >= uint64(vertices) {
			return refuse.Index("%s[%d] = %d: the graph has %d vertices", d.p.h.OfType("seeds", t), i, v, vertices)
		}
	}
	for from := 0; from < len(seeds); from += plan.BlockEdges {
		piece := seeds[from:min(from+plan.BlockEdges, len(seeds))]
		local, trees := d.w.places[:len(piece)], d.w.roots[:len(piece)]
		for i, v := range piece {
			local[i], trees[i] = int64(v), uint32(first+from+i)
		}
		if err := m.numbers.Number(local, trees, &m.Nodes); err != nil {
			return err
		}
		if len(m.Vertices) == from+len(piece) {
			continue
		}
		for i, v := range piece {
			if local[i] != int64(from+i) {
				name := d.p.h.OfType("seeds", t)
				return refuse.Value("%s[%d] = %d: it is %s[%d] too; expected different vertices", name, from+i, v, name, local[i])
			}
		}
	}
	return nil
}

// grow draws the hops.
func (d *drawing) grow() error {
	types := len(d.w.met)
	d.due, d.known = make([]int, types), make([]int, types)
	if d.plots.pairs {
		d.pairs = make([]output.Pairs, len(d.p.relations))
	}
	for hop := range d.m.Fanouts {
		for t := range d.w.met {
			d.known[t] = len(d.w.met[t].Vertices)
		}
		if err := d.reserve(hop); err != nil {
			return err
		}
		if !d.plots.pairs {
			d.hops = append(d.hops, make([]output.Hop, len(d.p.relations)))
		}
		for r := range d.p.relations {
			if err := d.expand(hop, r); err != nil {
				return err
			}
		}
		for t := range d.w.met {
			d.w.met[t].settle()
			if d.m.Expand == app.New {
				d.due[t] = d.known[t]
			}
		}
	}
	return nil
}

// expand draws a hop along one relation.
func (d *drawing) expand(hop, r int) error {
	rel := d.p.relations[r]
	from, first, end := &d.w.met[rel.destination], d.due[rel.destination], d.known[rel.destination]
	lay := d.plots.edges(&d.arena, hop, r)
	if lay.indptr >= 0 {
		if err := d.arena.extend(need{lay.indptr, end - first + 1}); err != nil {
			return err
		}
		d.arena.lists[lay.indptr].used = end - first + 1
	}
	fanout, err := d.choose(hop, r)
	if err != nil {
		return err
	}
	n := 0
	if fanout > 0 {
		x := expansion{
			relation: rel, w: d.w, met: &d.w.met[rel.source], excluded: &d.w.excluded[r], endings: endingsOf(rel, d.w.choices.Dated),
			stream: app.HopStream(d.seed, r, hop), fanout: fanout, nodes: from.Vertices[first:end:end], first: first, lay: lay,
		}
		if d.m.Disjoint {
			x.trees, x.times = from.Trees[first:end:end], d.seeds.Times
		}
		if x.crowded(d.threads) {
			n, err = x.runTogether(d.threads, d.job)
		} else {
			n, err = x.run(d.job)
		}
		if err != nil {
			return err
		}
	} else if lay.indptr >= 0 {
		clear(d.arena.of(lay.indptr))
	}
	lay.use(n)
	if d.plots.pairs {
		d.pairs[r].Counts = append(d.pairs[r].Counts, n)
	} else {
		d.hops[hop][r] = output.Hop{First: first, Destinations: end - first}
	}
	return nil
}

// choose says how edges are chosen, and gives how many at most.
func (d *drawing) choose(hop, r int) (fanout uint64, err error) {
	rel, f, c := d.p.relations[r], d.m.Fanouts[hop][r], &d.w.choices
	weighted := app.No
	if d.m.Weighs(rel.g) {
		weighted = app.Yes
	}
	if fanout = uint64(f); f < 0 {
		fanout = math.MaxUint64
	}
	if d.m.Temporal == "" || !rel.timed {
		c.Set(rel.g, d.m.Replace && f > 0, weighted)
		return fanout, nil
	}
	rows, err := rel.byTime(d.job)
	c.SetTemporal(rel.g, rows, d.m.Replace && f > 0, weighted, d.m.Temporal == app.TemporalLast)
	return fanout, err
}

// layNodes puts the nodes behind the edges.
func (d *drawing) layNodes() error {
	var needs []need
	for t := range d.w.met {
		needs = d.nodeNeeds(needs, t, len(d.w.met[t].Vertices))
	}
	if err := d.arena.extend(needs...); err != nil {
		return err
	}
	for _, n := range needs {
		d.arena.lists[n.list].used = n.words
	}
	for t := range d.w.met {
		asWords(d.arena.of(d.plots.nodes(t)), d.w.met[t].Vertices)
		if d.plots.disjoint {
			asWords(d.arena.of(d.plots.trees(t)), d.w.met[t].Trees)
		}
	}
	return nil
}

// nodeNeeds adds room for so many nodes of a type.
func (d *drawing) nodeNeeds(needs []need, t, nodes int) []need {
	needs = append(needs, need{d.plots.nodes(t), nodes})
	if d.plots.disjoint {
		needs = append(needs, need{d.plots.trees(t), nodes})
	}
	return needs
}

// view gives the arrays their final addresses.
func (d *drawing) view() output.NeighborBatch {
	a := &d.arena
	b := output.NeighborBatch{Arena: a.used(), Hops: d.hops, Pairs: d.pairs}
	for t := range d.w.met {
		b.Nodes, b.New = append(b.Nodes, a.of(d.plots.nodes(t))), append(b.New, d.w.met[t].fresh())
		if d.plots.disjoint {
			b.Trees = append(b.Trees, a.of(d.plots.trees(t)))
		}
	}
	for r := range d.pairs {
		lay, pairs := d.plots.edges(a, 0, r), &d.pairs[r]
		pairs.Sources, pairs.Destinations, pairs.EdgeIDs = a.of(lay.ends), a.of(lay.destinations), a.of(lay.ids)
	}
	for hop := range d.hops {
		for r := range d.hops[hop] {
			lay, h := d.plots.edges(a, hop, r), &d.hops[hop][r]
			h.Indptr, h.Indices, h.EdgeIDs = a.of(lay.indptr), a.of(lay.ends), a.of(lay.ids)
		}
	}
	return b
}
