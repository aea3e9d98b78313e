// Package graph holds the immutable graph that is sampled: compressed sparse rows, fixed-point biases, and what is
// derived from them.
package graph

import (
	"errors"
	"sort"
	"sync"

	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

// None stands for "no vertex" in arrays of vertices; as an int32 it is -1.
const None = ^uint32(0)

// MaxVertices is the most vertices that a graph can have: None and one more are no vertices.
const MaxVertices = 1<<32 - 2

// NoEdge stands for "no edge" in arrays of edge positions; as an int64 it is -1.
const NoEdge = ^uint64(0)

// Graph is a directed graph in compressed sparse rows: row u lists the out-edges of u, sorted by (neighbour, input
// position). The place of an edge in Indices is its position; users know it by its id, EdgeID(position).
//
// All arrays lie off the Go heap and never change. Close gives them back.
type Graph struct {
	Indptr  []uint64 // NumVertices+1 offsets, ascending, from 0 to NumEdges
	Indices []uint32 // the neighbour of each edge; one more element lies behind the last, always None

	EdgeIDs   []uint32 // the edge's place in the user's input; nil: EdgeIDs64
	EdgeIDs64 []uint64 // the same where an id needs more than 32 bits; nil with EdgeIDs: the position itself

	Biases []uint32 // fixed-point weights, see bias.go; nil: unweighted
	Scales []int16  // per vertex: weight = bias * 2^Scales[u], to within half a unit; nil with Biases
	Labels []int32  // per edge; nil: none
	Times  []int64  // per edge; nil: none

	Names Names // the vertices' original names; zero: the ids themselves

	maxDegree uint64
	hasSinks  bool
	checked   lazy[error]               // what check found; not there while it was stopped
	check     func(hands Options) error // for graphs mapped from a file: run once before the first access
	closers   []func()
	closing   sync.Mutex // guards closers once the graph is built
	cache     cache
	base      *Graph // of a view: the graph whose arrays it shares
	mapped    mapped
}

// Names are the vertices' names in the user's input: either all integers or all text.
type Names struct {
	Ints    []int64
	Text    []byte   // the names one behind the other, UTF-8
	Offsets []uint64 // where each begins in Text, and the end: NumVertices+1
}

// NumVertices gives the number of vertices, at most 2^32-2.
func (g *Graph) NumVertices() int { return len(g.Indptr) - 1 }

// NumEdges gives the number of edges.
func (g *Graph) NumEdges() int { return len(g.Indices) }

// Weighted says whether the edges have weights.
func (g *Graph) Weighted() bool { return g.Biases != nil }

// Row gives the positions [first, end) of u's edges.
func (g *Graph) Row(u uint32) (first, end uint64) { return g.Indptr[u], g.Indptr[u+1] }

// Degree gives the number of u's edges.
func (g *Graph) Degree(u uint32) uint64 { return g.Indptr[u+1] - g.Indptr[u] }

// Source gives the vertex whose edge lies at a position, by a search in Indptr.
func (g *Graph) Source(position uint64) uint32 {
	after := sort.Search(g.NumVertices(), func(u int) bool { return g.Indptr[u+1] > position })
	return uint32(after)
}

// Neighbors gives the end points of u's edges.
func (g *Graph) Neighbors(u uint32) []uint32 { return g.Indices[g.Indptr[u]:g.Indptr[u+1]] }

// EdgeID gives the id of the edge at a position.
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

// NewView returns a graph that shares all arrays of g except Biases and Scales, which the caller sets. Indexes that do
// not depend on biases are built for g and shared. The view must be closed before g; it does not close g.
func NewView(g *Graph) *Graph {
	g = g.Base()
	return &Graph{
		Indptr: g.Indptr, Indices: g.Indices, EdgeIDs: g.EdgeIDs, EdgeIDs64: g.EdgeIDs64,
		Labels: g.Labels, Times: g.Times, Names: g.Names,
		maxDegree: g.maxDegree, hasSinks: g.hasSinks, base: g,
	}
}

// Base returns the graph of which g is a view, or g itself.
func (g *Graph) Base() *Graph {
	if g.base != nil {
		return g.base
	}
	return g
}

// MaxDegree gives the largest number of edges in a row.
func (g *Graph) MaxDegree() uint64 { return g.maxDegree }

// HasSinks says whether a vertex has no edge.
func (g *Graph) HasSinks() bool { return g.hasSinks }

// Validate makes sure that the arrays are those of a graph. It costs nothing but for a graph mapped from a file, whose
// arrays are read through at the first call.
func (g *Graph) Validate() error { return g.ValidateWith(Options{}) }

// ValidateBy is Validate by some hands.
func (g *Graph) ValidateWith(hands Options) error {
	if g.check == nil {
		return nil
	}
	found, err := g.checked.get(func() (error, error) {
		err := g.check(hands)
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

// valid says whether the arrays are known to be those of a graph.
func (g *Graph) valid() bool {
	found := g.checked.made.Load()
	return g.check == nil || found != nil && *found == nil
}

// CheckWith has the first Validate of a graph that is not checked yet call f with the check that it would make by itself.
func (g *Graph) CheckWith(f func(hands Options, scan func() error) error) {
	if scan := g.check; scan != nil {
		g.check = func(hands Options) error { return f(hands, func() error { return scan(hands) }) }
	}
}

// Close gives the graph's memory back. Nothing may use the graph after it.
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

// owned registers an array from offheap as the graph's own.
func Own[T any](g *Graph, s []T) []T {
	g.closers = append(g.closers, func() { offheap.Free(s) })
	return s
}
