package neighbor

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/output"
)

// Batches are mini-batches in GPU memory, in one array of 8-byte integers, the arena. They are complete for work that
// is submitted to Stream, and after Ready. The caller owns the memory; see Free.
type Batches struct {
	Device  *cuda.Device
	Arena   cuda.Memory
	Batches []output.PlacedBatch
	Stream  cuda.Stream
	Ready   cuda.Event
}

// arenaLayout assigns the parts of the arena in the order of kernels/driver/compact.cuh.
type arenaLayout struct {
	d   *batchDraw
	at  int
	all []output.PlacedBatch
}

// frontier returns the nodes of a batch that a step expands.
func (p *arenaLayout) frontier(hop, relation, batch int) (first, count int) {
	relations, t := len(p.d.from.Graph.Relations), p.d.from.Graph.Relations[relation].Destination
	if p.d.app.Expand == app.ExpandNew && hop > 0 {
		first = p.d.report.nodes((hop-1)*relations, t, batch)
	}
	return first, p.d.report.nodes(hop*relations, t, batch) - first
}

// take assigns each batch its part of an array.
func (p *arenaLayout) take(size func(batch int) int, give func(batch int, s output.Span)) {
	for b := range p.all {
		s := output.Span{First: p.at, Count: size(b)}
		p.at += s.Count
		give(b, s)
	}
}

// hops assigns the arrays of each hop and relation, for the layout CSC.
func (p *arenaLayout) hops() {
	for h := range p.d.app.Fanouts {
		for b := range p.all {
			p.all[b].Hops = append(p.all[b].Hops, make([]output.HopArrays[output.Span], len(p.d.from.Graph.Relations)))
		}
		for r := range p.d.from.Graph.Relations {
			step := h*len(p.d.from.Graph.Relations) + r
			edges := func(b int) int { return p.d.report.edges(step, b) }
			p.take(func(b int) int { _, n := p.frontier(h, r, b); return n + 1 }, func(b int, s output.Span) {
				x := &p.all[b].Hops[h][r]
				x.First, x.Destinations = p.frontier(h, r, b)
				x.Indptr = s
			})
			p.take(edges, func(b int, s output.Span) { p.all[b].Hops[h][r].Indices = s })
			p.take(edges, func(b int, s output.Span) { p.all[b].Hops[h][r].EdgeIDs = s })
		}
	}
}

// pairs assigns the arrays of each relation, for the layout COO.
func (p *arenaLayout) pairs() {
	relations := len(p.d.from.Graph.Relations)
	for b := range p.all {
		p.all[b].Pairs = make([]output.PairArrays[output.Span], relations)
		for r := range relations {
			for h := range p.d.app.Fanouts {
				p.all[b].Pairs[r].Counts = append(p.all[b].Pairs[r].Counts, p.d.report.edges(h*relations+r, b))
			}
		}
	}
	for r := range relations {
		edges := func(b int) (n int) {
			for _, c := range p.all[b].Pairs[r].Counts {
				n += c
			}
			return n
		}
		p.take(edges, func(b int, s output.Span) { p.all[b].Pairs[r].Sources = s })
		p.take(edges, func(b int, s output.Span) { p.all[b].Pairs[r].Destinations = s })
		p.take(edges, func(b int, s output.Span) { p.all[b].Pairs[r].EdgeIDs = s })
	}
}

// nodes assigns the nodes of each type and, if trees are disjoint, their trees.
func (p *arenaLayout) nodes() {
	steps, relations, types := p.d.params.stepCount, len(p.d.from.Graph.Relations), len(p.d.from.Graph.Counts)
	for b := range p.all {
		x := &p.all[b]
		x.Nodes, x.New = make([]output.Span, types), make([][]int, types)
		if p.d.app.Disjoint {
			x.Trees = make([]output.Span, types)
		}
		for t := range types {
			before := 0
			for s := 0; s <= steps; s += relations {
				n := p.d.report.nodes(s, t, b)
				x.New[t] = append(x.New[t], n-before)
				before = n
			}
		}
	}
	for t := range types {
		p.take(func(b int) int { return p.d.report.nodes(steps, t, b) }, func(b int, s output.Span) { p.all[b].Nodes[t] = s })
	}
	for t := 0; p.d.app.Disjoint && t < types; t++ {
		p.take(func(b int) int { return p.d.report.nodes(steps, t, b) }, func(b int, s output.Span) { p.all[b].Trees[t] = s })
	}
}

// finish places the batches in the arena, and compacts them unless that is done. again reports that the arena was too small.
func (d *batchDraw) finish() (again bool, err error) {
	p := &arenaLayout{d: d, all: make([]output.PlacedBatch, len(d.batches))}
	if d.app.Layout == app.COO {
		p.pairs()
	} else {
		p.hops()
	}
	p.nodes()
	d.from.remember(d.shape(), d.used(int64(p.at)))
	if d.arena.Address == 0 {
		if err := d.compactExact(int64(p.at)); err != nil {
			return false, err
		}
	} else if int64(p.at) > d.capacity.words {
		d.capacity.words = int64(p.at)
		return true, nil
	}
	d.result = &Batches{Device: d.device, Batches: p.all, Stream: d.stream, Arena: d.arena, Ready: d.ready}
	d.arena, d.ready = cuda.Memory{}, cuda.Event{}
	return false, nil
}

// compactExact allocates an arena of the exact size and compacts the result. It waits until the GPU has begun, because the
// pinned memory in which the GPU reports that belongs to the next call afterwards.
func (d *batchDraw) compactExact(words int64) (err error) {
	if d.arena, err = resident.Alloc(d.device, 8*max(1, words), d.stream); err != nil {
		return err
	}
	d.args.Arena, d.args.ArenaCapacity = uint64(d.arena.Address), uint64(words)
	if err := d.compactEarly(); err != nil {
		return err
	}
	return d.await()
}

// used returns the capacity that the draw has used.
func (d *batchDraw) used(words int64) (r capacity) {
	nodes, relations := int64(0), len(d.from.Graph.Relations)
	r.words = words
	for s := range d.params.stepCount + 1 {
		nodes = 0
		for _, n := range d.report.lists(s) {
			nodes += int64(n)
			r.nodes = max(r.nodes, int64(n))
		}
		if s > 0 {
			r.edges += d.report.stepEdges(s - 1)
			for b := range d.batches {
				_, frontier := (&arenaLayout{d: d}).frontier((s-1)/relations, (s-1)%relations, b)
				r.offsets += int64(frontier) + 1
			}
		}
	}
	r.records = records(withMargin(nodes))
	return r
}

// Free frees the memory once the present work of Stream is done. A reader in another stream must make Stream wait for it
// before. Free of nil does nothing.
func (b *Batches) Free() error {
	if b == nil {
		return nil
	}
	return b.Device.Do(b.free)
}

func (b *Batches) free() error {
	err := b.Device.Free(b.Arena, b.Stream)
	if b.Ready != (cuda.Event{}) {
		err = launch.First(err, b.Ready.Destroy())
	}
	b.Arena, b.Ready = cuda.Memory{}, cuda.Event{}
	return err
}
