// Package rowaccess reads the rows of a graph for the CPU drivers: the positions of rows, the ids of edges, and the choice of
// edges within a row.
package rowaccess

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
)

// Rows locates the rows of vertices: by packed records (one cache line per vertex) if they are used, otherwise by Indptr. It is
// read-only, and threads may share it.
type Rows struct {
	Records []uint64 // of index.Packed, or nil
	Indptr  []uint64
	Edges   uint64 // number of edges: the position in the record of a vertex without edges
}

// NewRows returns the rows of g. If packed is set, it builds the packed records of g unless they exist.
func NewRows(g *graph.Graph, packed bool) (Rows, error) {
	r := Rows{Indptr: g.Indptr, Edges: uint64(g.NumEdges())}
	if packed {
		p, err := index.PackedOf(g)
		if err != nil {
			return r, err
		}
		r.Records = p.Records
	}
	return r, nil
}

// Of returns the position of v's first edge and v's degree. For graph.None it returns the number of edges and 0.
func (r *Rows) Of(v uint32) (first, degree uint64) {
	if r.Records == nil {
		return r.wide(v)
	}
	record := r.Records[int(int32(v))+1]
	first, degree = record>>index.PackedDegreeBits, record&index.MaxPackedDegree
	if first == r.Edges { // the record of a sink describes one edge to None
		degree = 0
	}
	return first, degree
}

// wide is Of without packed records.
func (r *Rows) wide(v uint32) (first, degree uint64) {
	if v == graph.None {
		return r.Edges, 0
	}
	return r.Indptr[v], r.Indptr[v+1] - r.Indptr[v]
}

// Prefetch prefetches the memory that Of reads for the vertices v.
func (r *Rows) Prefetch(v []uint32) {
	if r.Records == nil {
		stage.PrefetchRecords(unsafe.Pointer(unsafe.SliceData(r.Indptr)), v)
		return
	}
	stage.PrefetchRecords(index.Packed{Records: r.Records}.Base(), v)
}
