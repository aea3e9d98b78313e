package stage

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
)

// Tables holds the addresses of a graph's arrays for the stages. The graph must stay open. Threads may share a Tables.
//
// The graph may be a part of another one, with the complete rows of some of its vertices. Walkers.Vertex then has the numbers of
// rows, whereas edges lead to vertices, as Previous and Candidate are. The caller finds the rows of these, so Verify, and stages
// that move several steps, do not apply.
type Tables struct {
	Records unsafe.Pointer // packed record of vertex 0; nil: rows are located by Indptr
	Indptr  unsafe.Pointer
	Indices unsafe.Pointer
	Slots   unsafe.Pointer // alias table; nil: choices are unweighted
	Edges   uint64         // number of edges, which is also the position of the sentinel

	EdgeIDs
	segments segments // in which choices search
	part     bool
	degrees  []uint32 // of all vertices, of a part
	pure     bool
	assembly bool
	avx512   bool // use the AVX-512 form if there is one
}

// Options select between loops with the same results.
type Options struct {
	Weighted bool // choices are made by alias tables
	Searched bool // choices are made by a search in sums of biases
	Packed   bool
	Pure     bool // use the Go loops only
	NoAVX512 bool // do not use AVX-512

	Part    bool     // the graph is a part of another one
	Degrees []uint32 // of all vertices of that; nil: no stage reads degrees of vertices
}

// New returns the tables of a graph. For weighted choices the alias table or the sums of segments of g must exist. Packed records
// are built if necessary.
func New(g *graph.Graph, o Options) (*Tables, error) {
	t := &Tables{
		Indptr:  unsafe.Pointer(unsafe.SliceData(g.Indptr)),
		Indices: unsafe.Pointer(unsafe.SliceData(g.Indices)),
		Edges:   uint64(g.NumEdges()),
		EdgeIDs: EdgeIDs{unsafe.Pointer(unsafe.SliceData(g.EdgeIDs)), unsafe.Pointer(unsafe.SliceData(g.EdgeIDs64))},
		part:    o.Part, degrees: o.Degrees,
		pure: o.Pure, avx512: haveAssembly && hasAVX512 && !o.Pure && !o.NoAVX512,
	}
	if o.Weighted {
		t.Slots = unsafe.Pointer(unsafe.SliceData(index.AliasOf(g)))
	}
	if o.Searched {
		s := index.SegmentsNow(g)
		t.segments = segments{
			unsafe.Pointer(unsafe.SliceData(s.Totals)), unsafe.Pointer(unsafe.SliceData(s.Sums)), unsafe.Pointer(unsafe.SliceData(g.Biases)),
		}
	}
	if o.Packed {
		packed, err := index.PackedOf(g)
		if err != nil {
			return nil, err
		}
		t.Records = packed.Base()
		t.assembly = haveAssembly && !o.Pure
	}
	return t, nil
}

// row returns the first position and the degree of v's row. A vertex without edges, and graph.None, count as having one edge:
// the sentinel at position Edges, which leads to None.
func (t *Tables) row(v uint32) (first, degree uint64) {
	if t.Records != nil {
		return packedRow(t.Records, v)
	}
	return t.wideRow(v)
}

// packedRow is Tables.row by packed records.
func packedRow(records unsafe.Pointer, v uint32) (first, degree uint64) {
	record := *(*uint64)(unsafe.Add(records, int(int32(v))*8))
	return record >> index.PackedDegreeBits, record & index.MaxPackedDegree
}

// Row returns the first position and the degree of v's row. The degree may be 0.
func (t *Tables) Row(v uint32) (first, degree uint64) {
	if first, degree = t.row(v); first == t.Edges {
		degree = 0
	}
	return first, degree
}

// Degree returns the degree of the end point of an edge, 0 of graph.None.
func (t *Tables) Degree(v uint32) uint64 {
	if int(v) < len(t.degrees) {
		return uint64(t.degrees[v])
	}
	return t.rowDegree(v)
}

// rowDegree is Degree of a vertex that has a row, or of graph.None.
func (t *Tables) rowDegree(v uint32) uint64 {
	if v == graph.None {
		return 0
	}
	_, degree := t.Row(v)
	return degree
}

// wideRow is row without packed records.
func (t *Tables) wideRow(v uint32) (first, degree uint64) {
	if v != graph.None {
		first, end := t.indptr(v), t.indptr(v+1)
		if first < end {
			return first, end - first
		}
	}
	return t.Edges, 1
}

// indptr returns Indptr[v].
func (t *Tables) indptr(v uint32) uint64 { return *(*uint64)(unsafe.Add(t.Indptr, uintptr(v)*8)) }

// index returns Indices[position].
func (t *Tables) index(position uint64) uint32 {
	return *(*uint32)(unsafe.Add(t.Indices, uintptr(position)*4))
}

// slot returns the alias slot at a position.
func (t *Tables) slot(position uint64) *index.AliasSlot {
	return (*index.AliasSlot)(unsafe.Add(t.Slots, uintptr(position)*16))
}

// end returns the end point of a choice.
func (t *Tables) end(position uint64, fraction uint32) uint32 {
	if t.Slots == nil {
		return t.index(position)
	}
	if s := t.slot(position); fraction < s.Threshold {
		return s.Vertex
	} else {
		return s.AliasVertex
	}
}
