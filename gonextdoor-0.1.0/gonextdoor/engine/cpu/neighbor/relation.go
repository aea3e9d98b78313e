package neighbor

import (
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/internal/rowaccess"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
)

// relation holds the tables of one relation of the graph that mini-batches read. Concurrent calls share it.
type relation struct {
	graph               *graph.Graph
	rows                rowaccess.Rows
	destination, source int     // types
	excludeName         string  // name of the argument that lists excluded edges, for errors
	endTimes            []int64 // times of the end points of edges, if the edges have none
	timed               bool    // edges or their end points have times

	mu       sync.Mutex      // guards timeRows
	timeRows *index.TimeRows // nil before the first temporal batch
}

// newRelation returns relation r of a graph. If packed is set and the graph supports packed records, it builds them.
func newRelation(h *graph.Hetero, r int, packed bool) (*relation, error) {
	rel := h.Relations[r]
	rows, err := rowaccess.NewRows(rel.Graph, packed && index.CanPack(rel.Graph))
	x := &relation{
		graph: rel.Graph, rows: rows, destination: rel.Destination, source: rel.Source,
		excludeName: h.OfRelation("exclude", r), timed: h.Timed(r),
	}
	if x.timed && rel.Graph.Times == nil {
		x.endTimes = h.Times[rel.Source]
	}
	return x, err
}

// byTime returns the rows ordered by time. The first call builds them; concurrent calls wait for it.
func (x *relation) byTime(j *job.Job) (*index.TimeRows, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.timeRows == nil {
		rows, err := index.BuildTimeRows(x.graph, x.endTimes, graph.Options{Job: j})
		if err != nil {
			return nil, err
		}
		x.timeRows = &rows
	}
	return x.timeRows, nil
}

// free frees the rows ordered by time.
func (x *relation) free() {
	if x.timeRows != nil {
		x.timeRows.Free()
		x.timeRows = nil
	}
}

// edgeReader reads the end points and the ids of edges by position.
type edgeReader struct {
	indices *uint32
	ids     rowaccess.EdgeIDs
}

// readerOf returns the reader of the rows ordered by time, or of the graph's rows if rows is nil.
func readerOf(x *relation, rows *index.TimeRows) edgeReader {
	if rows != nil {
		return edgeReader{unsafe.SliceData(rows.Indices), rowaccess.EdgeIDs{IDs32: rows.EdgeIDs, IDs64: rows.EdgeIDs64}}
	}
	g := x.graph
	return edgeReader{unsafe.SliceData(g.Indices), rowaccess.EdgeIDs{IDs32: g.EdgeIDs, IDs64: g.EdgeIDs64}}
}
