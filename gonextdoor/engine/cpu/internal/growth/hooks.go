package growth

import (
	"runtime"
	"unsafe"

	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/rng"
)

// hookCaller calls the hooks of a run for one worker. Each method that is named after a hook calls it for the first n
// choices of some columns: the compiled kernel once, or the Go function once per choice.
type hookCaller struct {
	run     *programRun
	block   *hook.Block // arguments of a kernel call; on the heap, as are all columns, so that their addresses stay valid
	ctx     program.Ctx // argument of a Go hook
	results []uint32    // results of the last call; the next call overwrites them
	ahead   *ahead      // nil until edgeBiasAhead is called
}

// ahead is the Run of calls whose faults count only if the definition makes the call.
type ahead struct {
	run   hook.Run
	fault uint64
}

// newHookCaller returns a caller for columns of up to n choices.
func newHookCaller(r *programRun, n int) *hookCaller {
	return &hookCaller{run: r, block: new(hook.Block), ctx: program.Ctx{Graph: r.graph}, results: make([]uint32, n)}
}

// context returns the argument of a Go hook for choice i. The next call of context overwrites it.
func (h *hookCaller) context(c *columns, i int) *program.Ctx {
	x := &h.ctx
	x.Sample, x.Step, x.Slot = h.run.firstID+c.row[i], c.step, int(c.slot[i])
	x.Transit, x.Prev, x.PrevEdge = c.transit[i], c.prev[i], c.reached[i]
	x.At(rng.Key(c.key[i]), c.words[i], &c.views[c.view[i]], c.roots)
	return x
}

// callKernel calls a compiled hook for the first n choices of c. The kernel writes to out.
func (h *hookCaller) callKernel(kernel uint64, c *columns, n int, out []uint32) {
	h.callKernelOf(&h.run.compiled.State.Run, kernel, c, n, out)
}

// callKernelOf is callKernel with the arguments in run.
func (h *hookCaller) callKernelOf(run *hook.Run, kernel uint64, c *columns, n int, out []uint32) {
	b := h.block
	b.Run, b.N, b.Step = uintptr(unsafe.Pointer(run)), int64(n), int64(c.step)
	b.Row, b.Transit, b.Prev, b.Slot = address(c.row), address(c.transit), address(c.prev), address(c.slot)
	b.Key, b.Words, b.Edge, b.Dst = address(c.key), address(c.words), address(c.edge), address(c.dst)
	b.Size, b.Roots, b.Sample, b.Out = address(c.size), address(c.rootCount), address(c.vertices), address(out)
	b.PrevEdge, b.Ends = address(c.reached), 0
	if h.run.lanes != 1 { // otherwise each step has one vertex
		b.Ends = address(c.ends)
	}
	if !c.described {
		h.describeSamples(c, n)
		c.changeSamples()
	}
	hook.Call(kernel, b)
	runtime.KeepAlive(c)
}

// describeSamples fills the columns that describe the samples of the first n choices, if a compiled hook reads them. They
// remain valid until changeSamples is called.
func (h *hookCaller) describeSamples(c *columns, n int) {
	if !h.run.compiled.Reads.Has(hook.Size | hook.Sample) {
		return
	}
	c.described = true
	for i, view := range c.view[:n] {
		row := &c.views[view]
		end := uint32(c.roots + c.step)
		if len(row.Ends) > 0 {
			end = uint32(row.Ends[c.step])
		}
		c.size[i], c.rootCount[i] = end-uint32(c.roots), uint32(c.roots)
		c.vertices[i], c.ends[i] = uint64(address(row.Vertices)), uint64(address(row.Ends))
	}
}

// call returns the 32-bit results of a hook: of its kernel, or of goHook for each choice if kernel is 0.
func (h *hookCaller) call(kernel uint64, c *columns, n int, goHook func(x *program.Ctx, i int) uint32) []uint32 {
	out := h.results[:n]
	if kernel != 0 {
		h.callKernel(kernel, c, n, out)
		return out
	}
	for i := range out {
		out[i] = goHook(h.context(c, i), i)
	}
	return out
}

// callForBiases writes the biases that a hook returns to biases. Those of Go hooks have 64 bits.
func (h *hookCaller) callForBiases(kernel uint64, c *columns, n int, biases []uint64, goHook func(x *program.Ctx, i int) uint64) {
	if kernel != 0 {
		h.callKernel(kernel, c, n, h.results)
		widen(h.results[:n], biases)
		return
	}
	for i := range n {
		biases[i] = goHook(h.context(c, i), i)
	}
}

