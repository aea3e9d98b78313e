// Package matrix64 runs plans of one width with 64-bit vertices as the result, -1 for none. Engines produce 32 bits, so
// it runs them over ranges of rows into a buffer and converts that.
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
	bufferBytes = 32 << 20 // 32-bit vertices of a range of rows: large enough for all threads, small beside the result
	grain       = 1 << 16  // vertices that a thread converts at a time
)

// Fill writes a batch's samples to vertices and, if the batch asks for edges, to edges. The memory must have the size of
// the result. fault reports what was wrong with the run so far, a user's hook for example; Fill calls it after each range
// of rows, and returns the first error.
func Fill(e engine.Engine, p plan.Plan, g *graph.Graph, b plan.Batch, vertices, edges []int64, fault func() error, j *job.Job) error {
	rows, width := b.Roots.Samples(), p.Width
	if rows == 0 || width == 0 {
		return nil
	}
	each := min(rows, max(1, bufferBytes/(4*width)))
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
		if err := fault(); err != nil { // the lowest sample's: later ranges have only higher ones
			return err
		}
		if err := convert(out.Vertices, vertices[lo*width:hi*width], b.Threads); err != nil {
			return err
		}
	}
	return nil
}

// convert copies vertices, with -1 for graph.None.
func convert(from []uint32, to []int64, threads int) error {
	return parallel.For(nil, threads, len(from), grain, func(lo, hi int) error {
		for i, v := range from[lo:hi] {
			to[lo+i] = int64(v)
			if v == graph.None {
				to[lo+i] = -1
			}
		}
		return nil
	})
}
