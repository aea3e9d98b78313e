package gpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/output"
)

// Blocks is mini-batches on a card, in one array of 8-byte numbers. It holds for work that is put into Stream, or behind
// Ready.
type Blocks struct {
	Device  *cuda.Device
	Arena   cuda.Memory
	Batches []Placed
	Stream  cuda.Stream
	Ready   cuda.Event
}

// Span is a part of the arena, in numbers of 8 bytes.
type Span struct{ First, Count int }

// Placed says where a mini-batch lies: output.NeighborBatch with spans of the arena for arrays.
type Placed struct {
	Nodes, Trees []Span
	New          [][]int
	Hops         [][]PlacedHop
	Pairs        []PlacedPairs
}

// PlacedHop is output.Hop.
type PlacedHop struct {
	First, Destinations      int
	Indptr, Indices, EdgeIDs Span
}

// PlacedPairs is output.Pairs.
type PlacedPairs struct {
	Sources, Destinations, EdgeIDs Span
	Counts                         []int
}

// placing goes through the arena as kernels/driver/laying.cuh does.
type placing struct {
	d   *draw
	at  int
	all []Placed
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
	if p.d.app.Expand == app.New && hop > 0 {
		first = p.known((hop-1)*relations, t, batch)
	}
	return first, p.known(hop*relations, t, batch) - first
}

// take gives each batch its part of an array.
func (p *placing) take(size func(batch int) int, give func(batch int, s Span)) {
	for b := range p.all {
		s := Span{p.at, size(b)}
		p.at += s.Count
		give(b, s)
	}
}

func (p *placing) hops() {
	for h := range p.d.app.Fanouts {
		for b := range p.all {
			p.all[b].Hops = append(p.all[b].Hops, make([]PlacedHop, len(p.d.from.Graph.Relations)))
		}
		for r := range p.d.from.Graph.Relations {
			step := h*len(p.d.from.Graph.Relations) + r
			edges := func(b int) int { return p.edges(step, b) }
			p.take(func(b int) int { _, n := p.due(h, r, b); return n + 1 }, func(b int, s Span) {
				x := &p.all[b].Hops[h][r]
				x.First, x.Destinations = p.due(h, r, b)
				x.Indptr = s
			})
			p.take(edges, func(b int, s Span) { p.all[b].Hops[h][r].Indices = s })
			p.take(edges, func(b int, s Span) { p.all[b].Hops[h][r].EdgeIDs = s })
		}
	}
}

func (p *placing) pairs() {
	relations := len(p.d.from.Graph.Relations)
	for b := range p.all {
		p.all[b].Pairs = make([]PlacedPairs, relations)
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
		p.take(edges, func(b int, s Span) { p.all[b].Pairs[r].Sources = s })
		p.take(edges, func(b int, s Span) { p.all[b].Pairs[r].Destinations = s })
		p.take(edges, func(b int, s Span) { p.all[b].Pairs[r].EdgeIDs = s })
	}
}

func (p *placing) nodes() {
	steps, relations, types := p.d.order.stepCount, len(p.d.from.Graph.Relations), len(p.d.from.Graph.Counts)
	for b := range p.all {
		x := &p.all[b]
		x.Nodes, x.New = make([]Span, types), make([][]int, types)
		if p.d.app.Disjoint {
			x.Trees = make([]Span, types)
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
		p.take(func(b int) int { return p.known(steps, t, b) }, func(b int, s Span) { p.all[b].Nodes[t] = s })
	}
	for t := 0; p.d.app.Disjoint && t < types; t++ {
		p.take(func(b int) int { return p.known(steps, t, b) }, func(b int, s Span) { p.all[b].Trees[t] = s })
	}
}

// lay gives the result its memory, and has the card lay it where it has not. again: more had to be laid than was thought.
func (d *draw) lay() (again bool, err error) {
	p := &placing{d: d, all: make([]Placed, len(d.batches))}
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
	d.result = &Blocks{Device: d.device, Batches: p.all, Stream: d.stream, Arena: d.arena, Ready: d.ready}
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

// Host brings the mini-batches to the host, each lent from offheap.Results.
func (b *Blocks) Host() (all []output.NeighborBatch, err error) {
	err = b.Device.Do(func() error {
		if err := b.Ready.Synchronize(); err != nil {
			return err
		}
		for _, p := range b.Batches {
			one, err := b.host(p)
			if err != nil {
				return err
			}
			all = append(all, one)
		}
		return nil
	})
	if err != nil {
		for _, one := range all {
			one.Return()
		}
		return nil, err
	}
	return all, nil
}

// host brings one.
func (b *Blocks) host(p Placed) (out output.NeighborBatch, err error) {
	if out.Arena, err = output.LendArena(p.words()); err != nil {
		return out, err
	}
	left := out.Arena
	out.New = p.New
	bring := func(s Span) []int64 {
		to := left[:s.Count:s.Count]
		left = left[s.Count:]
		err = first(err, b.Device.CopyOut(unsafe.Pointer(unsafe.SliceData(to)), b.Arena.Address+uintptr(8*s.First), 8*int64(s.Count), b.Stream))
		return to
	}
	for t := range p.Nodes {
		out.Nodes = append(out.Nodes, bring(p.Nodes[t]))
		if p.Trees != nil {
			out.Trees = append(out.Trees, bring(p.Trees[t]))
		}
	}
	for _, hop := range p.Hops {
		var hops []output.Hop
		for _, x := range hop {
			hops = append(hops, output.Hop{
				First: x.First, Destinations: x.Destinations, Indptr: bring(x.Indptr), Indices: bring(x.Indices), EdgeIDs: bring(x.EdgeIDs),
			})
		}
		out.Hops = append(out.Hops, hops)
	}
	for _, x := range p.Pairs {
		out.Pairs = append(out.Pairs, output.Pairs{
			Sources: bring(x.Sources), Destinations: bring(x.Destinations), EdgeIDs: bring(x.EdgeIDs), Counts: x.Counts,
		})
	}
	if err = first(err, b.Stream.Synchronize()); err != nil {
		out.Return()
		return output.NeighborBatch{}, err
	}
	return out, nil
}

// words gives how much of the arena is a mini-batch's.
func (p Placed) words() (n int) {
	for t := range p.Nodes {
		n += p.Nodes[t].Count
		if p.Trees != nil {
			n += p.Trees[t].Count
		}
	}
	for _, hop := range p.Hops {
		for _, x := range hop {
			n += x.Indptr.Count + 2*x.Indices.Count
		}
	}
	for _, x := range p.Pairs {
		n += 3 * x.Sources.Count
	}
	return n
}

// Free gives the memory back once the present work of Stream is done. Whoever reads the result in another stream has
// Stream wait for that before. No result has none.
func (b *Blocks) Free() error {
	if b == nil {
		return nil
	}
	return b.Device.Do(b.free)
}

func (b *Blocks) free() error {
	err := b.Device.Free(b.Arena, b.Stream)
	if b.Ready != (cuda.Event{}) {
		err = first(err, b.Ready.Destroy())
	}
	b.Arena, b.Ready = cuda.Memory{}, cuda.Event{}
	return err
}
