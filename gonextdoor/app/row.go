package app

import "gonextdoor/gonextdoor/graph"

// Row is one sample. The place of a vertex is its index in Vertices.
type Row struct {
	ID       uint64 // of the sample; the caller sets it
	Root     int    // number of its first root among those of the call; the caller sets it
	Vertices []uint32
	Edges    []uint64 // positions of the edges that led to the vertices after the roots

	// Fields of layered samples only.
	Ends    []int32 // the end of each step in Vertices; the roots count as a step before the first
	Parents []int32 // for each vertex after the roots: the place from which it was reached, or -1
	Links   []Link  // recorded edges

	// Watch cancels a sample: its growth ends soon after Err returns an error, and the incomplete sample is discarded. If it
	// is nil, the sample cannot be cancelled.
	Watch interface{ Err() error }
}

// Stopped reports whether the sample has been cancelled. Long loops call it every few thousand choices.
func (r *Row) Stopped() bool { return r.Watch != nil && r.Watch.Err() != nil }

// Link is an edge between two vertices of a sample.
type Link struct {
	Source, Target int32   // places
	Position       uint64  // of the edge, or graph.NoEdge for a self-loop that normalisation adds
	Value          float64 // 1, or a normalised weight; no choice depends on it
}

// Add appends a vertex and the position of the edge that led to it. It may move the arrays, as append does.
func (r Row) Add(v uint32, position uint64) Row {
	r.Vertices, r.Edges = append(r.Vertices, v), append(r.Edges, position)
	return r
}

// Reset returns an empty row for the sample with an id. It reuses the memory of r.
func (r Row) Reset(id uint64) Row {
	return Row{id, 0, r.Vertices[:0], r.Edges[:0], r.Ends[:0], r.Parents[:0], r.Links[:0], r.Watch}
}

// OneStep ends a row without roots after its only step. An empty step is omitted.
func (r Row) OneStep() Row {
	r.Ends = append(r.Ends, 0)
	if len(r.Vertices) > 0 {
		r.Ends = append(r.Ends, int32(len(r.Vertices)))
	}
	return r
}

// Induce appends a link for every edge between two vertices of the row, place by place, each in the order of its edges. A
// vertex that occurs at several places has its links at the first.
func Induce(g *graph.Graph, row Row) Row {
	// 1. Find the first place of each vertex.
	places := map[uint32]int32{}
	for p, v := range row.Vertices {
		if _, known := places[v]; !known {
			places[v] = int32(p)
		}
	}
	// 2. Search the row of each vertex for end points in the sample.
	for p, v := range row.Vertices {
		if row.Stopped() {
			break
		}
		if places[v] != int32(p) {
			continue
		}
		first, end := g.Row(v)
		for position := first; position < end; position++ {
			if target, known := places[g.Indices[position]]; known {
				row.Links = append(row.Links, Link{int32(p), target, position, 1})
			}
		}
	}
	return row
}

// AddLayer appends the vertices as a step. No edges led to them.
func (r Row) AddLayer(vertices []uint32) Row {
	for _, v := range vertices {
		r = r.Add(v, graph.NoEdge)
		r.Parents = append(r.Parents, -1)
	}
	r.Ends = append(r.Ends, int32(len(r.Vertices)))
	return r
}
