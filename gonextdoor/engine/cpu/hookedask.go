package cpu

import (
	"runtime"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/buffer"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/rng"
)

// asker asks the hooks of a run for one worker: each method calls a hook for the first n choices of the columns.
type asker struct {
	*hooked
	block *hook.Block // on the heap, as all columns
	ctx   app.Ctx
	out   []uint32 // what a hook returned
}

func newAsker(h *hooked, n int) asker {
	return asker{hooked: h, block: new(hook.Block), ctx: app.Ctx{Graph: h.g}, out: make([]uint32, n)}
}

// at is what a Go hook sees of choice i.
func (q *asker) at(c *columns, i int) *app.Ctx {
	x := &q.ctx
	x.Sample, x.Step, x.Slot = q.first+c.row[i], c.step, int(c.slot[i])
	x.Transit, x.Prev = c.transit[i], c.prev[i]
	x.At(rng.Key(c.key[i]), c.words[i], &c.views[c.who[i]], c.roots)
	return x
}

// call runs a kernel.
func (q *asker) call(kernel uint64, c *columns, n int, out []uint32) {
	b := q.block
	b.Run, b.N, b.Step = uintptr(unsafe.Pointer(&q.compiled.State.Run)), int64(n), int64(c.step)
	b.Row, b.Transit, b.Prev, b.Slot = address(c.row), address(c.transit), address(c.prev), address(c.slot)
	b.Key, b.Words, b.Edge, b.Dst = address(c.key), address(c.words), address(c.edge), address(c.dst)
	b.Size, b.Roots, b.Sample, b.Out = address(c.size), address(c.first), address(c.sample), address(out)
	b.Ends = 0
	if q.lanes != 1 {
		b.Ends = address(c.ends)
	}
	q.context(c, n)
	hook.Call(kernel, b)
	runtime.KeepAlive(c)
}

// context fills the columns that tell of the sample, where a kernel reads them.
func (q *asker) context(c *columns, n int) {
	if q.compiled.Reads.Has(hook.Size | hook.Sample) {
		for i, who := range c.who[:n] {
			v := &c.views[who]
			end := uint32(c.roots + c.step)
			if len(v.Ends) > 0 {
				end = uint32(v.Ends[c.step])
			}
			c.size[i], c.first[i] = end-uint32(c.roots), uint32(c.roots)
			c.sample[i], c.ends[i] = uint64(address(v.Vertices)), uint64(address(v.Ends))
		}
	}
}

// ask gives what a hook returns for the first n choices: its kernel, or where it has none, one for each.
func (q *asker) ask(kernel uint64, c *columns, n int, one func(x *app.Ctx, i int) uint32) []uint32 {
	out := q.out[:n]
	if kernel != 0 {
		q.call(kernel, c, n, out)
		return out
	}
	for i := range out {
		out[i] = one(q.at(c, i), i)
	}
	return out
}

// stops says which choices are not made: 1, or 0.
func (q *asker) stops(c *columns, n int) []uint32 {
	return q.ask(q.compiled.Stop, c, n, func(x *app.Ctx, _ int) uint32 {
		if q.grows.Stop(x) {
			return 1
		}
		return 0
	})
}

// nexts gives the vertices that the hook chooses by itself.
func (q *asker) nexts(c *columns, n int) []uint32 {
	out := q.ask(q.compiled.Next, c, n, func(x *app.Ctx, _ int) uint32 { return q.grows.Next(x) })
	if q.compiled.Next != 0 {
		return q.landed(c, out)
	}
	return out
}

// updates gives the vertices that the candidates lead to.
func (q *asker) updates(c *columns, n int) []uint32 {
	out := q.ask(q.compiled.Update, c, n, func(x *app.Ctx, i int) uint32 { return q.grows.Update(x, c.edge[i], c.dst[i]) })
	if q.compiled.Update != 0 {
		return q.landed(c, out)
	}
	return out
}

// landed is app.Custom's Landed for what a kernel returned.
func (q *asker) landed(c *columns, out []uint32) []uint32 {
	vertices := uint32(q.compiled.State.Run.Vertices) // at most 2^32-2
	if q.compiled.Strict {
		vertices = 0
	}
	for i, v := range out {
		if v >= vertices && v != graph.None {
			out[i] = q.compiled.Landed(q.at(c, i), v)
		}
	}
	return out
}

// fanouts gives how many picks are made; app.StepProgram checks those of Go hooks, and kernels their own.
func (q *asker) fanouts(c *columns, n int) []uint32 {
	return q.ask(q.compiled.Fanout, c, n, func(x *app.Ctx, _ int) uint32 { return uint32(q.grows.PickCount(x, q.grows.Fanout(x))) })
}

// askBiases is ask for hooks that give biases: those of Go have 64 bits.
func (q *asker) askBiases(kernel uint64, c *columns, n int, biases []uint64, one func(x *app.Ctx, i int) uint64) {
	if kernel != 0 {
		q.call(kernel, c, n, q.out)
		widen(q.out[:n], biases)
		return
	}
	for i := range n {
		biases[i] = one(q.at(c, i), i)
	}
}

// bounds gives the bounds of the candidates' biases.
func (q *asker) bounds(c *columns, n int, bounds []uint64) {
	q.askBiases(q.compiled.Bound, c, n, bounds, func(x *app.Ctx, _ int) uint64 { return q.grows.Bound(x) })
}

// weigh gives the biases of the candidates.
func (q *asker) weigh(c *columns, n int, biases []uint64) {
	q.askBiases(q.compiled.EdgeBias, c, n, biases, func(x *app.Ctx, i int) uint64 {
		return q.grows.EdgeBias(x, c.edge[i], c.dst[i])
	})
}

// weighVertices gives the biases of the vertices in the place of candidates.
func (q *asker) weighVertices(c *columns, n int, biases []uint64) {
	q.askBiases(q.compiled.VertexBias, c, n, biases, func(x *app.Ctx, i int) uint64 { return q.grows.VertexBias(x, c.dst[i]) })
}

// address gives where a column begins.
func address[T any](s []T) uintptr { return uintptr(buffer.Pointer(s)) }

func widen(from []uint32, to []uint64) {
	for i, x := range from {
		to[i] = uint64(x)
	}
}
