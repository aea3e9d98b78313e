package growth

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/plan"
)

// bufferedSteps is the number of steps that are buffered before they are written to the result: as many vertices as fill a
// cache line of 64 bytes.
const bufferedSteps = 16

// fusedSteps buffers the last steps of a group whose steps consist of one call of a compiled Next hook. The kernel writes a
// step to the row of the buffer that it reads as transits in the next call, so nothing is copied between calls. The rows of
// the result are written a cache line at a time.
type fusedSteps struct {
	steps         *[bufferedSteps][plan.HookedGroup]uint32
	from          int      // first step that has not been written to the result
	transit, prev []uint32 // columns of a group's first step; those of later steps are rows of the buffer
}

// canFuse reports whether a step of the run is one kernel call, no hook reads the rows or ends walks, and a group of that
// capacity fits in the buffer.
func canFuse(r *programRun, capacity int) bool {
	kernelOnly := r.compiled.Next != 0 && !r.compiled.Strict && !r.compiled.Reads.Has(hook.Sample)
	otherHooks := r.program.Stop != nil || r.program.Update != nil || r.program.VertexBias != nil
	plainRows := r.width > 0 && r.lanes == 1 && !r.batch.Edges
	return kernelOnly && !otherHooks && plainRows && capacity <= plan.HookedGroup
}

// newFusedSteps returns an empty buffer for the walkers in c.
func newFusedSteps(c *columns) *fusedSteps {
	return &fusedSteps{steps: new([bufferedSteps][plan.HookedGroup]uint32), transit: c.transit, prev: c.prev}
}

// reset empties the buffer and restores the columns of the first step in c.
func (f *fusedSteps) reset(c *columns) {
	f.from = 0
	c.transit, c.prev = f.transit, f.prev
}

// fusedStep takes a step: it does the work of choose and move. The kernel prefetches what the next step reads of Indptr.
func (w *walkers) fusedStep() {
	c, n, f := &w.columns, w.active, w.fused
	compiled := &w.run.compiled
	out := f.steps[w.step%bufferedSteps][:c.capacity()]
	w.hooks.callKernel(compiled.Next, c, n, out)
	if anyAtLeast(out[:n], uint32(compiled.State.Run.Vertices)) { // a walk ends, or the hook returned an invalid vertex
		f.flush(&w.trace, w.laneOf[:n], w.step)
		copy(c.dst, w.hooks.checkVertices(c, out[:n]))
		for i := range c.edge[:n] {
			c.edge[i] = graph.NoEdge
		}
		w.moveToPicks()
		f.from = w.step + 1
		return
	}
	c.prev, c.transit = c.transit, out
	if w.step%bufferedSteps == bufferedSteps-1 {
		f.flush(&w.trace, w.laneOf[:n], w.step+1)
	}
}

// anyAtLeast reports whether any element is n or more, without a branch per element. n is at least 1.
func anyAtLeast(s []uint32, n uint32) bool {
	var signs uint64
	for _, x := range s {
		signs |= uint64(n) - 1 - uint64(x)
	}
	return signs>>63 != 0
}

// flush writes the buffered steps before end to the rows of the walkers in the given lanes.
func (f *fusedSteps) flush(t *trace, laneOf []uint32, end int) {
	first, steps := f.from, end-f.from
	f.from = end
	if steps == bufferedSteps { // the buffer is full, and first is a multiple of bufferedSteps
		b := f.steps
		for i, lane := range laneOf {
			i %= plan.HookedGroup // lets the compiler omit bounds checks
			to := (*[bufferedSteps]uint32)(t.vertices[t.starts[lane]+first:])
			to[0], to[1], to[2], to[3] = b[0][i], b[1][i], b[2][i], b[3][i]
			to[4], to[5], to[6], to[7] = b[4][i], b[5][i], b[6][i], b[7][i]
			to[8], to[9], to[10], to[11] = b[8][i], b[9][i], b[10][i], b[11][i]
			to[12], to[13], to[14], to[15] = b[12][i], b[13][i], b[14][i], b[15][i]
		}
		return
	}
	for i, lane := range laneOf {
		to := t.vertices[t.starts[lane]+first:][:steps]
		for s := range to {
			to[s] = f.steps[(first+s)%bufferedSteps][i]
		}
	}
}
