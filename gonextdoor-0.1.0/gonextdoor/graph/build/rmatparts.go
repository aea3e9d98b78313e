package build

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// Part holds consecutive rows of a graph: row i of Rows is that of vertex First+i. Edge ids are positions.
type Part struct {
	First int
	Rows  *graph.Graph // closed after the callback returns
}

// Parts builds the graph in parts of consecutive rows and passes them to f in order. Building a part takes about budget bytes
// at most, so a graph larger than memory can be written to a file. The parts together have exactly the rows of Graph. Each part
// generates all edges again and keeps those of its rows.
func (r RMAT) Parts(budget int64, f func(Part) error) error {
	if err := r.Check(); err != nil {
		return err
	}
	s := r.stream()
	bounds, err := r.bounds(s, budget)
	if err != nil {
		return err
	}
	for i, first := range bounds[:len(bounds)-1] {
		g, err := r.rows(s, first, bounds[i+1])
		if err != nil {
			return err
		}
		err = f(Part{first, g})
		g.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// partCells is the number of ranges of rows in which edges are counted to find the bounds of the parts.
const partCells = 1 << 12

// bounds returns the first vertex of each part, and the end of the last.
func (r *RMAT) bounds(s *rmatStream, budget int64) ([]int, error) {
	n := 1 << r.Scale
	shift := 0
	for n>>shift > partCells {
		shift++
	}
	arcs, err := r.countCells(s, shift)
	if err != nil {
		return nil, err
	}
	perArc := int64(4 + 4 + 4) // a neighbour, a row, and scratch memory while sorting
	if r.weighted() {
		perArc += 4
	}
	bounds, need := []int{0}, int64(0)
	for cell, c := range arcs {
		cost := int64(c)*perArc + int64(10)<<shift
		if cost > budget {
			return nil, refuse.Memory("a part of %d bytes cannot hold %d rows with %d edges: expected a budget of %d bytes or more",
				budget, 1<<shift, c, cost)
		}
		if need += cost; need > budget {
			bounds, need = append(bounds, cell<<shift), cost
		}
	}
	return append(bounds, n), nil
}

// countCells counts the arcs from each range of 2^shift vertices, including repeated ones.
func (r *RMAT) countCells(s *rmatStream, shift int) ([]uint64, error) {
	cells := (1<<r.Scale + 1<<shift - 1) >> shift
	counts := make([][]uint64, parallel.Workers(r.Threads, s.len(), graph.EdgeChunk))
	f := filter{mirror: r.Symmetric, dropLoops: true, rows: 1 << r.Scale, all: true}
	err := parallel.ForWorker(r.Job, r.Threads, s.len(), graph.EdgeChunk, func(worker, lo, hi int) error {
		if counts[worker] == nil {
			counts[worker] = make([]uint64, cells)
		}
		var a arcs
		length := hi - lo
		for ; lo < hi; lo += arcBlock {
			for _, u := range a.src[:a.read(s, &f, lo, min(lo+arcBlock, hi))] {
				counts[worker][u>>shift]++
			}
		}
		r.Job.Add(int64(length))
		return nil
	})
	total := make([]uint64, cells)
	for _, c := range counts {
		for i, x := range c {
			total[i] += x
		}
	}
	return total, err
}
