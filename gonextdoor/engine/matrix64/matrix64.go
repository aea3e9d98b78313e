// Package matrix64 runs plans of one width whose result has 64-bit vertices, -1 for none. Engines produce 32-bit vertices.
// The package runs them over ranges of rows, into a buffer of at most 32 MB, and converts each range on all threads.
//
// It is not under internal/ so that programs that build engines themselves can use it.
package matrix64

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

const (
	bufferBytes = 32 << 20 // 32-bit vertices of a range of rows: large enough for all threads, small compared with the result
	grain       = 1 << 16  // vertices that a thread converts at a time
)

// Fill writes a batch's samples to vertices and, if the batch asks for edges, edge ids to edges. The slices must have the
// size of the result. fault returns the error of the run so far, for example of a user's hook. Fill calls it after each
// range of rows, and returns the first error.
func Fill(e engine.Engine, p plan.Plan, g *graph.Graph, b plan.Batch, vertices, edges []int64, fault func() error, j *job.Job) error {
	rows, width := b.Roots.Samples(), p.Width
	if rows == 0 || width == 0 {
		return nil
	}
	bytes := bufferBytes
	if s, ok := e.(engine.Sweeper); ok && s.Sweeps(p, g, b) {
		bytes = plan.PartHostBytes
	}
	each := min(rows, max(1, bytes/(4*width)))
	block, err := offheap.Results.Lend(int64(4 * each * width))
	if err != nil {
		return err
	}
	defer offheap.Results.Return(uintptr(block))
	buffer := unsafe.Slice((*uint32)(block), each*width)
	for lo := 0; lo < rows; lo += each {
		hi := min(lo+each, rows)
		out := output.Matrix{Vertices: buffer[:(hi-lo)*width], Width: width, Roots: b.Roots.Width}
		if b.Edges {
			choices := width - b.Roots.Width
			out.Edges = edges[lo*choices : hi*choices]
		}
		if err := e.Matrix(p, g, b.Slice(lo, hi), out, j); err != nil {
			return err
		}
		if err := fault(); err != nil { // it is that of the lowest sample, because later ranges have higher samples
			return err
		}
		if err := convert(out.Vertices, vertices[lo*width:hi*width], b.Threads); err != nil {
			return err
		}
	}
	return nil
}

// convert is engine.Widen by some threads.
func convert(from []uint32, to []int64, threads int) error {
	return parallel.For(nil, threads, len(from), grain, func(lo, hi int) error {
		engine.Widen(from[lo:hi], to[lo:hi])
		return nil
	})
}
