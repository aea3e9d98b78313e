package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// MVS draws a batch of vertices without replacement, in proportion to their scores, and grows their neighbourhoods
// (minimal variance sampling, Cong et al., KDD'20: for independent draws, the variance of a mini-batch's gradient is least
// if vertices are drawn in proportion to the norms of their own gradients). The batch is a sample's first step; hop i, its step i+1.
type MVS struct {
	rootless
	Batch   int     `json:"batch"`
	Fanouts []int   `json:"fanouts"` // edges that each vertex takes; All
	Scores  *Scores `json:"scores"`  // nil: all alike

	batch index.Candidates // the graph's vertices, after Bind
}

// Name is "MVS".
func (a *MVS) Name() string { return "MVS" }

// Check refuses a batch and fan-outs of none.
func (a *MVS) Check() error {
	for i, f := range a.Fanouts {
		if f < 1 && f != All {
			return refuse.Value("fanouts[%d] = %d: expected at least 1, or -1 for all", i, f)
		}
	}
	return checkDraws("batch", a.Batch)
}

// Records is false.
func (a *MVS) Records() bool { return false }

// Expect returns the batch and its hops.
func (a *MVS) Expect(_ int, on Size) Expected {
	level, degree := float64(a.Batch), on.Degree()
	total := level
	for _, f := range a.Fanouts {
		if f == All {
			level *= degree
		} else {
			level *= float64(f)
		}
		total, degree = total+level, on.Neighbor()
	}
	return same(total)
}

// Bind takes the scores, one for each vertex.
func (a *MVS) Bind(g *graph.Graph) (App, error) {
	bound, n := *a, g.NumVertices()
	bound.batch = index.Candidates{N: uint64(n)}
	if a.Scores == nil {
		return &bound, nil
	}
	if len(a.Scores.biases) != n {
		return nil, refuse.Value("scores has %d elements, but the graph has %d vertices: expected as many", len(a.Scores.biases), n)
	}
	bound.batch.Biases, bound.batch.Alias = a.Scores.biases, a.Scores.alias
	return &bound, nil
}

// Candidates gives the graph's vertices with their scores, after Bind.
func (a *MVS) Candidates() index.Candidates { return a.batch }

// scored says whether the batch is drawn by scores.
func (a *MVS) scored() Weighted {
	if a.Scores == nil {
		return No
	}
	return Yes
}

// Selector is that of the batch, and of the neighbours where not all are taken.
func (a *MVS) Selector() string {
	name := fanoutSelector(false, a.scored())
	if a.Scores == nil || len(a.Fanouts) == 0 {
		return name
	}
	return name + ", " + fanoutSelector(false, No)
}

// Sample draws the batch with the words of DrawKey, and the edges of transit t of hop i with those of Stream(i+1).Key(t).
func (a *MVS) Sample(g *graph.Graph, key rng.Key, _ []uint32, row Row) Row {
	for _, v := range choices(a.batch, DrawKey(key), uint64(a.Batch), false, a.scored()) {
		row = row.Add(uint32(v), graph.NoEdge)
		row.Parents = append(row.Parents, -1)
	}
	row = row.oneStep()
	first := 0
	for i, f := range a.Fanouts {
		stream, end := key.Stream(uint64(i)+1), len(row.Vertices)
		for t := first; t < end && !row.Stopped(); t++ {
			u := row.Vertices[t]
			k := uint64(f)
			if f == All {
				k = g.Degree(u)
			}
			for _, p := range choices(index.Candidates{N: g.Degree(u)}, stream.Key(uint64(t-first)), k, false, No) {
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
