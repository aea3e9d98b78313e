// Package tree holds the driver of the CPU engine for k-hop sampling: trees whose vertices each choose a fixed number of
// neighbours.
package tree

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/rowaccess"
	"gonextdoor/gonextdoor/engine/cpu/internal/run"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// KHop runs k-hop sampling. A thread grows a group of samples level by level and expands the transits of a level in blocks,
// so that cache misses overlap: while one block is expanded, the rows of the next are prefetched.
func KHop(_ run.Options, p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	a := p.App.(app.FanoutTree)
	r, err := rowaccess.NewRows(g, p.Packed)
	if err != nil {
		return err
	}
	samples, threads := b.Roots.Samples(), parallel.Threads(b.Threads)
	group := max(1, min(plan.TreeGroup/out.Width, (samples+threads-1)/threads))
	workers := make([]*grower, parallel.Workers(threads, samples, group))
	return parallel.ForWorker(j, threads, samples, group, func(worker, lo, hi int) error {
		t := workers[worker]
		if t == nil {
			t = &grower{g: g, rows: r, batch: b, out: out}
			t.choices.Set(g, a.Replaces(), a.Weights())
			workers[worker] = t
		}
		t.grow(a.TreeFanouts(), lo, hi)
		j.Add(int64(hi - lo))
		return nil
	})
}

// grower grows trees. It serves one thread.
type grower struct {
	g       *graph.Graph
	rows    rowaccess.Rows
	batch   plan.Batch
	out     output.Matrix
	choices rowaccess.Choices
	blocks  [2]transits        // one is expanded while the rows of the other are prefetched
	first   [plan.Block]uint64 // position of each transit's first edge
	degrees [plan.Block]uint64 // of each transit
	ends    []uint64           // positions of the edges that the transits of a block choose
}

// transits is a block of transits, in the order of their samples and slots.
type transits struct {
	of       [plan.Block]uint32
	keys     [plan.Block]rng.Key
	children [plan.Block]int // index in out.Vertices of each transit's first child
	n        int
}

// grow samples the rows [lo, hi).
func (t *grower) grow(fanouts []int, lo, hi int) {
	// 1. Copy the roots.
	width := t.out.Width
	scratch := make([]uint32, 1)
	for i := lo; i < hi; i++ {
		copy(t.out.Vertices[i*width:], t.batch.Roots.Of(i, scratch))
	}
	// 2. Grow level by level. Two blocks alternate.
	first, level := 0, t.out.Roots
	for step, f := range fanouts {
		c := cursor{t: t, step: uint64(step), first: first, level: level, fanout: f, row: lo, end: hi, limit: blockOf(f)}
		t.ends = resized(t.ends, c.limit*f)
		now, next := &t.blocks[0], &t.blocks[1]
		for c.fill(now); now.n > 0; now, next = next, now {
			c.fill(next)
			t.expand(now, f)
		}
		first += level
		level *= f
	}
}

// blockOf returns the number of transits of a block, given their fan-out.
func blockOf(fanout int) int { return max(1, min(plan.Block, plan.BlockEdges/fanout)) }

// resized returns s with n elements, whose values are arbitrary.
func resized(s []uint64, n int) []uint64 {
	if cap(s) < n {
		return make([]uint64, n)
	}
	return s[:n]
}

// cursor iterates over the transits of one level of rows.
type cursor struct {
	t            *grower
	step         uint64
	first, level int // the level in a row: its first slot, and the number of slots
	fanout       int
	row, end     int        // the remaining rows
	slot         int        // the next transit of the row
	stream       rng.Stream // of the row and step
	limit        int        // transits per block
}

// fill stores the next transits in a block and prefetches their records. The block is empty at the end of the level.
func (c *cursor) fill(b *transits) {
	seed := rng.NewStream(c.t.batch.Seed, rng.Choices)
	for b.n = 0; b.n < c.limit && c.row < c.end; {
		if c.slot == 0 {
			c.stream = seed.Key(c.t.batch.ID(c.row)).Stream(c.step)
		}
		row := c.row * c.t.out.Width
		take := min(c.limit-b.n, c.level-c.slot)
		copy(b.of[b.n:], c.t.out.Vertices[row+c.first+c.slot:][:take])
		for i := range take {
			b.keys[b.n+i] = c.stream.Key(uint64(c.slot + i))
			b.children[b.n+i] = row + c.first + c.level + (c.slot+i)*c.fanout
		}
		b.n += take
		if c.slot += take; c.slot == c.level {
			c.slot = 0
			c.row++
		}
	}
	c.t.rows.Prefetch(b.of[:b.n])
}

// expand chooses the children of every transit of a block. A transit with fewer choices than the fan-out reads the rest from
// the position after the last edge, which holds None.
func (t *grower) expand(b *transits, f int) {
	// 1. Find the rows, and prefetch the memory that weighted choices read.
	fanout, none := uint64(f), uint64(t.g.NumEdges())
	for i, u := range b.of[:b.n] {
		t.first[i], t.degrees[i] = t.rows.Of(u)
		t.choices.Prefetch(b.keys[i], fanout, t.first[i], t.degrees[i])
	}
	// 2. Choose edges, and prefetch their end points and ids.
	for i := range b.n {
		ends := t.ends[i*f : i*f+f]
		n := t.choices.Take(b.keys[i], fanout, t.first[i], t.degrees[i], ends)
		for j := n; j < f; j++ {
			ends[j] = none
		}
		stage.PrefetchIndices(unsafe.SliceData(t.g.Indices), ends)
		if t.batch.Edges {
			rowaccess.PrefetchIDs(t.g, ends)
		}
	}
	// 3. Read the end points. The children of consecutive transits of a sample are contiguous.
	for i := 0; i < b.n; {
		end := i + 1
		for end < b.n && b.children[end] == b.children[end-1]+f {
			end++
		}
		ends := t.ends[i*f : end*f]
		stage.Gather(unsafe.SliceData(t.g.Indices), ends, &t.out.Vertices[b.children[i]:][:len(ends)][0])
		if t.batch.Edges {
			t.edges(ends, b.children[i])
		}
		i = end
	}
}

// edges writes the ids of the edges at positions, which lead to the vertices from index place on, or -1 if there is no edge.
func (t *grower) edges(positions []uint64, place int) {
	row, slot := place/t.out.Width, place%t.out.Width
	ids := t.out.Edges[row*(t.out.Width-t.out.Roots)+slot-t.out.Roots:][:len(positions)]
	for i, p := range positions {
		ids[i] = -1
		if p < uint64(t.g.NumEdges()) {
			ids[i] = int64(t.g.EdgeID(p))
		}
	}
}
