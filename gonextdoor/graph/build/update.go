package build

import (
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// Update is the input of Updated: the edges that a new version of a graph lacks, and those that it has in addition.
type Update struct {
	Graph *graph.Graph

	// Add has the edges to add, with an array for each attribute that the graph has. Deduplicate and DropSelfLoops apply to
	// them alone. NumVertices is not read.
	Add         Edges
	NumVertices int // of the result, at least; edges that are added may need more

	// The edges to remove: by id, or by ends. Symmetric removes the reverse of each pair, too. A pair removes one edge, the
	// first in its row that no earlier pair removes.
	RemoveIDs                    graph.Array
	RemoveSources, RemoveTargets graph.Array
	Symmetric                    bool

	Since   *int64 // edges whose time is below it are removed; nil: none
	Threads int    // below 1: all
	Job     *job.Job
}

// Updated returns a new version of a graph, which shares no memory with it. It is
//
//	list the remaining edges in the order of their rows, with the weights that Weight returns, then those of Add;
//	FromEdges
//
// except for the ids of edges, and copies the rows that do not change. Remaining edges keep their ids. Those of Add have the
// ids from NextID of the graph on, in their order, so the ids of edges that were removed are not used again. If the graph has no
// ids, the result has none. The caller must Close the result.
func Updated(u Update) (*graph.Graph, error) {
	g := u.Graph
	if err := g.ValidateWith(graph.Options{Threads: u.Threads, Job: u.Job}); err != nil {
		return nil, err
	}
	m := merge{from: g, threads: u.Threads, job: u.Job}
	defer m.free()
	// 1. Sort the edges to add, and mark those to remove.
	if err := m.arrange(&u); err != nil {
		return nil, err
	}
	if err := m.drop(&u); err != nil {
		return nil, err
	}
	// 2. Merge both with the rows.
	to, err := m.run()
	if err != nil {
		return nil, err
	}
	to.Names, to.TimeUnit, to.LabelNames = clone(g.Names), g.TimeUnit, slices.Clone(g.LabelNames)
	return to, nil
}

// arrange sorts the edges to add, and copies their attributes in the order of their rows.
func (m *merge) arrange(u *Update) (err error) {
	m.rows = max(m.from.NumVertices(), u.NumVertices)
	if m.nextID, err = nextID(m.from, u.Threads, u.Job); err != nil || !u.Add.Sources.Given() {
		return err
	}
	e := u.Add
	e.NumVertices, e.Threads, e.Job, e.argument = Unknown, u.Threads, u.Job, "add"
	if err := m.checkAttributes(&e); err != nil {
		return err
	}
	defer e.free()
	if err := e.check(); err != nil {
		return err
	}
	if err := e.makeCopies(); err != nil {
		return err
	}
	s, err := e.stats()
	if err != nil {
		return err
	}
	m.rows = max(m.rows, s.vertices)
	if m.added, err = e.rows(m.rows, s); err != nil {
		return err
	}
	n, at := len(m.added.indices), m.added.order
	if e.Weights.Given() {
		if m.weights, err = copied(n, e.Weights, at, u.Threads, u.Job, dtypes[e.Weights.Dtype].floats); err != nil {
			return err
		}
	}
	if e.Labels.Given() {
		if m.labels, err = copied(n, e.Labels, at, u.Threads, u.Job, dtypes[e.Labels.Dtype].int32s); err != nil {
			return err
		}
	}
	if e.Times.Given() {
		if m.times, err = copied(n, e.Times, at, u.Threads, u.Job, dtypes[e.Times.Dtype].int64s); err != nil {
			return err
		}
	}
	m.endID = m.nextID + uint64(e.len())
	return nil
}

// checkAttributes returns an error unless edges that are added have the attributes of the graph's.
func (m *merge) checkAttributes(e *Edges) error {
	for _, x := range []struct {
		name string
		has  bool
		graph.Array
	}{{"weights", m.from.Weighted(), e.Weights}, {"labels", m.from.Labels != nil, e.Labels}, {"times", m.from.Times != nil, e.Times}} {
		if x.has && !x.Given() {
			return refuse.Value("%s was not given, but the edges of the graph have %s: pass an array with one element per edge of add", x.name, x.name)
		}
		if !x.has && x.Given() {
			return refuse.Value("%s was given, but the edges of the graph have none: leave it out, or build the graph with %s", x.name, x.name)
		}
	}
	return nil
}

// nextID returns the id of the first edge that is added to g: one more than the largest that an edge of it or of a graph of
// which it is a version had.
func nextID(g *graph.Graph, threads int, j *job.Job) (uint64, error) {
	if g.NextID > 0 {
		return g.NextID, nil
	}
	return g.EdgeIDsEnd(graph.Options{Threads: threads, Job: j})
}
