// Package graph holds the immutable graph that is sampled: compressed sparse rows (CSR), fixed-point biases and the
// attributes of edges, in memory of this process, of another process or of mapped files.
//
// Package build makes graphs from edges, CSR arrays and R-MAT parameters. Package index derives tables from graphs, and the
// graph caches them by their Key.
package graph

import (
	"errors"
	"sort"
	"sync"

	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

// None means "no vertex" in arrays of vertices. As an int32 it is -1.
const None = ^uint32(0)

// MaxVertices is the largest number of vertices of a graph. The two largest uint32 are not vertices; None is one of them.
const MaxVertices = 1<<32 - 2

// NoEdge means "no edge" in arrays of edge positions. As an int64 it is -1.
const NoEdge = ^uint64(0)

// Graph is a directed graph in compressed sparse rows: row u lists the out-edges of u, sorted by (neighbour, input
// position). The index of an edge in Indices is its position; users know it by its id, EdgeID(position).
//
// All arrays are outside the Go heap and never change, so that several goroutines may read a graph. Close frees them.
type Graph struct {
	Indptr  []uint64 // NumVertices+1 offsets, ascending, from 0 to NumEdges
	Indices []uint32 // the neighbour of each edge; one more element, always None, is stored after the last

	EdgeIDs   []uint32 // the index of the edge in the user's input; nil: see EdgeIDs64
	EdgeIDs64 []uint64 // the same for ids of more than 32 bits; if both are nil, the id is the position
	NoEdgeIDs bool     // the ids were not kept, see Written; callers of EdgeID check RefuseEdgeIDs first

	Biases []uint32 // fixed-point weights, see bias.go; nil: unweighted
	Scales []int16  // per vertex: weight = bias * 2^Scales[u], to within half a unit; nil with Biases
	Alias  []uint32 // the alias tables in the graph's folder, see index.AliasWords; nil: index.BuildAlias builds them
	Labels []int32  // per edge; nil: none
	Times  []int64  // per edge; nil: none

	Names Names // the names of the vertices in the input; zero: the vertex numbers

	LabelNames []string // the text that each label stands for, by its number; nil: labels are the user's integers
	TimeUnit   string   // of times that were dates, since 1970-01-01 UTC: "s", "ms", "us" or "ns"; "": the user's integers

	NextID  uint64   // the id of the next edge that is added to a version; 0: one more than the largest id
	Changed []uint64 // of a version: bit u%64 of word u/64 is set if row u is not that of the graph before; nil: no version

	Ends int // edges lead to vertices below it; 0: below NumVertices. Only a part of a graph, whose rows are local, sets it

	maxDegree uint64
	hasSinks  bool
	checked   lazy[error]              // the result of check, unless it was interrupted
	check     func(opts Options) error // of imported arrays: validates them at the first Validate; nil: valid
	closers   []func()
	closing   sync.Mutex // guards closers once the graph is built
	cache     cache
	base      *Graph // of a view: the graph whose arrays it shares; nil: not a view
	shared    *Graph // whose arrays this graph has, see NewReweighted; or nil
	origin    *Graph // of a graph made by NewReordered: the graph whose edges it has; nil: the graph itself
	mapped    mapped
}

// Names are the names of the vertices in the user's input. They are either all integers or all text.
type Names struct {
	Ints    []int64
	Text    []byte   // the concatenated names, UTF-8
	Offsets []uint64 // NumVertices+1 offsets: name v is Text[Offsets[v]:Offsets[v+1]]
}

// NumVertices returns the number of vertices, at most 2^32-2.
func (g *Graph) NumVertices() int { return len(g.Indptr) - 1 }

// NumEnds returns the number of vertices that edges may lead to: NumVertices, except in a part of a graph.
func (g *Graph) NumEnds() int {
	if g.Ends > 0 {
		return g.Ends
	}
	return g.NumVertices()
}

// NumEdges returns the number of edges.
func (g *Graph) NumEdges() int { return len(g.Indices) }

// Weighted reports whether the edges have weights.
func (g *Graph) Weighted() bool { return g.Biases != nil }

// Row returns the positions [first, end) of u's edges.
func (g *Graph) Row(u uint32) (first, end uint64) { return g.Indptr[u], g.Indptr[u+1] }

// Degree returns the number of u's edges.
func (g *Graph) Degree(u uint32) uint64 { return g.Indptr[u+1] - g.Indptr[u] }

// Source returns the vertex whose row contains the edge at a position, by binary search in Indptr.
func (g *Graph) Source(position uint64) uint32 {
	u := sort.Search(g.NumVertices(), func(u int) bool { return g.Indptr[u+1] > position })
	return uint32(u)
}

// Neighbors returns the end points of u's edges.
func (g *Graph) Neighbors(u uint32) []uint32 { return g.Indices[g.Indptr[u]:g.Indptr[u+1]] }

// EdgeID returns the id of the edge at a position.
func (g *Graph) EdgeID(position uint64) uint64 {
	switch {
	case g.EdgeIDs != nil:
		return uint64(g.EdgeIDs[position])
	case g.EdgeIDs64 != nil:
		return g.EdgeIDs64[position]
	default:
		return position
	}
}

// Written returns a view of g as a folder is to have it: with or without the ids of its edges, and with alias tables or nil.
// Validate g before.
func Written(g *Graph, ids bool, alias []uint32) *Graph {
	v := NewView(g)
	v.Biases, v.Scales, v.Alias = g.Biases, g.Scales, alias
	if !ids {
		v.EdgeIDs, v.EdgeIDs64, v.NoEdgeIDs, v.NextID = nil, nil, true, 0
	}
	return v
}

// RefuseEdgeIDs returns an error if the edges of g have no ids. what is the argument that needs them, with its value.
func (g *Graph) RefuseEdgeIDs(what string) error {
	if g.NoEdgeIDs {
		return refuse.Value("%s needs the ids of edges, but the graph was saved with edge_ids=False; save it again with edge_ids=True", what)
	}
	return nil
}

// NewView returns a graph that shares all arrays of g except Biases, Scales and Alias, which the caller sets. Indexes that do
// not depend on biases are built for g and shared. The view must be closed before g; it does not close g.
func NewView(g *Graph) *Graph {
	g = g.Base()
	return &Graph{
		Indptr: g.Indptr, Indices: g.Indices, EdgeIDs: g.EdgeIDs, EdgeIDs64: g.EdgeIDs64, NoEdgeIDs: g.NoEdgeIDs,
		Labels: g.Labels, Times: g.Times, Names: g.Names, LabelNames: g.LabelNames, TimeUnit: g.TimeUnit, Ends: g.Ends,
		NextID: g.NextID, maxDegree: g.maxDegree, hasSinks: g.hasSinks, base: g,
	}
}

// NewReweighted returns a graph that shares the same arrays as a view, but no index. It must be closed before g, which it does
// not close.
func NewReweighted(g *Graph) *Graph {
	v := NewView(g)
	v.base, v.shared = nil, v.base
	return v
}

// Base returns the graph of which g is a view, or g itself.
func (g *Graph) Base() *Graph {
	if g.base != nil {
		return g.base
	}
	return g
}

// NewReordered returns a graph that has the rows of g, and whose edges the caller sets in another order: Indices with None
// after the last element, EdgeIDs or EdgeIDs64, and other arrays per edge. The caller makes the new graph the owner of its
// arrays with Own, and closes it before g. HasEdge and other searches do not apply, because rows need not be sorted.
func NewReordered(g *Graph) *Graph {
	return &Graph{
		Indptr: g.Indptr, Ends: g.Ends, NoEdgeIDs: g.NoEdgeIDs, maxDegree: g.maxDegree, hasSinks: g.hasSinks, origin: g.Origin(),
	}
}

// Origin returns the graph of which g, or its base, is a reordered copy, or else g's base.
func (g *Graph) Origin() *Graph {
	if base := g.Base(); base.origin != nil {
		return base.origin
	}
	return g.Base()
}

// MaxDegree returns the largest number of edges in a row.
func (g *Graph) MaxDegree() uint64 { return g.maxDegree }

// HasSinks reports whether some vertex has no edge.
func (g *Graph) HasSinks() bool { return g.hasSinks }

// Validate returns an error if the arrays do not form a valid graph. For a graph of imported arrays or mapped files the first
// call reads all arrays; every other call costs only Intact.
func (g *Graph) Validate() error { return g.ValidateWith(Options{}) }

// ValidateWith is Validate with a number of threads and cancellation.
func (g *Graph) ValidateWith(opts Options) error {
	if g.check == nil {
		return nil
	}
	found, err := g.checked.get(func() (error, error) {
		err := g.check(opts)
		if errors.Is(err, refuse.ErrInterrupted) {
			return nil, err
		}
		return err, nil
	})
	if err != nil {
		return err
	}
	if found == nil {
		return g.Intact()
	}
	return found
}

// valid reports whether the arrays are known to form a valid graph.
func (g *Graph) valid() bool {
	found := g.checked.made.Load()
	return g.check == nil || found != nil && *found == nil
}

// CheckWith replaces the validation of a graph that has not been validated by f, which receives the original as scan.
func (g *Graph) CheckWith(f func(opts Options, scan func() error) error) {
	if scan := g.check; scan != nil {
		g.check = func(opts Options) error { return f(opts, func() error { return scan(opts) }) }
	}
}

// Close frees the memory of the graph and of all tables cached with it. The graph must not be used afterwards.
func (g *Graph) Close() {
	g.cache.clear()
	g.closing.Lock()
	closers := g.closers
	g.closers = nil
	g.closing.Unlock()
	for _, f := range closers {
		f()
	}
}

// Own makes g the owner of an array from offheap, which Close frees, and returns the array. It is for builders: nothing else
// may use g at the same time.
func Own[T any](g *Graph, s []T) []T {
	g.closers = append(g.closers, func() { offheap.Free(s) })
	return s
}
