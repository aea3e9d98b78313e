package build

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

// Unknown as NumVertices means the smallest number that the input allows.
const Unknown = -1

// Edges is the input of FromEdges, a graph as a list of edges: edge i leads from Sources[i] to Targets[i] and has the id i.
type Edges struct {
	Sources, Targets graph.Array // integers
	Weights          graph.Array // integers or floats; optional
	Labels, Times    graph.Array // integers; optional
	NumVertices      int         // Unknown: the largest vertex + 1
	Symmetric        bool        // add the reverse of every edge but self-loops, with its id and attributes
	Deduplicate      bool        // keep only the first of equal edges
	DropSelfLoops    bool
	Private          bool     // no other thread can write to the arrays, so the vertices need not be copied before the check
	Threads          int      // below 1: all
	Job              *job.Job // counts EdgeWork units per edge

	argument string // of the caller, whose elements 0 and 1 are Sources and Targets in errors; "": they are src and dst

	copied *bufferedStream // the vertices at the time of the check; nil: Private
}

// EdgeWork is the number of units that an edge adds to the job of FromEdges.
const EdgeWork = arrangeWork + 1

// attributes returns the arrays with one element per edge.
func (e *Edges) attributes() attributes {
	return attributes{weights: e.Weights, labels: e.Labels, times: e.Times}
}

// free frees the copies of the vertices. It implements stream, as do len and read.
func (e *Edges) free() {
	if e.copied != nil {
		e.copied.free()
	}
}

// len returns the number of edges.
func (e *Edges) len() int { return e.Sources.Len }

// read reads the ends of len(src) edges from edge lo on, which have been checked.
func (e *Edges) read(lo int, src, dst []uint32) {
	if e.copied != nil {
		e.copied.read(lo, src, dst)
		return
	}
	vertices(e.Sources, lo, src, graph.MaxVertices)
	vertices(e.Targets, lo, dst, graph.MaxVertices)
}

// FromEdges builds a graph from a list of edges, which it copies. The vertices are copied before they are checked, so that
// another thread that writes to the arrays cannot bypass the check. It is
//
//	collect the edges, and their reverses if Symmetric; sort.SliceStable by (source, target)
//
// and returns the same graph for any number of threads. The caller must Close the graph.
func FromEdges(e Edges) (*graph.Graph, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	defer e.free()
	if err := e.makeCopies(); err != nil {
		return nil, err
	}
	s, err := e.stats()
	if err != nil {
		return nil, err
	}
	if e.NumVertices == Unknown {
		e.NumVertices = s.vertices
	}
	r, err := e.rows(e.NumVertices, s)
	if err != nil {
		return nil, err
	}
	g := r.graph()
	g.NextID = uint64(e.len())
	if r.order.InOrder(g.NumEdges()) {
		r.order.Free()
		r.order = graph.EdgeOrder{}
	} else {
		setIDs(g, r.order)
	}
	if err := attach(g, e.attributes(), r.order, e.Threads, e.Job); err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

// makeCopies allocates the copies of the vertices, which stats fills.
func (e *Edges) makeCopies() (err error) {
	if e.Private {
		return nil
	}
	if err := offheap.Check(2 * 4 * int64(e.len())); err != nil {
		return err
	}
	e.copied = new(bufferedStream)
	if e.copied.src, err = offheap.Make[uint32](e.len()); err != nil {
		return err
	}
	e.copied.dst, err = offheap.Make[uint32](e.len())
	return err
}

// rows sorts the edges, unless they are sorted already.
func (e *Edges) rows(n int, s edgeStats) (r sortedRows, err error) {
	if s.sorted && !e.Symmetric && !(e.Deduplicate && s.repeats) && !(e.DropSelfLoops && s.loops) {
		r, err = e.presorted(n)
		e.Job.Add(arrangeWork * int64(e.len()))
		return r, err
	}
	a := arrangement{
		edges: e, filter: filter{mirror: e.Symmetric, dropLoops: e.DropSelfLoops, rows: n, all: true},
		merge: e.Deduplicate, order: true, targets: n, threads: e.Threads, job: e.Job,
	}
	return a.run()
}

// graph returns a graph that owns the rows. Nothing else is set.
func (r *sortedRows) graph() *graph.Graph {
	g := &graph.Graph{Indptr: r.indptr, Indices: r.indices}
	g.Indices[:len(g.Indices)+1][len(g.Indices)] = graph.None
	graph.Own(g, g.Indptr)
	graph.Own(g, g.Indices)
	return g
}

// check rejects wrong dtypes and lengths.
func (e *Edges) check() error {
	for name, a := range e.ends() {
		if !a.Given() {
			return refuse.Type("%s was not given: expected an array of vertices", name)
		}
		if err := checkIntegers(a, name); err != nil {
			return err
		}
	}
	src, dst := e.names()
	if err := checkLen(e.Targets, dst, e.len(), src); err != nil {
		return err
	}
	if e.NumVertices < Unknown || e.NumVertices > graph.MaxVertices {
		return refuse.Value("num_vertices = %d: expected from 0 to %d", e.NumVertices, graph.MaxVertices)
	}
	return e.attributes().checkShape(e.len(), src)
}

// ends iterates over the arrays of sources and targets with their names in error messages.
func (e *Edges) ends() func(func(string, graph.Array) bool) {
	src, dst := e.names()
	return func(yield func(string, graph.Array) bool) {
		_ = yield(src, e.Sources) && yield(dst, e.Targets)
	}
}

// names returns the names of the arrays in error messages.
func (e *Edges) names() (src, dst string) {
	if e.argument == "" {
		return "src", "dst"
	}
	return e.argument + "[0]", e.argument + "[1]"
}
