package neighbor

import (
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/rowaccess"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
)

// relation is what mini-batches read of one relation of the graph. Concurrent calls share it.
type relation struct {
	graph               *graph.Graph
	rows                rowaccess.Rows
	destination, source int     // types
	excludeName         string  // name of the argument that lists excluded edges, for errors
	endTimes            []int64 // times of the ends of edges, if the edges have none
	timed               bool    // edges have times, or their ends

	mu       sync.Mutex      // guards timeRows
	timeRows *index.TimeRows // nil before the first temporal batch
}

// newRelation returns relation r of a graph. If packed is set, it builds the packed records of a graph that can have
// them.
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

// byTime returns the rows in order of time. The first call builds them; concurrent calls wait for it.
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

// free frees the rows in order of time.
func (x *relation) free() {
	if x.timeRows != nil {
		x.timeRows.Free()
		x.timeRows = nil
	}
}

// edgeReader reads the ends and the ids of edges by position.
type edgeReader struct {
	indices *uint32
	ids     rowaccess.EdgeIDs
}

// readerOf returns the reader of the rows in order of time, or of the graph's own rows if these are nil.
func readerOf(x *relation, rows *index.TimeRows) edgeReader {
	if rows != nil {
		return edgeReader{unsafe.SliceData(rows.Indices), rowaccess.EdgeIDs{IDs32: rows.EdgeIDs, IDs64: rows.EdgeIDs64}}
	}
	g := x.graph
	return edgeReader{unsafe.SliceData(g.Indices), rowaccess.EdgeIDs{IDs32: g.EdgeIDs, IDs64: g.EdgeIDs64}}
}
