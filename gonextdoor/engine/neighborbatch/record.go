package neighborbatch

import (
	"reflect"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/output"
)

//go:generate go test . -run TestPythonReadsTheSameRecord -write

// Request begins the record of a call from Python. It is followed by arrays, all of 8-byte integers:
//
//	the random seed of each batch;
//	the number of seed nodes of each batch and type;
//	the number of excluded edges of each batch and relation, if Excluded is not 0;
//	the seed nodes, if SeedNodes is 0;
//	the header of each batch, which the call writes: see sections;
//	Room integers, in which the call writes arenas.
//
// The fields are those of Request in python/gonextdoor/neighbor/_record.py, which is generated.
type Request struct {
	Batches   int64 // number of batches
	Place     int64 // on the CPU the number of threads, 0 for all; on devices a bit for each
	Turn      int64 // batch i is drawn on device (Turn + i) modulo their number, in the order of the bits
	SeedNodes int64 // address of the seed nodes of all batches, by batch and type; 0: they are in the record
	Kind      int64 // bytes of a seed node, negative if signed
	Times     int64 // address of an int64 per seed node; 0: none
	Windows   int64 // address of an int64 per seed node; 0: none
	Excluded  int64 // address of int64 ids of edges, by batch and relation; 0: none
	Room      int64 // integers at the end of the record, for arenas
	Pending   int64 // devices: -1: the call may leave waiting to another, whose handle it writes here; otherwise it writes 0
}

// BatchHeader begins the header of a batch.
type BatchHeader struct {
	Arena int64 // its address in host memory, 0 if it is in the record; on a device the handle of all batches' arena
	Words int64 // length of the arena in 8-byte integers
	Host  int64 // 1 if the CPU has drawn the batch, although it may be on a device
}

// TypeHeader holds, for one type, the offsets in the arena of the nodes and of their trees (-1: none).
type TypeHeader struct{ Nodes, Trees int64 }

// RelationHeader holds the offsets in the arena of the edges of one relation in COO (EdgeIDs -1: the graph has none).
type RelationHeader struct{ Sources, Destinations, EdgeIDs int64 }

// HopHeader holds the destinations of one hop along one relation in CSC, the offsets of its arrays (EdgeIDs -1: the graph has
// none) and its edges.
type HopHeader struct{ First, Destinations, Indptr, Indices, EdgeIDs, Edges int64 }

// section is a part of a header: a struct of int64 fields, followed by a list of counts. It is repeated.
type section struct {
	fields reflect.Type
	per    []string   // dimensions whose product is the number of repetitions
	counts string     // name of the list after the fields; empty: there is no list
	extra  int        // counts beyond one per hop
	only   app.Layout // the layout that has the section; empty: both
}

// sections define a header, in order. The Python code that reads headers is generated from them.
var sections = []section{
	{fields: reflect.TypeFor[BatchHeader]()},
	{fields: reflect.TypeFor[TypeHeader](), per: []string{"types"}, counts: "New", extra: 1},
	{fields: reflect.TypeFor[RelationHeader](), per: []string{"relations"}, counts: "Edges", only: app.COO},
	{fields: reflect.TypeFor[HopHeader](), per: []string{"hops", "relations"}, only: app.CSC},
}

// headerWords returns the length of a header in 8-byte integers.
func headerWords(m *app.NeighborSampling, h *graph.Hetero) (words int) {
	size := map[string]int{"types": len(h.Counts), "relations": len(h.Relations), "hops": len(m.Fanouts)}
	for _, s := range sections {
		if s.only != "" && (s.only == app.COO) != (m.Layout == app.COO) {
			continue
		}
		n := s.fields.NumField()
		if s.counts != "" {
			n += size["hops"] + s.extra
		}
		for _, dimension := range s.per {
			n *= size[dimension]
		}
		words += n
	}
	return words
}

// header is a header that is being written.
type header struct{ rest []int64 } // the part that has not been written

// put writes a struct of int64 fields.
func put[T any](h *header, x T) {
	words := int(unsafe.Sizeof(x) / 8)
	to := h.rest[:words] // panics if the header is too short
	*(*T)(unsafe.Pointer(unsafe.SliceData(to))) = x
	h.rest = h.rest[words:]
}

// putCounts writes a list of counts.
func (h *header) putCounts(counts []int) {
	for i, n := range counts {
		h.rest[i] = int64(n)
	}
	h.rest = h.rest[len(counts):]
}

// arrayOffsets returns the offsets and lengths of a batch's arrays within its arena.
type arrayOffsets[A any] struct {
	first func(A) int64 // offset in the arena
	count func(A) int64
}

// ofSlices are the offsets of slices of an arena that begins at an address. An empty array without memory has offset 0.
func ofSlices(arena []int64) arrayOffsets[[]int64] {
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(arena)))
	return arrayOffsets[[]int64]{
		first: func(s []int64) int64 {
			if len(s) == 0 {
				return 0
			}
			return int64(uintptr(unsafe.Pointer(unsafe.SliceData(s)))-begin) / 8
		},
		count: func(s []int64) int64 { return int64(len(s)) },
	}
}

// ofSpans are the offsets of spans.
var ofSpans = arrayOffsets[output.Span]{
	first: func(s output.Span) int64 { return int64(s.First) },
	count: func(s output.Span) int64 { return int64(s.Count) },
}

// writeHeader writes the header of a batch of a graph to memory of headerWords integers.
func writeHeader[A any](to []int64, begin BatchHeader, of *graph.Hetero, b output.BatchArrays[A], at arrayOffsets[A]) {
	h := &header{to}
	idsAt := func(r int, ids A) int64 {
		if of.Relations[r].Graph.NoEdgeIDs {
			return -1
		}
		return at.first(ids)
	}
	put(h, begin)
	for t, nodes := range b.Nodes {
		x := TypeHeader{Nodes: at.first(nodes), Trees: -1}
		if b.Trees != nil {
			x.Trees = at.first(b.Trees[t])
		}
		put(h, x)
		h.putCounts(b.New[t])
	}
	for r, p := range b.Pairs {
		put(h, RelationHeader{at.first(p.Sources), at.first(p.Destinations), idsAt(r, p.EdgeIDs)})
		h.putCounts(p.Counts)
	}
	for _, hop := range b.Hops {
		for r, x := range hop {
			put(h, HopHeader{
				First: int64(x.First), Destinations: int64(x.Destinations), Indptr: at.first(x.Indptr),
				Indices: at.first(x.Indices), EdgeIDs: idsAt(r, x.EdgeIDs), Edges: at.count(x.Indices),
			})
		}
	}
}
