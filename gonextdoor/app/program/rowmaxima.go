package program

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/refuse"
)

// The sizes of one call of RowBias for the maxima of rows.
const (
	maximaRows  = 256  // parts of rows
	maximaEdges = 4096 // edges of all parts
)

// readByChoices is the set of columns that differ between choices of one transit.
const readByChoices = hook.Prev | hook.PrevEdge | hook.Slot | hook.Size | hook.Key | hook.Words | hook.Sample

// RowBiases computes the biases of the edges of a graph outside of samples. Threads may share it.
type RowBiases struct {
	graph *graph.Graph
	app   *Custom
}

// BeginRows prepares the compiled EdgeBias of an app, which must read only the transit, the edge, the end point, and the tables
// of g.
func BeginRows(a *Custom, g *graph.Graph, options graph.Options) (*RowBiases, error) {
	switch {
	case a.Kernels.RowBias == 0:
		return nil, refuse.Value("kernels: the maxima of rows need a compiled edge_bias")
	case a.Reads.Has(readByChoices):
		return nil, refuse.Value("reads: the maxima of rows need an edge_bias that reads only the transit and its edges")
	}
	if err := checkTimes(a, g); err != nil {
		return nil, err
	}
	state, err := hook.NewState(g, 0, a.tables(), options)
	if err != nil {
		return nil, err
	}
	return &RowBiases{g, a.with(state)}, nil
}

// Faulty reports whether the hook has an error for an edge.
func (r *RowBiases) Faulty() bool { return r.app.state.Faulty() }

// RowMaxima raises out[v-lo] to the largest bias among the edges of v, for each vertex v of [lo, hi). An edge for which the hook
// has an error has the value that the hook returned.
func (r *RowBiases) RowMaxima(lo, hi int, out []uint32) {
	m := &rowMaxima{kernel: r.app.Kernels.RowBias, lo: lo, out: out, biases: make([]uint32, maximaEdges)}
	m.block = hook.Block{
		Run: uintptr(unsafe.Pointer(&r.app.state.Run)), Row: uintptr(unsafe.Pointer(&m.row)),
		Transit: uintptr(unsafe.Pointer(&m.transit)), Edge: uintptr(unsafe.Pointer(&m.first)),
		Dst: uintptr(unsafe.Pointer(&m.count)), Out: uintptr(unsafe.Pointer(unsafe.SliceData(m.biases))),
	}
	for v := lo; v < hi; v++ {
		for first, end := r.graph.Row(uint32(v)); first < end; {
			if m.parts == maximaRows || m.edges == maximaEdges {
				m.flush()
			}
			count := min(int(end-first), maximaEdges-m.edges)
			m.transit[m.parts], m.first[m.parts], m.count[m.parts] = uint32(v), first, uint32(count)
			m.parts, m.edges, first = m.parts+1, m.edges+count, first+uint64(count)
		}
	}
	m.flush()
}

// rowMaxima collects parts of rows for calls of RowBias. It is on the heap, where compiled code may read it by its address.
type rowMaxima struct {
	kernel uint64
	block  hook.Block
	lo     int
	out    []uint32
	biases []uint32 // of the edges, part by part

	parts, edges int
	row          [maximaRows]uint64 // zeros: errors do not belong to a sample
	first        [maximaRows]uint64
	transit      [maximaRows]uint32
	count        [maximaRows]uint32
}

// flush computes the biases of the collected parts.
func (m *rowMaxima) flush() {
	if m.parts == 0 {
		return
	}
	m.block.N = int64(m.parts)
	hook.Call(m.kernel, &m.block)
	rest := m.biases
	for i, v := range m.transit[:m.parts] {
		most := &m.out[int(v)-m.lo]
		for _, bias := range rest[:m.count[i]] {
			*most = max(*most, bias)
		}
		rest = rest[m.count[i]:]
	}
	m.parts, m.edges = 0, 0
}
