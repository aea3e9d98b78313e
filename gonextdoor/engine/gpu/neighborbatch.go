package gpu

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/gpu/resident"
)

// Blocks is mini-batches on a card, in one array of 8-byte numbers. It holds for work that is put into Stream, or behind
// Ready.
type NeighborBatches struct {
	Device  *cuda.Device
	Arena   cuda.Memory
	Batches []engine.PlacedBatch
	Stream  cuda.Stream
	Ready   cuda.Event
}

// placing goes through the arena as kernels/driver/compact.cuh does.
type placing struct {
	d   *draw
	at  int
	all []engine.PlacedBatch
}

// known gives how many nodes a batch has of a type behind so many steps.
func (p *placing) known(steps, t, batch int) int {
	return int(p.d.known[(steps*len(p.d.from.Graph.Counts)+t)*len(p.d.batches)+batch])
}

// edges gives the number of edges of a step and batch.
func (p *placing) edges(step, batch int) int {
	at := p.d.edgeAt[step*(len(p.d.batches)+1)+batch:]
	return int(at[1] - at[0])
}

// due gives the nodes of a batch that a step expands.
func (p *placing) due(hop, relation, batch int) (first, count int) {
	relations, t := len(p.d.from.Graph.Relations), p.d.from.Graph.Relations[relation].Destination
	if p.d.app.Expand == app.ExpandNew && hop > 0 {
		first = p.known((hop-1)*relations, t, batch)
	}
	return first, p.known(hop*relations, t, batch) - first
}

// take gives each batch its part of an array.
func (p *placing) take(size func(batch int) int, give func(batch int, s engine.Span)) {
	for b := range p.all {
		s := engine.Span{First: p.at, Count: size(b)}
		p.at += s.Count
		give(b, s)
	}
}

func (p *placing) hops() {
	for h := range p.d.app.Fanouts {
		for b := range p.all {
			p.all[b].Hops = append(p.all[b].Hops, make([]engine.PlacedHop, len(p.d.from.Graph.Relations)))
		}
		for r := range p.d.from.Graph.Relations {
			step := h*len(p.d.from.Graph.Relations) + r
			edges := func(b int) int { return p.edges(step, b) }
			p.take(func(b int) int { _, n := p.due(h, r, b); return n + 1 }, func(b int, s engine.Span) {
				x := &p.all[b].Hops[h][r]
				x.First, x.Destinations = p.due(h, r, b)
				x.Indptr = s
			})
			p.take(edges, func(b int, s engine.Span) { p.all[b].Hops[h][r].Indices = s })
			p.take(edges, func(b int, s engine.Span) { p.all[b].Hops[h][r].EdgeIDs = s })
		}
	}
}

func (p *placing) pairs() {
	relations := len(p.d.from.Graph.Relations)
	for b := range p.all {
		p.all[b].Pairs = make([]engine.PlacedPairs, relations)
		for r := range relations {
			for h := range p.d.app.Fanouts {
				p.all[b].Pairs[r].Counts = append(p.all[b].Pairs[r].Counts, p.edges(h*relations+r, b))
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
		p.take(edges, func(b int, s engine.Span) { p.all[b].Pairs[r].Sources = s })
		p.take(edges, func(b int, s engine.Span) { p.all[b].Pairs[r].Destinations = s })
		p.take(edges, func(b int, s engine.Span) { p.all[b].Pairs[r].EdgeIDs = s })
	}
}

func (p *placing) nodes() {
	steps, relations, types := p.d.order.stepCount, len(p.d.from.Graph.Relations), len(p.d.from.Graph.Counts)
	for b := range p.all {
		x := &p.all[b]
		x.Nodes, x.New = make([]engine.Span, types), make([][]int, types)
		if p.d.app.Disjoint {
			x.Trees = make([]engine.Span, types)
		}
		for t := range types {
			before := 0
			for s := 0; s <= steps; s += relations {
				n := p.known(s, t, b)
				x.New[t] = append(x.New[t], n-before)
				before = n
			}
		}
	}
	for t := range types {
		p.take(func(b int) int { return p.known(steps, t, b) }, func(b int, s engine.Span) { p.all[b].Nodes[t] = s })
	}
	for t := 0; p.d.app.Disjoint && t < types; t++ {
		p.take(func(b int) int { return p.known(steps, t, b) }, func(b int, s engine.Span) { p.all[b].Trees[t] = s })
	}
}

// lay gives the result its memory, and has the card lay it where it has not. again: more had to be laid than was thought.
func (d *draw) lay() (again bool, err error) {
	p := &placing{d: d, all: make([]engine.PlacedBatch, len(d.batches))}
	if d.app.Layout == app.COO {
		p.pairs()
	} else {
		p.hops()
	}
	p.nodes()
	d.from.remember(d.shape(), d.needed(int64(p.at)))
	if d.arena.Address == 0 {
		if err := d.layKnown(int64(p.at)); err != nil {
			return false, err
		}
	} else if int64(p.at) > d.rooms.words {
		d.rooms.words = int64(p.at)
		return true, nil
	}
	d.result = &NeighborBatches{Device: d.device, Batches: p.all, Stream: d.stream, Arena: d.arena, Ready: d.ready}
	d.arena, d.ready = cuda.Memory{}, cuda.Event{}
	return false, nil
}

// layKnown lays a result of which the size is known. It waits until the card has begun: that it says so in memory which is
// the next call's from then on.
func (d *draw) layKnown(words int64) (err error) {
	if d.arena, err = resident.Alloc(d.device, 8*max(1, words), d.stream); err != nil {
		return err
	}
	d.args.Arena, d.args.ArenaRoom = uint64(d.arena.Address), uint64(words)
	if err := d.layAhead(d.from.loaded); err != nil {
		return err
	}
	return d.await()
}

// needed gives what the draw has used of its rooms.
func (d *draw) needed(words int64) (r rooms) {
	batches, nodes := len(d.batches), int64(0)
	r.words = words
	for s := range d.order.stepCount + 1 {
		nodes = 0
		for _, n := range d.known[s*d.lists:][:d.lists] {
			nodes += int64(n)
			r.nodes = max(r.nodes, int64(n))
		}
		if s > 0 {
			at := d.edgeAt[(s-1)*(batches+1):]
			edges := int64(at[batches] - at[0])
			r.edges += edges
			hop, relation := (s-1)/len(d.from.Graph.Relations), (s-1)%len(d.from.Graph.Relations)
			for b := range batches {
				_, due := (&placing{d: d}).due(hop, relation, b)
				r.offsets += int64(due) + 1
			}
		}
	}
	r.records = records(more(nodes))
	return r
}

// Free gives the memory back once the present work of Stream is done. Whoever reads the result in another stream has
// Stream wait for that before. No result has none.
func (b *NeighborBatches) Free() error {
	if b == nil {
		return nil
	}
	return b.Device.Do(b.free)
}

func (b *NeighborBatches) free() error {
	err := b.Device.Free(b.Arena, b.Stream)
	if b.Ready != (cuda.Event{}) {
		err = first(err, b.Ready.Destroy())
	}
	b.Arena, b.Ready = cuda.Memory{}, cuda.Event{}
	return err
}
