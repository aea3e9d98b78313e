package neighbor

import (
	"math"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/rowaccess"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// workspace is the memory of one call. Between calls it keeps its capacity but no entries.
type workspace struct {
	edgeScratch                         // of the calling thread
	threads     []edgeScratch           // of the threads of a parallel expansion
	nodes       []nodeSet               // by type
	excluded    []exclusions            // by relation
	vertices    [plan.BlockEdges]int64  // seed nodes that are numbered together
	trees       [plan.BlockEdges]uint32 // their trees
	edgeTrees   []uint32                // the tree of each edge of an expansion, if trees are disjoint
	rowArena    rowArena                // of ChooseRows
	usage       []int                   // words that each list of the last call's arena had in use; see capacity.go
}

// edgeScratch is the memory with which one thread chooses edges.
type edgeScratch struct {
	noAVX512 bool
	choices  rowaccess.Choices
	block    nodeGroup
	drawn    []uint64 // positions that drawGroup chose
}

// nodeGroup holds the rows of the nodes of one group, plan.NodeGroup at most, which are expanded together.
type nodeGroup struct {
	keys           [plan.NodeGroup]rng.Key
	first, degrees [plan.NodeGroup]uint64 // of each row; for temporal choices, of the eligible range
	begins         [plan.NodeGroup]uint64 // edges of a row before the eligible range
	before         [plan.NodeGroup]uint64 // the sum of their biases
	ends           [plan.NodeGroup]int64  // number of edges chosen up to and including each node, unless it is written to indptr
	times          [plan.NodeGroup]int64
}

// newWorkspace returns an empty workspace.
func newWorkspace(types, relations int, noAVX512 bool) *workspace {
	w := &workspace{nodes: make([]nodeSet, types), excluded: make([]exclusions, relations)}
	w.noAVX512 = noAVX512
	return w
}

// setChoices prepares for choices along a relation, and returns the fan-out: MaxUint64 takes all edges. ends is the stream of the
// random numbers of end points, for LABOR.
func (w *workspace) setChoices(
	rel *relation, m *app.NeighborSampling, most int, ends rng.Stream, j *job.Job,
) (fanout uint64, err error) {
	c, weighted := &w.choices, app.No
	if m.Weighs(rel.graph) {
		weighted = app.Yes
	}
	if fanout = uint64(most); most < 0 {
		fanout = math.MaxUint64
	}
	if m.Labor() {
		c.SetLabor(rel.graph, ends, m.Method == app.MethodLaborPoisson, weighted, w.noAVX512)
		return fanout, nil
	}
	replace := m.Replace && most > 0
	if m.Temporal == "" || !rel.timed {
		c.Set(rel.graph, replace, weighted)
		return fanout, nil
	}
	rows, err := rel.byTime(j)
	c.SetTemporal(rel.graph, rows, replace, weighted, m.Temporal == app.TemporalLast)
	return fanout, err
}

// forThreads returns one scratch per thread, prepared for the choices of w. Each keeps its memory between calls.
func (w *workspace) forThreads(threads int) []edgeScratch {
	for len(w.threads) < threads {
		w.threads = append(w.threads, edgeScratch{})
	}
	for i := range w.threads {
		s := &w.threads[i]
		s.choices.CopyFrom(&w.choices)
		s.noAVX512 = w.noAVX512
	}
	return w.threads[:threads]
}

// free frees the memory outside of Go's heap.
func (w *workspace) free() {
	for i := range w.nodes {
		w.nodes[i].free()
	}
}