// stop returns 1 for each choice that the Stop hook ends, and 0 for the others.
func (h *hookCaller) stop(c *columns, n int) []uint32 {
	return h.call(h.run.compiled.Stop, c, n, func(x *program.Ctx, _ int) uint32 {
		if h.run.program.Stop(x) {
			return 1
		}
		return 0
	})
}

// next returns the vertices that the Next hook picks.
func (h *hookCaller) next(c *columns, n int) []uint32 {
	out := h.call(h.run.compiled.Next, c, n, func(x *program.Ctx, _ int) uint32 { return h.run.program.Next(x) })
	if h.run.compiled.Next != 0 {
		return h.checkVertices(c, out)
	}
	return out
}

// nextIntoDst writes the vertices that the Next hook picks to column dst, and graph.NoEdge to column edge.
func (h *hookCaller) nextIntoDst(c *columns, n int) {
	h.next(c, n)
	c.dst, h.results = h.results, c.dst // swap buffers, which avoids a copy
	for i := range c.edge[:n] {
		c.edge[i] = graph.NoEdge
	}
}

// update returns the vertices that the Update hook returns for the picks.
func (h *hookCaller) update(c *columns, n int) []uint32 {
	out := h.call(h.run.compiled.Update, c, n, func(x *program.Ctx, i int) uint32 {
		return h.run.program.Update(x, c.edge[i], c.dst[i])
	})
	if h.run.compiled.Update != 0 {
		return h.checkVertices(c, out)
	}
	return out
}

// checkVertices replaces invalid vertices that a kernel returned, as program.Custom does for Go hooks. Strict programs check all.
func (h *hookCaller) checkVertices(c *columns, out []uint32) []uint32 {
	compiled := &h.run.compiled
	vertices := uint32(compiled.State.Run.Vertices) // at most 2^32-2
	if compiled.Strict {
		vertices = 0
	}
	for i, v := range out {
		if v >= vertices && v != graph.None {
			out[i] = compiled.ValidVertex(h.context(c, i), v)
		}
	}
	return out
}

// fanout returns the number of picks of each choice. program.StepProgram checks the results of Go hooks; kernels check their own.
func (h *hookCaller) fanout(c *columns, n int) []uint32 {
	return h.call(h.run.compiled.Fanout, c, n, func(x *program.Ctx, _ int) uint32 {
		return uint32(h.run.program.PickCount(x, h.run.program.Fanout(x)))
	})
}

// bound writes the upper bounds of the candidates' biases to bounds.
func (h *hookCaller) bound(c *columns, n int, bounds []uint64) {
	h.callForBiases(h.run.compiled.Bound, c, n, bounds, func(x *program.Ctx, _ int) uint64 { return h.run.program.Bound(x) })
}

// edgeBias writes the biases of the candidates to biases.
func (h *hookCaller) edgeBias(c *columns, n int, biases []uint64) {
	h.callForBiases(h.run.compiled.EdgeBias, c, n, biases, func(x *program.Ctx, i int) uint64 {
		return h.run.program.EdgeBias(x, c.edge[i], c.dst[i])
	})
}

// edgeBiasAhead is edgeBias of a compiled hook, but returns false instead of recording a fault.
func (h *hookCaller) edgeBiasAhead(c *columns, n int, biases []uint64) bool {
	if h.ahead == nil {
		h.ahead = &ahead{run: h.run.compiled.State.Run}
		h.ahead.run.Fault = uintptr(unsafe.Pointer(&h.ahead.fault))
	}
	h.ahead.fault = hook.NoFault
	h.callKernelOf(&h.ahead.run, h.run.compiled.EdgeBias, c, n, h.results)
	widen(h.results[:n], biases)
	return h.ahead.fault == hook.NoFault
}

// vertexBias writes the biases of the vertices in column dst to biases.
func (h *hookCaller) vertexBias(c *columns, n int, biases []uint64) {
	h.callForBiases(h.run.compiled.VertexBias, c, n, biases, func(x *program.Ctx, i int) uint64 {
		return h.run.program.VertexBias(x, c.dst[i])
	})
}

// address returns the address of the first element of a column.
func address[T any](s []T) uintptr { return uintptr(buffer.Pointer(s)) }

// widen converts 32-bit biases to 64 bits.
func widen(from []uint32, to []uint64) {
	for i, x := range from {
		to[i] = uint64(x)
	}
}
