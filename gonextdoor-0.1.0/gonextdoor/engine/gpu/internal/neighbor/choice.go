package neighbor

import (
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
)

// batchRequest has the arguments of a call, and what follows from them.
type batchRequest struct {
	from    *Sampler
	app     *app.NeighborSampling
	batches []Batch
	lists   int            // of nodes: one per type and batch
	graphs  []*graph.Graph // by relation: its graph, or the graph ordered by time if its choices are temporal
}

// newRequest returns the request of a call. It orders the graphs of temporal choices by time, unless an earlier call has. Its
// error wraps resident.ErrRoom if the graphs cannot be in the GPU's memory.
func (n *Sampler) newRequest(m *app.NeighborSampling, batches []Batch, j *job.Job) (q batchRequest, err error) {
	q = n.requestOf(m, batches)
	if err := q.checkRoom(); err != nil {
		return q, err
	}
	for r := range q.graphs {
		if q.timed(r) {
			if q.graphs[r], err = n.byTime(r, j); err != nil {
				return q, err
			}
		}
	}
	return q, nil
}

// requestOf returns a request whose graphs are those of the relations.
func (n *Sampler) requestOf(m *app.NeighborSampling, batches []Batch) batchRequest {
	q := batchRequest{n, m, batches, len(n.Graph.Counts) * len(batches), make([]*graph.Graph, len(n.Graph.Relations))}
	for r, rel := range n.Graph.Relations {
		q.graphs[r] = rel.Graph
	}
	return q
}

// byTime returns the graph of a relation ordered by time. The first call builds it; concurrent calls wait for it.
func (n *Sampler) byTime(r int, j *job.Job) (*graph.Graph, error) {
	n.ordering.Lock()
	defer n.ordering.Unlock()
	if n.ordered == nil {
		n.ordered = make([]*graph.Graph, len(n.Graph.Relations))
	}
	if n.ordered[r] == nil {
		rel := n.Graph.Relations[r]
		var times []int64
		if rel.Graph.Times == nil {
			times = n.Graph.Times[rel.Source]
		}
		g, err := index.TimeOrdered(rel.Graph, times, graph.Options{Job: j})
		if err != nil {
			return nil, err
		}
		n.ordered[r] = g
	}
	return n.ordered[r], nil
}

// timed reports whether the choices in a relation are temporal, and latest whether they take the latest edges.
func (q *batchRequest) timed(r int) bool { return q.app.Temporal != "" && q.from.Graph.Timed(r) }
func (q *batchRequest) latest(r int) bool {
	return q.app.Temporal == app.TemporalLast && q.timed(r)
}

// weighs reports whether the choices in a relation follow its weights.
func (q *batchRequest) weighs(r int) bool { return q.app.Weighs(q.from.Graph.Relations[r].Graph) }

// excluded returns the ids of the edges of a relation that all batches exclude.
func (q *batchRequest) excluded(r int) []int64 {
	if len(q.batches) == 0 || q.batches[0].SeedNodes.Excluded == nil {
		return nil
	}
	return q.batches[0].SeedNodes.Excluded[r]
}

// fanout returns the fan-out of a relation in a hop. It is -1, all edges, also if no row is longer than a large fan-out.
func (q *batchRequest) fanout(hop, r int) int {
	f := q.app.Fanouts[hop][r]
	if !q.app.Replace && f > q.drawsPerNode() && uint64(f) >= q.graphs[r].MaxDegree() {
		return -1
	}
	return f
}

// longDraws reports whether the draws of a node are stored in device memory: they depend on one another, because they must
// be distinct or some are rejected, and are too many for shared memory.
func (q *batchRequest) longDraws(hop, r int) bool {
	depends := !q.app.Replace || q.weighs(r) && len(q.excluded(r)) > 0 && !q.timed(r)
	return depends && !q.latest(r) && !q.app.Labor() && q.fanout(hop, r) > q.drawsPerNode()
}

// drawsPerNode returns the largest number of draws of a node that are stored in shared memory.
func (q *batchRequest) drawsPerNode() int {
	if t := q.from.Engine.Tuning.NeighborPicks; t > 0 {
		return t
	}
	return plan.NeighborPicks
}

// windows reports whether some batch has windows of time.
func (q *batchRequest) windows() bool {
	return slices.ContainsFunc(q.batches, func(b Batch) bool { return b.SeedNodes.Windows != nil })
}

// anyTimed reports whether the choices in some relation are temporal, and anyLong whether some step has long draws.
func (q *batchRequest) anyTimed() bool {
	for r := range q.graphs {
		if q.timed(r) {
			return true
		}
	}
	return false
}

func (q *batchRequest) anyLong() bool {
	for hop := range q.app.Fanouts {
		for r := range q.graphs {
			if q.longDraws(hop, r) {
				return true
			}
		}
	}
	return false
}

// choice is a rule by which nodes choose, for which kernels are compiled; see kernels/driver/choose.cuh.
type choice int

const (
	rowChoice   choice = iota // needs the fewest registers
	rangeChoice               // by time, by weight with excluded edges, or with long draws
	laborChoice               // by the random numbers of end points
	hostChoice                // rowChoice, of which the host reads the end points; see hostDraw
	choices
)

// images are the images of the kernels, by choice.
var images = [choices]string{"neighborsampler", "neighborranges", "neighborlabor", "hostends"}

// choice returns the rule of the request.
func (q *batchRequest) choice() choice {
	if q.app.Labor() {
		return laborChoice
	}
	for r := range q.graphs {
		if q.weighs(r) && len(q.excluded(r)) > 0 {
			return rangeChoice
		}
	}
	if q.anyTimed() || q.anyLong() {
		return rangeChoice
	}
	return rowChoice
}
