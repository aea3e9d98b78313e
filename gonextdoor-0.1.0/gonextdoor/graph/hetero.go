package graph

import (
	"fmt"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// Hetero is a heterogeneous graph: its vertices and edges have types, and each relation between two types is a Graph.
type Hetero struct {
	Counts    []int // vertices of each type
	Relations []Relation
	Times     [][]int64 // times of the vertices of each type; nil, or nil for a type, if they have none
	Types     []string  // names of the types, for error messages; nil if there is only one type
}

// Relation holds the edges of one type. Row v of Graph lists the edges that lead to vertex v of type Destination; their end
// points have type Source. The graph is square: it has as many rows as the larger type has vertices.
type Relation struct {
	Graph               *Graph
	Destination, Source int
	Name                string // for error messages
}

// Homogeneous returns g as a Hetero of one vertex type and one relation.
func Homogeneous(g *Graph) *Hetero {
	return &Hetero{Counts: []int{g.NumVertices()}, Relations: []Relation{{Graph: g}}}
}

// OfType returns the name of the part of an argument for a vertex type, for error messages.
func (h *Hetero) OfType(argument string, t int) string {
	if h.Types == nil {
		return argument
	}
	return fmt.Sprintf("%s['%s']", argument, h.Types[t])
}

// OfRelation returns the name of the part of an argument for a relation, for error messages.
func (h *Hetero) OfRelation(argument string, r int) string {
	if h.Types == nil {
		return argument
	}
	return fmt.Sprintf("%s[%s]", argument, h.Relations[r].Name)
}

// EdgeTime returns the time of the edge of relation r at a position: the time of the edge, or else that of its end point.
// Timed must be true.
func (h *Hetero) EdgeTime(r int, position uint64) int64 {
	rel := h.Relations[r]
	if rel.Graph.Times != nil {
		return rel.Graph.Times[position]
	}
	return h.Times[rel.Source][rel.Graph.Indices[position]]
}

// Timed reports whether the edges of relation r have times, or else their end points.
func (h *Hetero) Timed(r int) bool {
	rel := h.Relations[r]
	return rel.Graph.Times != nil || h.Times != nil && h.Times[rel.Source] != nil
}

// Check returns an error if rows or end points of a relation are not vertices of their types, or if an array of times has the
// wrong length. It validates all graphs.
func (h *Hetero) Check(opts Options) error {
	return h.Blame(parallel.Do(1, func(int) error { return h.check(opts) })) // Do turns a fault in a mapped file into an error
}

// Blame calls Graph.Blame for the graphs of all relations.
func (h *Hetero) Blame(err error) error {
	for _, r := range h.Relations {
		if bad := r.Graph.Blame(err); bad != err {
			return bad
		}
	}
	return err
}

// check is Check for graphs whose files do not change.
func (h *Hetero) check(opts Options) error {
	for t, times := range h.Times {
		if times != nil && len(times) != h.Counts[t] {
			return refuse.Value("%s has %d elements: expected %d, one per vertex", h.OfType("times", t), len(times), h.Counts[t])
		}
	}
	for i, r := range h.Relations {
		if err := r.Graph.ValidateWith(opts); err != nil {
			return err
		}
		name, v := h.OfRelation("relations", i), r.Graph.NumVertices()
		if need := max(h.Counts[r.Destination], h.Counts[r.Source]); v < need {
			return refuse.Value("%s: the graph has %d vertices, expected at least %d, the size of its larger vertex type", name, v, need)
		}
		if first := r.Graph.Indptr[h.Counts[r.Destination]]; first < uint64(r.Graph.NumEdges()) {
			return refuse.Value("%s: vertex %d has edges, expected none after row %d: %s has %d vertices", name,
				r.Graph.Source(first), h.Counts[r.Destination]-1, h.OfType("num_vertices", r.Destination), h.Counts[r.Destination])
		}
		if v == h.Counts[r.Source] {
			continue
		}
		if err := r.ends(name, h.Counts[r.Source], opts); err != nil {
			return err
		}
	}
	return nil
}

// ends returns an error if an end point is not below n.
func (r Relation) ends(name string, n int, opts Options) error {
	return parallel.For(opts.Job, opts.Threads, r.Graph.NumEdges(), 1<<20, func(lo, hi int) error {
		for p, v := range r.Graph.Indices[lo:hi] {
			if int(v) >= n {
				return refuse.Value("%s: edge %d ends at vertex %d, expected at most %d", name, r.Graph.EdgeID(uint64(lo+p)), v, n-1)
			}
		}
		return nil
	})
}

// Validate calls Graph.Validate for all relations.
func (h *Hetero) Validate(j *job.Job) error {
	for _, r := range h.Relations {
		if err := r.Graph.ValidateWith(Options{Job: j}); err != nil {
			return err
		}
	}
	return nil
}
