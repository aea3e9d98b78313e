package cpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
)

// rows finds where the rows of vertices lie: by the packed records where the graph has them, by Indptr otherwise.
type rows struct {
	records []uint64 // index.Packed's, or nil
	indptr  []uint64
	edges   uint64 // where sinks' records point
}

func newRows(g *graph.Graph, packed bool) (rows, error) {
	r := rows{indptr: g.Indptr, edges: uint64(g.NumEdges())}
	if packed {
		p, err := index.PackedOf(g)
		if err != nil {
			return r, err
		}
		r.records = p.Records
	}
	return r, nil
}

// of gives the position of v's first edge and v's degree, which is 0 for graph.None.
func (r *rows) of(v uint32) (first, degree uint64) {
	if r.records == nil {
		return r.wide(v)
	}
	record := r.records[int(int32(v))+1]
	first, degree = record>>index.PackedDegreeBits, record&index.MaxPackedDegree
	if first == r.edges { // a sink's record reads as one edge to None
		degree = 0
	}
	return first, degree
}

func (r *rows) wide(v uint32) (first, degree uint64) {
	if v == graph.None {
		return r.edges, 0
	}
	return r.indptr[v], r.indptr[v+1] - r.indptr[v]
}

// prefetch asks for what of reads.
func (r *rows) prefetch(v []uint32) {
	if r.records == nil {
		stage.PrefetchRecords(unsafe.Pointer(unsafe.SliceData(r.indptr)), v)
		return
	}
	stage.PrefetchRecords(index.Packed{Records: r.records}.Base(), v)
}
