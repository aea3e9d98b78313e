package program

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

// runHooks makes the hooks of a run of an app: compiled ones, or those that the caller gave, whose faults it notes in state.
type runHooks struct {
	kernels hook.Kernels
	names   hook.Names
	strict  bool
	given   *StepProgram
	state   *hook.State
}

// call runs a kernel for one choice and returns its result.
func (h *runHooks) call(kernel uint64, c *Ctx, edge uint64, dst uint32) uint32 {
	s := singles.Get().(*single)
	defer singles.Put(s)
	s.block.Run, s.block.Step = uintptr(unsafe.Pointer(&h.state.Run)), int64(c.Step)
	s.row, s.key, s.words = c.Sample-h.state.Run.First, uint64(c.key), c.words
	s.transit, s.prev, s.slot, s.size, s.roots = c.Transit, c.Prev, uint32(c.Slot), uint32(c.Size()), uint32(c.roots)
	s.vertices = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(c.row.Vertices))))
	s.ends = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(c.row.Ends))))
	s.edge, s.dst, s.prevEdge = edge, dst, c.PrevEdge
	hook.Call(kernel, &s.block)
	runtime.KeepAlive(c)
	return s.out
}

// biases returns the hooks that compute biases, of 32 bits each. Each is the compiled kernel if there is one, otherwise
// the given Go function, otherwise a panic if the hook is compiled for a GPU only, otherwise nil.
func (h *runHooks) biases() (edge func(*Ctx, uint64, uint32) uint64, vertex func(*Ctx, uint32) uint64, bound func(*Ctx) uint64) {
	fits := func(c *Ctx, bias uint64) uint64 {
		if bias > math.MaxUint32 {
			h.state.Note(c.Sample, c.Step, hook.TooLarge)
			return 0
		}
		return bias
	}
	given, k := h.given, h.kernels
	switch {
	case k.EdgeBias != 0:
		edge = func(c *Ctx, e uint64, dst uint32) uint64 { return uint64(h.call(k.EdgeBias, c, e, dst)) }
	case given.EdgeBias != nil:
		edge = func(c *Ctx, e uint64, dst uint32) uint64 { return fits(c, given.EdgeBias(c, e, dst)) }
	case h.names.Has("edge_bias"):
		edge = func(*Ctx, uint64, uint32) uint64 { panic(notForCPU) }
	}
	switch {
	case k.VertexBias != 0:
		vertex = func(c *Ctx, v uint32) uint64 { return uint64(h.call(k.VertexBias, c, graph.NoEdge, v)) }
	case given.VertexBias != nil:
		vertex = func(c *Ctx, v uint32) uint64 { return fits(c, given.VertexBias(c, v)) }
	case h.names.Has("vertex_bias"):
		vertex = func(*Ctx, uint32) uint64 { panic(notForCPU) }
	}
	switch {
	case k.Bound != 0:
		bound = func(c *Ctx) uint64 { return uint64(h.call(k.Bound, c, graph.NoEdge, graph.None)) }
	case given.Bound != nil:
		bound = func(c *Ctx) uint64 { return fits(c, given.Bound(c)) }
	case h.names.Has("bound"):
		bound = func(*Ctx) uint64 { panic(notForCPU) }
	}
	return edge, vertex, bound
}

// vertices returns the hooks that return a vertex of the graph, selected as biases does.
func (h *runHooks) vertices() (next func(*Ctx) uint32, update func(*Ctx, uint64, uint32) uint32) {
	given, k := h.given, h.kernels
	switch {
	case k.Next != 0:
		next = func(c *Ctx) uint32 { return h.validVertex(c, h.call(k.Next, c, graph.NoEdge, graph.None)) }
	case given.Next != nil:
		next = func(c *Ctx) uint32 { return h.validVertex(c, given.Next(c)) }
	case h.names.Has("next"):
		next = func(*Ctx) uint32 { panic(notForCPU) }
	}
	switch {
	case k.Update != 0:
		update = func(c *Ctx, e uint64, dst uint32) uint32 { return h.validVertex(c, h.call(k.Update, c, e, dst)) }
	case given.Update != nil:
		update = func(c *Ctx, e uint64, dst uint32) uint32 { return h.validVertex(c, given.Update(c, e, dst)) }
	case h.names.Has("update"):
		update = func(*Ctx, uint64, uint32) uint32 { panic(notForCPU) }
	}
	return next, update
}

// validVertex checks the vertex v that a hook returned. It returns v, or graph.None after noting a fault: v is not a vertex,
// or the app is strict and v is not a neighbour of the transit.
func (h *runHooks) validVertex(c *Ctx, v uint32) uint32 {
	switch {
	case v == graph.None:
		return v
	case uint64(v) >= h.state.Run.Vertices:
		h.state.Note(c.Sample, c.Step, hook.NotAVertex)
	case h.strict && c.Transit != graph.None && !c.Graph.HasEdge(c.Transit, v):
		h.state.Note(c.Sample, c.Step, hook.NotANeighbor)
	default:
		return v
	}
	return graph.None
}

// others returns the hooks that return a number of picks or a boolean, selected as biases does.
func (h *runHooks) others() (fanout func(*Ctx) int, stop func(*Ctx) bool) {
	given, k := h.given, h.kernels
	switch {
	case k.Fanout != 0:
		fanout = func(c *Ctx) int { return int(h.call(k.Fanout, c, graph.NoEdge, graph.None)) }
	case given.Fanout != nil:
		fanout = given.Fanout
	case h.names.Has("sample_size"):
		fanout = func(*Ctx) int { panic(notForCPU) }
	}
	switch {
	case k.Stop != 0:
		stop = func(c *Ctx) bool { return h.call(k.Stop, c, graph.NoEdge, graph.None) != 0 }
	case given.Stop != nil:
		stop = given.Stop
	case h.names.Has("stop"):
		stop = func(*Ctx) bool { panic(notForCPU) }
	}
	return fanout, stop
}
