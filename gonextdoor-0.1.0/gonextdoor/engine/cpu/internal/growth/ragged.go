package growth

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
)

// initialSteps is the initial capacity, in steps, of a walk without a fixed length.
const initialSteps = 16

// emitSamples runs the walks of samples [lo, hi), which may differ in length, and passes each to emit in order. The rows are
// valid until emit returns.
func (w *walkers) emitSamples(lo, hi int, emit func(i int, row app.Row) error) error {
	group, roots, trace := len(w.columns.views), w.columns.roots, &w.trace
	for ; lo < hi; lo += group {
		end := min(lo+group, hi)
		trace.stride = roots + initialSteps
		trace.reserve(end - lo)
		w.reset()
		for i := lo; i < end; i++ {
			first := (i - lo) * trace.stride
			row := trace.vertices[first:][:trace.stride]
			copy(row, w.run.batch.Roots.Of(i, w.rootBuffer))
			w.add(i-lo, i, row, first+roots, first+roots)
			if trace.edges != nil {
				w.columns.views[i-lo].Edges = trace.edges[first:][:trace.stride]
			}
		}
		if err := w.walk(); err != nil {
			return err
		}
		if err := w.emitGroup(lo, end, emit); err != nil {
			return err
		}
	}
	return nil
}

// reserve allocates the memory of a group for a number of samples.
func (t *trace) reserve(samples int) {
	if n := samples * t.stride; len(t.vertices) < n {
		t.vertices = buffer.Grow[uint32](nil, n)[:n]
		if t.run.batch.Edges {
			t.edges = buffer.Grow[uint64](nil, n)[:n]
		}
	}
}

// growRows doubles the capacity of the active walkers once it is used up. The rows of walkers that have ended stay in the old
// memory.
func (w *walkers) growRows() {
	roots, trace := w.columns.roots, &w.trace
	if w.run.width > 0 || w.step < trace.stride-roots {
		return
	}
	stride := roots + 2*w.step
	total := w.active * stride
	vertices, edges := buffer.Grow[uint32](nil, total)[:total], []uint64(nil)
	if trace.edges != nil {
		edges = buffer.Grow[uint64](nil, total)[:total]
	}
	for i, view := range w.columns.view[:w.active] {
		row, first := &w.columns.views[view], i*stride
		copy(vertices[first:], row.Vertices)
		row.Vertices = vertices[first:][:stride]
		if edges != nil {
			copy(edges[first:], row.Edges)
			row.Edges = edges[first:][:stride]
		}
		of := w.laneOf[i]
		trace.lanes[of].vertex, trace.lanes[of].edge = first+roots, first+roots
		trace.starts[of] = first + roots
	}
	trace.vertices, trace.edges, trace.stride = vertices, edges, stride
}

// emitGroup passes the samples of the group, [lo, hi), to emit.
func (w *walkers) emitGroup(lo, hi int, emit func(i int, row app.Row) error) error {
	roots := w.columns.roots
	for i := lo; i < hi; i++ {
		row, end := w.columns.views[i-lo], roots+w.trace.lanes[i-lo].end
		row.Vertices = row.Vertices[:end]
		if row.Edges != nil {
			row.Edges = row.Edges[roots:end]
		}
		if err := emit(i, row); err != nil {
			return err
		}
	}
	return nil
}
