package partition

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
)

// WholeGraph describes the graph of which a part has some rows. Apps that bind to a part read these properties, so that they
// resolve to the same parameters as on the whole graph.
type WholeGraph struct {
	Vertices  int
	Edges     int
	MaxDegree uint64
	HasSinks  bool
	Weighted  bool
	Labelled  bool // the edges have labels
	Timed     bool // the edges have times
	Symmetric bool // every edge (u, v) has an edge (v, u)

	MaxScale int16  // index.MaxScale; 0 without weights
	TimeSpan uint64 // index.TimeSpan; 0 without times
	MeanGap  uint64 // index.MeanGap; 0 without times
	TimeUnit string // as graph.Graph.TimeUnit
}

// WholeOf returns the description of a graph. It reads all edges, since Symmetric does.
func WholeOf(g *graph.Graph, opts graph.Options) (w WholeGraph, err error) {
	w = WholeGraph{
		Vertices: g.NumVertices(), Edges: g.NumEdges(), MaxDegree: g.MaxDegree(), HasSinks: g.HasSinks(),
		Weighted: g.Weighted(), Labelled: g.Labels != nil, Timed: g.Times != nil, TimeUnit: g.TimeUnit,
	}
	if w.Symmetric, err = index.Symmetric(g, opts); err != nil {
		return w, err
	}
	if w.Weighted {
		if w.MaxScale, err = index.MaxScale(g, opts); err != nil {
			return w, err
		}
	}
	if w.Timed {
		if w.TimeSpan, err = index.TimeSpan(g, opts); err != nil {
			return w, err
		}
		w.MeanGap, err = index.MeanGap(g, opts)
	}
	return w, err
}
