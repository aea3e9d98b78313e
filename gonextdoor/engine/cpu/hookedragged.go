package cpu

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/buffer"
)

// whole walks samples that differ in length.
func (w *walkers) whole(lo, hi int, emit func(i int, row app.Row) error) error {
	const few = 16 // steps that there is room for at first
	for ; lo < hi; lo += len(w.c.views) {
		end := min(lo+len(w.c.views), hi)
		w.stride = w.c.roots + few
		w.room(end - lo)
		for i := lo; i < end; i++ {
			first := (i - lo) * w.stride
			row := w.vertices[first:][:w.stride]
			copy(row, w.batch.Roots.Of(i, w.out[:1]))
			w.begin(i-lo, i, row, first+w.c.roots, first+w.c.roots)
			if w.batch.Edges {
				w.c.views[i-lo].Edges = w.positions[first:][:w.stride]
			}
		}
		if err := w.walk(); err != nil {
			return err
		}
		if err := w.emitAll(emit, lo, end); err != nil {
			return err
		}
	}
	return nil
}

// room makes room for the group's samples, none of which is a row of a matrix.
func (w *walkers) room(samples int) {
	if n := samples * w.stride; len(w.vertices) < n {
		w.vertices = buffer.Grow[uint32](nil, n)[:n]
		if w.batch.Edges {
			w.positions = buffer.Grow[uint64](nil, n)[:n]
		}
	}
}

// widen gives the walkers twice the room once it is used up. Those that have ended stay where they are.
func (w *walkers) widen() {
	if w.width > 0 || w.step < w.stride-w.c.roots {
		return
	}
	n := w.c.roots + 2*w.step
	vertices, positions := buffer.Grow[uint32](nil, w.n*n)[:w.n*n], []uint64(nil)
	if w.batch.Edges {
		positions = buffer.Grow[uint64](nil, w.n*n)[:w.n*n]
	}
	for i, who := range w.c.who[:w.n] {
		v := &w.c.views[who]
		copy(vertices[i*n:], v.Vertices)
		v.Vertices = vertices[i*n:][:n]
		if positions != nil {
			copy(positions[i*n:], v.Edges)
			v.Edges = positions[i*n:][:n]
		}
		l := &w.lanes[w.of[i]]
		l.vertex, l.edge = i*n+w.c.roots, i*n+w.c.roots
		w.starts[w.of[i]] = l.vertex
	}
	w.vertices, w.positions, w.stride = vertices, positions, n
}

// emitAll hands the group's samples over.
func (w *walkers) emitAll(emit func(i int, row app.Row) error, lo, hi int) error {
	for i := lo; i < hi; i++ {
		v, n := w.c.views[i-lo], w.c.roots+w.lanes[i-lo].end
		v.Vertices = v.Vertices[:n]
		if v.Edges != nil {
			v.Edges = v.Edges[w.c.roots:n]
		}
		if err := emit(i, v); err != nil {
			return err
		}
	}
	return nil
}
