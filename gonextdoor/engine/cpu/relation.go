package cpu

import (
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
)

// relation is what mini-batches read of one.
type relation struct {
	g                   *graph.Graph
	rows                rows
	destination, source int
	excludes            string  // the name of the argument with its edges that are left out
	ends                []int64 // the times of the ends, where its edges have none
	timed               bool    // its edges have times, or their ends
	ordering            sync.Mutex
	ordered             *index.TimeRows // nil before the first choice by time
}

func newRelation(h *graph.Hetero, r int, packed bool) (*relation, error) {
	rel := h.Relations[r]
	rows, err := newRows(rel.Graph, packed && index.CanPack(rel.Graph))
	x := &relation{
		g: rel.Graph, rows: rows, destination: rel.Destination, source: rel.Source,
		excludes: h.OfRelation("exclude", r), timed: h.Timed(r),
	}
	if x.timed && rel.Graph.Times == nil {
		x.ends = h.Times[rel.Source]
	}
	return x, err
}

// byTime gives the rows in order of time, which are made at the first call.
func (x *relation) byTime(j *job.Job) (*index.TimeRows, error) {
	x.ordering.Lock()
	defer x.ordering.Unlock()
	if x.ordered == nil {
		rows, err := index.BuildTimeRows(x.g, x.ends, graph.Options{Job: j})
		if err != nil {
			return nil, err
		}
		x.ordered = &rows
	}
	return x.ordered, nil
}

func (x *relation) free() {
	if x.ordered != nil {
		x.ordered.Free()
		x.ordered = nil
	}
}

// endings are the ends and the ids of the edges that positions mean.
type endings struct {
	indices *uint32
	ids     edgeIDs
}

func endingsOf(x *relation, dated *index.TimeRows) endings {
	if dated != nil {
		return endings{unsafe.SliceData(dated.Indices), edgeIDs{dated.EdgeIDs, dated.EdgeIDs64}}
	}
	return endings{unsafe.SliceData(x.g.Indices), edgeIDs{x.g.EdgeIDs, x.g.EdgeIDs64}}
}
