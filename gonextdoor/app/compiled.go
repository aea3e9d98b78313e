package app

import (
	"math"
	"runtime"
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook"
)

// single is a hook.Block of one choice, with the memory of its columns. The serial definition calls compiled hooks by it.
type single struct {
	block             hook.Block
	row, key, words   uint64
	edge, prevEdge    uint64
	vertices, ends    uint64
	transit, prev     uint32
	slot, size, roots uint32
	dst, out          uint32
}

// notForCPU is the panic of a hook that is compiled for a GPU only. The planner never runs such an app on the CPU.
const notForCPU = "app: this app's hooks are not compiled for the CPU"

// singles keeps blocks on the heap, where their addresses are stable.
var singles = sync.Pool{New: func() any {
	s := new(single)
	at := func(p unsafe.Pointer) uintptr { return uintptr(p) }
	s.block = hook.Block{
		N: 1, Row: at(unsafe.Pointer(&s.row)), Transit: at(unsafe.Pointer(&s.transit)), Prev: at(unsafe.Pointer(&s.prev)),
		Slot: at(unsafe.Pointer(&s.slot)), Size: at(unsafe.Pointer(&s.size)), Key: at(unsafe.Pointer(&s.key)),
		Words: at(unsafe.Pointer(&s.words)), Sample: at(unsafe.Pointer(&s.vertices)), Ends: at(unsafe.Pointer(&s.ends)),
		Roots: at(unsafe.Pointer(&s.roots)), Edge: at(unsafe.Pointer(&s.edge)), Dst: at(unsafe.Pointer(&s.dst)),
		Out: at(unsafe.Pointer(&s.out)), PrevEdge: at(unsafe.Pointer(&s.prevEdge)),
	}
	return s
}}

// call runs a kernel for one choice and returns its result.
func (a *Custom) call(kernel uint64, c *Ctx, edge uint64, dst uint32) uint32 {
	s := singles.Get().(*single)
	defer singles.Put(s)
	s.block.Run, s.block.Step = uintptr(unsafe.Pointer(&a.state.Run)), int64(c.Step)
	s.row, s.key, s.words = c.Sample-a.state.Run.First, uint64(c.key), c.words
	s.transit, s.prev, s.slot, s.size, s.roots = c.Transit, c.Prev, uint32(c.Slot), uint32(c.Size()), uint32(c.roots)
	s.vertices = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(c.row.Vertices))))
	s.ends = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(c.row.Ends))))
	s.edge, s.dst, s.prevEdge = edge, dst, c.PrevEdge
	hook.Call(kernel, &s.block)
	runtime.KeepAlive(c)
	return s.out
}

// biasHooks returns the hooks that compute biases, of 32 bits each. Each is the compiled kernel if there is one, otherwise
// the given Go function, otherwise a panic if the hook is compiled for a GPU only, otherwise nil.
func (a *Custom) biasHooks() (edge func(*Ctx, uint64, uint32) uint64, vertex func(*Ctx, uint32) uint64, bound func(*Ctx) uint64) {
	fits := func(c *Ctx, bias uint64) uint64 {
		if bias > math.MaxUint32 {
			a.state.Note(c.Sample, c.Step, hook.TooLarge)
			return 0
		}
		return bias
	}
	given, k := a.given, a.Kernels
	switch {
	case k.EdgeBias != 0:
		edge = func(c *Ctx, e uint64, dst uint32) uint64 { return uint64(a.call(k.EdgeBias, c, e, dst)) }
	case given.EdgeBias != nil:
		edge = func(c *Ctx, e uint64, dst uint32) uint64 { return fits(c, given.EdgeBias(c, e, dst)) }
	case a.Hooks.Has("edge_bias"):
		edge = func(*Ctx, uint64, uint32) uint64 { panic(notForCPU) }
	}
	switch {
	case k.VertexBias != 0:
		vertex = func(c *Ctx, v uint32) uint64 { return uint64(a.call(k.VertexBias, c, graph.NoEdge, v)) }
	case given.VertexBias != nil:
		vertex = func(c *Ctx, v uint32) uint64 { return fits(c, given.VertexBias(c, v)) }
	case a.Hooks.Has("vertex_bias"):
		vertex = func(*Ctx, uint32) uint64 { panic(notForCPU) }
	}
	switch {
	case k.Bound != 0:
		bound = func(c *Ctx) uint64 { return uint64(a.call(k.Bound, c, graph.NoEdge, graph.None)) }
	case given.Bound != nil:
		bound = func(c *Ctx) uint64 { return fits(c, given.Bound(c)) }
	case a.Hooks.Has("bound"):
		bound = func(*Ctx) uint64 { panic(notForCPU) }
	}
	return edge, vertex, bound
}

// vertexHooks returns the hooks that return a vertex of the graph, selected as biasHooks does.
func (a *Custom) vertexHooks() (next func(*Ctx) uint32, update func(*Ctx, uint64, uint32) uint32) {
	given, k := a.given, a.Kernels
	switch {
	case k.Next != 0:
		next = func(c *Ctx) uint32 { return a.ValidVertex(c, a.call(k.Next, c, graph.NoEdge, graph.None)) }
	case given.Next != nil:
		next = func(c *Ctx) uint32 { return a.ValidVertex(c, given.Next(c)) }
	case a.Hooks.Has("next"):
		next = func(*Ctx) uint32 { panic(notForCPU) }
	}
	switch {
	case k.Update != 0:
		update = func(c *Ctx, e uint64, dst uint32) uint32 { return a.ValidVertex(c, a.call(k.Update, c, e, dst)) }
	case given.Update != nil:
		update = func(c *Ctx, e uint64, dst uint32) uint32 { return a.ValidVertex(c, given.Update(c, e, dst)) }
	case a.Hooks.Has("update"):
		update = func(*Ctx, uint64, uint32) uint32 { panic(notForCPU) }
	}
	return next, update
}

// ValidVertex checks the vertex v that a hook returned. It returns v, or graph.None after noting a fault: v is not a vertex,
// or the app is strict and v is not a neighbour of the transit.
func (a *Custom) ValidVertex(c *Ctx, v uint32) uint32 {
	switch {
	case v == graph.None:
		return v
	case uint64(v) >= a.state.Run.Vertices:
		a.state.Note(c.Sample, c.Step, hook.NotAVertex)
	case a.Strict && c.Transit != graph.None && !c.Graph.HasEdge(c.Transit, v):
		a.state.Note(c.Sample, c.Step, hook.NotANeighbor)
	default:
		return v
	}
	return graph.None
}

// otherHooks returns the hooks that return a number of picks or a boolean, selected as biasHooks does.
func (a *Custom) otherHooks() (fanout func(*Ctx) int, stop func(*Ctx) bool) {
	given, k := a.given, a.Kernels
	switch {
	case k.Fanout != 0:
		fanout = func(c *Ctx) int { return int(a.call(k.Fanout, c, graph.NoEdge, graph.None)) }
	case given.Fanout != nil:
		fanout = given.Fanout
	case a.Hooks.Has("sample_size"):
		fanout = func(*Ctx) int { panic(notForCPU) }
	}
	switch {
	case k.Stop != 0:
		stop = func(c *Ctx) bool { return a.call(k.Stop, c, graph.NoEdge, graph.None) != 0 }
	case given.Stop != nil:
		stop = given.Stop
	case a.Hooks.Has("stop"):
		stop = func(*Ctx) bool { panic(notForCPU) }
	}
	return fanout, stop
}
