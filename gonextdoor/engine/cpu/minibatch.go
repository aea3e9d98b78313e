package cpu

import (
	"errors"
	"math"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/serial"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// Runs says whether Blocks draws such mini-batches.
func (p *Workspaces) Runs(m *app.MiniBatch) bool {
	for _, f := range m.Fanouts {
		if f[0] == 0 {
			return false
		}
	}
	return p.h.Alone() && m.Expand != app.New && m.Layout != app.COO && !m.Disjoint
}

// Blocks draws a mini-batch on the calling thread: the app's serial definition, with ids for positions. m is bound to
// the graph. The result is lent from offheap.Results, and nothing is on an error.
func (p *Workspaces) Blocks(m *app.MiniBatch, seed uint64, s app.Seeds, j *job.Job) (out output.Blocks, err error) {
	if !p.Runs(m) {
		return serial.Batches{Graph: p.h}.Blocks(m, seed, s, j)
	}
	if err := s.Fit(m, p.h); err != nil {
		return out, err
	}
	var excluded []int64
	if s.Excluded != nil {
		excluded = s.Excluded[0]
	}
	w, err := p.borrow()
	if err != nil {
		return out, err
	}
	err = parallel.Do(1, func(int) (err error) {
		out, err = p.draw(w, m, seed, s.Vertices[0], excluded, j)
		return err
	})
	p.giveBack(w, !errors.Is(err, parallel.ErrPanic))
	return out, err
}

func (p *Workspaces) draw(
	w *workspace, m *app.MiniBatch, seed uint64, batch []uint32, excluded []int64, j *job.Job,
) (output.Blocks, error) {
	var a arena
	complete := false
	defer func() {
		if !complete {
			a.free()
		}
	}()
	err := w.enter(p.g.NumVertices(), batch)
	if err == nil {
		err = w.excluded.set(p.g, excluded)
	}
	var hops []hop
	if err == nil {
		hops, err = p.grow(w, &a, m, seed, j)
	}
	nodes := span{}
	if err == nil {
		err = a.room(len(w.nodes))
	}
	if err == nil {
		nodes = a.take(len(w.nodes))
		for i, v := range w.nodes {
			a.words[nodes.first+i] = int64(v)
		}
	}
	w.locals.reset(w.nodes)
	clear(w.excluded.kept)
	if err != nil {
		return output.Blocks{}, err
	}
	w.last = a.used
	complete = true
	return view(&a, nodes, hops), nil
}

// enter numbers the batch's vertices, which must be different ones.
func (w *workspace) enter(vertices int, batch []uint32) error {
	w.nodes = w.nodes[:0]
	for i, v := range batch {
		if uint64(v) >= uint64(vertices) {
			return refuse.Index("seeds[%d] = %d: the graph has %d vertices", i, v, vertices)
		}
	}
	for first := 0; first < len(batch); first += plan.BlockEdges {
		piece := batch[first:min(first+plan.BlockEdges, len(batch))]
		local := w.places[:len(piece)]
		for i, v := range piece {
			local[i] = int64(v)
		}
		w.nodes = w.locals.number(local, w.nodes)
		if len(w.nodes) == first+len(piece) {
			continue
		}
		for i, v := range piece {
			if local[i] != int64(first+i) {
				return refuse.Value("seeds[%d] = %d: it is seeds[%d] too; expected different vertices", first+i, v, local[i])
			}
		}
	}
	return nil
}

// hop is one hop in an arena that may still move.
type hop struct {
	destinations, sources int
	indptr, indices, ids  span
}

// grow draws the hops.
func (p *Workspaces) grow(w *workspace, a *arena, m *app.MiniBatch, seed uint64, j *job.Job) ([]hop, error) {
	hops := make([]hop, len(m.Fanouts))
	weighted := app.No
	if m.Weighs(p.g) {
		weighted = app.Yes
	}
	for i, fanouts := range m.Fanouts {
		f, fanout := fanouts[0], uint64(math.MaxUint64)
		if f > 0 {
			fanout = uint64(f)
		}
		w.choices.set(p.g, m.Replace && f > 0, weighted)
		h := &hops[i]
		h.destinations = len(w.nodes)
		most := p.bound(w, fanout)
		need := h.destinations + 1 + 2*most
		if i == len(hops)-1 && a.used+need > len(a.words) {
			// The vertices come behind the last hop. They are thought of now: a large batch that does not fit is refused
			// before its edges are drawn, and one that does fit need not move for them.
			need += min(h.destinations+most, p.g.NumVertices())
		}
		if err := a.room(max(need, w.start(m, i))); err != nil {
			return nil, err
		}
		h.indptr = a.take(h.destinations + 1)
		h.indices = a.take(most)
		h.ids = a.take(most)
		x := expansion{
			p: p, w: w, stream: app.HopStream(seed, 0, i), fanout: fanout, nodes: w.nodes[:len(w.nodes):len(w.nodes)],
			indptr: a.of(h.indptr), ends: a.of(h.indices), positions: unsigned(a.of(h.ids)),
		}
		n, err := x.run(j)
		if err != nil {
			return nil, err
		}
		h.indices.end, h.ids.end = h.indices.first+n, h.ids.first+n
		h.sources = len(w.nodes)
	}
	return hops, nil
}

// start is the size with which an arena begins: the last call's, unless this one can be seen to need less.
func (w *workspace) start(m *app.MiniBatch, hop int) int {
	if hop > 0 {
		return 0
	}
	most, level := len(w.nodes), len(w.nodes)
	for _, fanouts := range m.Fanouts {
		f := fanouts[0]
		if f < 0 || f >= w.last || most >= w.last {
			return w.last
		}
		most += 4*level*f + most // what a hop of so many edges can add: indptr, indices, ids and nodes
		level *= f + 1
	}
	return min(most, w.last)
}

// bound gives a number of edges that the hop from all nodes cannot pass.
func (p *Workspaces) bound(w *workspace, fanout uint64) int {
	if fanout <= plan.LooseEdges && fanout*uint64(len(w.nodes)) <= plan.LooseEdges {
		return int(fanout) * len(w.nodes)
	}
	sum := uint64(0)
	for first := 0; first < len(w.nodes); first += plan.Block {
		end := min(first+plan.Block, len(w.nodes))
		p.rows.prefetch(w.nodes[end:min(end+plan.Block, len(w.nodes))])
		for _, u := range w.nodes[first:end] {
			_, degree := p.rows.of(u)
			sum += w.choices.bound(fanout, degree)
		}
	}
	return int(sum)
}

// view gives the arrays their final addresses.
func view(a *arena, nodes span, hops []hop) output.Blocks {
	b := output.Blocks{Arena: a.words, Nodes: [][]int64{a.of(nodes)}, Hops: make([][]output.Hop, len(hops))}
	met := []int{hops[0].destinations}
	for i, h := range hops {
		b.Hops[i] = []output.Hop{{
			Destinations: h.destinations, Indptr: a.of(h.indptr), Indices: a.of(h.indices), EdgeIDs: a.of(h.ids),
		}}
		met = append(met, h.sources-h.destinations)
	}
	b.New = [][]int{met}
	return b
}

// unsigned is the same memory, for numbers that are never negative.
func unsigned(s []int64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}
