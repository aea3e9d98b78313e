package apps

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// MVS is minimal variance sampling (Cong et al., KDD'20). A batch of vertices is drawn without replacement, in proportion to
// their scores, and expanded hop by hop with uniform fan-outs. With independent draws, the variance of the gradient of a
// mini-batch is least if the score of a vertex is the norm of its gradient.
//
// The batch is the first step of a sample, hop i is step i+1. A vertex with fewer edges than the fan-out takes all of them.
// The sample ends when a hop is empty.
type MVS struct {
	rootless
	Batch   int         `json:"batch"`   // vertices per batch, 1 to 2^28
	Fanouts []int       `json:"fanouts"` // edges that each vertex of a hop takes, at least 1, or All
	Scores  *app.Scores `json:"scores"`  // nil: uniform

	batch index.Candidates // the vertices of the graph, after Bind
}

// Name is "MVS".
func (a *MVS) Name() string { return "MVS" }

// Check returns an error if Batch or a fan-out is out of range.
func (a *MVS) Check() error {
	for i, f := range a.Fanouts {
		if f < 1 && f != app.All {
			return refuse.Value("fanouts[%d] = %d: expected at least 1, or -1 for all", i, f)
		}
	}
	return checkDraws("batch", a.Batch)
}

// Records is false.
func (a *MVS) Records() bool { return false }

// Expect returns the vertices of the batch, which are drawn without replacement, and of all hops.
func (a *MVS) Expect(_ int, on app.Size) app.Expected {
	level, degree := float64(a.Batch), on.Degree()
	total := level
	for _, f := range a.Fanouts {
		if f == app.All {
			level *= degree
		} else {
			level *= float64(f)
		}
		total, degree = total+level, on.Neighbor()
	}
	return app.Expected{Vertices: total, Operations: total + drawOperations*float64(a.Batch)}
}

// Bind returns an error unless there is one score per vertex of g.
func (a *MVS) Bind(g *graph.Graph) (app.App, error) {
	bound, n := *a, g.NumVertices()
	bound.batch = index.Candidates{N: uint64(n)}
	if a.Scores == nil {
		return &bound, nil
	}
	if bound.batch = a.Scores.Candidates(); bound.batch.N != uint64(n) {
		return nil, refuse.Value("scores has %d elements, but the graph has %d vertices: expected one per vertex", bound.batch.N, n)
	}
	return &bound, nil
}

// Candidates returns the vertices of the graph with their scores. The app must be bound.
func (a *MVS) Candidates() index.Candidates { return a.batch }

// ScoreTable returns Scores.
func (a *MVS) ScoreTable() *app.Scores { return a.Scores }

// scored is Yes if the batch is drawn by scores.
func (a *MVS) scored() app.Weighted {
	if a.Scores == nil {
		return app.No
	}
	return app.Yes
}

// Selector is that of the batch, followed by that of the hops if it differs.
func (a *MVS) Selector() string {
	name := app.FanoutSelector(false, a.scored())
	if a.Scores == nil || len(a.Fanouts) == 0 {
		return name
	}
	return name + ", " + app.FanoutSelector(false, app.No)
}

// Sample draws the batch under DrawKey, and the edges of transit t of hop i under Stream(i+1).Key(t).
func (a *MVS) Sample(g *graph.Graph, key rng.Key, _ []uint32, row app.Row) app.Row {
	// 1. Draw the batch.
	for _, v := range app.Choices(a.batch, app.DrawKey(key), uint64(a.Batch), false, a.scored()) {
		row = row.Add(uint32(v), graph.NoEdge)
		row.Parents = append(row.Parents, -1)
	}
	row = row.OneStep()
	// 2. Expand it hop by hop.
	first := 0
	for i, f := range a.Fanouts {
		stream, end := key.Stream(uint64(i)+1), len(row.Vertices)
		for t := first; t < end && !row.Stopped(); t++ {
			u := row.Vertices[t]
			k := uint64(f)
			if f == app.All {
				k = g.Degree(u)
			}
			for _, p := range app.Choices(index.Candidates{N: g.Degree(u)}, stream.Key(uint64(t-first)), k, false, app.No) {
				position := g.Indptr[u] + p
				row = row.Add(g.Indices[position], position)
				row.Parents = append(row.Parents, int32(t))
			}
		}
		if len(row.Vertices) == end {
			break
		}
		row.Ends = append(row.Ends, int32(len(row.Vertices)))
		first = end
	}
	return row
}

// BatchSize is Batch.
func (a *MVS) BatchSize() int { return a.Batch }

// HopFanouts is Fanouts.
func (a *MVS) HopFanouts() []int { return a.Fanouts }

// Sequence counts the batch and the hops.
func (a *MVS) Sequence(int, app.Size) (app.Sequence, bool) {
	s := app.Sequence{Steps: float64(1 + len(a.Fanouts))}
	if a.Scores != nil {
		s.Kind = "scored"
	}
	return s, true
}

var _ app.BatchExpander = (*MVS)(nil)
