package program

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/refuse"
)

// The sizes of one call of RowBias.
const (
	partRows  = 256  // parts of rows
	partEdges = 4096 // edges of all parts
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
		return nil, refuse.Value("kernels: the biases of rows need a compiled edge_bias")
	case a.Reads.Has(readByChoices):
		return nil, refuse.Value("reads: the biases of rows need an edge_bias that reads only the transit and its edges")
	}
	if err := checkReads(a, g); err != nil {
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
	biases := make([]uint32, partEdges)
	r.compute(lo, hi, func(int) []uint32 { return biases }, func(p *rowParts) {
		rest := biases
		for i, v := range p.transit[:p.parts] {
			most := &out[int(v)-lo]
			for _, bias := range rest[:p.count[i]] {
				*most = max(*most, bias)
			}
			rest = rest[p.count[i]:]
		}
	})
}

// Biases writes the biases of the edges of the vertices of [lo, hi) to out, as RowMaxima reads them.
func (r *RowBiases) Biases(lo, hi int, out []uint32) {
	r.compute(lo, hi, func(edges int) (to []uint32) {
		to, out = out[:edges], out[edges:]
		return to
	}, func(*rowParts) {})
}

// compute computes the biases of the edges of the vertices of [lo, hi), in parts of rows. It writes those of some parts to what
// to returns for the number of their edges, and then calls done.
func (r *RowBiases) compute(lo, hi int, to func(edges int) []uint32, done func(p *rowParts)) {
	p := new(rowParts)
	p.block = hook.Block{
		Run: uintptr(unsafe.Pointer(&r.app.state.Run)), Row: uintptr(unsafe.Pointer(&p.row)),
		Transit: uintptr(unsafe.Pointer(&p.transit)), Edge: uintptr(unsafe.Pointer(&p.first)), Dst: uintptr(unsafe.Pointer(&p.count)),
	}
	flush := func() {
		if p.parts == 0 {
			return
		}
		p.block.N, p.block.Out = int64(p.parts), uintptr(unsafe.Pointer(unsafe.SliceData(to(p.edges))))
		hook.Call(r.app.Kernels.RowBias, &p.block)
		done(p)
		p.parts, p.edges = 0, 0
	}
	for v := lo; v < hi; v++ {
		for first, end := r.graph.Row(uint32(v)); first < end; {
			if p.parts == len(p.count) || p.edges == partEdges {
				flush()
			}
			count := int(min(end-first, uint64(partEdges-p.edges))) // unsigned: a row of a changed file may have 2^63 edges
			p.transit[p.parts], p.first[p.parts], p.count[p.parts] = uint32(v), first, uint32(count)
			p.parts, p.edges, first = p.parts+1, p.edges+count, first+uint64(count)
		}
	}
	flush()
}

// rowParts are the parts of rows of one call of RowBias. They are on the heap, where compiled code may read them by their
// address.
type rowParts struct {
	block        hook.Block
	parts, edges int
	row          [partRows]uint64 // zeros: errors do not belong to a sample
	first        [partRows]uint64
	transit      [partRows]uint32
	count        [partRows]uint32
}
