package growth

import (
	"gonextdoor/gonextdoor/engine/cpu/internal/rowaccess"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
)

// trace records the steps of a group of walkers, in the rows of a matrix or in memory of the group.
type trace struct {
	run      *programRun
	vertices []uint32
	edges    []uint64 // positions of the edges that were followed; nil if not recorded
	lanes    []lane
	starts   []int // copies of lanes[i].vertex, contiguous for moveToPicks
	stride   int   // vertices per sample in memory of the group
}

// lane describes one walker of the group.
type lane struct {
	sample rng.Key
	place  uint64 // number of the walker within its sample
	vertex int    // index in vertices of its first step
	edge   int    // index in edges of its first step
	end    int    // steps taken, once the walker has ended
}

// newTrace returns a trace with a number of lanes.
func newTrace(r *programRun, lanes int) trace {
	return trace{run: r, lanes: make([]lane, lanes), starts: make([]int, lanes)}
}

// begin assigns lane i to a walker that has taken no step.
func (t *trace) begin(i int, l lane) { t.lanes[i], t.starts[i] = l, l.vertex }

// offset returns the distance of a step from the first step of a lane. The steps of a sample's walkers are interleaved.
func (t *trace) offset(step int) int { return step * t.run.lanes }

// finish records the number of steps of a walker that has ended. In a matrix it fills the rest of the lane with graph.None
// and graph.NoEdge.
func (t *trace) finish(of uint32, steps int) {
	l, lanes, limit := &t.lanes[of], t.run.lanes, t.run.program.Steps
	l.end = steps
	if t.run.width == 0 {
		return
	}
	if lanes == 1 && t.edges == nil {
		rest := t.vertices[l.vertex+steps : l.vertex+limit]
		for s := range rest {
			rest[s] = graph.None
		}
		return
	}
	for s := steps; s < limit; s++ {
		t.vertices[l.vertex+s*lanes] = graph.None
		if t.edges != nil {
			t.edges[l.edge+s*lanes] = graph.NoEdge
		}
	}
}

// writeEdgeIDs replaces positions of edges by their ids. graph.NoEdge, which is -1 in results, stays.
func writeEdgeIDs(g *graph.Graph, positions []uint64) {
	rowaccess.PrefetchIDs(g, positions)
	for i, at := range positions {
		if at != graph.NoEdge {
			positions[i] = g.EdgeID(at)
		}
	}
}
