package gonextdoor

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

// wideScratch is the memory that Wide samples into before it widens: large enough for all threads, small beside the
// result.
const wideScratch = 32 << 20

// Wide is Matrix with vertices of 64 bits, -1 where a sample has none. Engines know 32 bits alone, so it runs them over
// ranges of rows into a scratch and widens that.
func (s *Sampler) Wide(b plan.Batch, vertices, edges []int64, j *job.Job) error {
	width := s.Plan.Width
	if err := s.fits(b, width, len(vertices), edges); err != nil {
		return err
	}
	rows := b.Roots.Samples()
	if rows == 0 || width == 0 {
		return nil
	}
	piece := min(rows, max(1, wideScratch/(4*width)))
	b, err := s.rootsOnHost(b, j)
	if err != nil {
		return err
	}
	p, fault, err := s.begin(b, j)
	if err != nil {
		return err
	}
	block, err := offheap.Results.Lend(int64(4 * piece * width))
	if err != nil {
		return err
	}
	defer offheap.Results.Return(uintptr(block))
	narrow := unsafe.Slice((*uint32)(block), piece*width)
	roots := make([]uint32, piece*b.Roots.Width)
	for lo := 0; lo < rows; lo += piece {
		hi := min(lo+piece, rows)
		part := b
		part.Roots = rootsOf(b.Roots, lo, hi, roots)
		part.First += uint64(lo)
		out := output.Matrix{Vertices: narrow[:(hi-lo)*width], Width: width, Roots: b.Roots.Width}
		if b.Edges {
			wide := width - b.Roots.Width
			out.Edges = edges[lo*wide : hi*wide]
		}
		if err := s.Engine.Matrix(p, s.Graph, part, out, j); err != nil {
			return s.Graph.Blame(err)
		}
		if err := fault(); err != nil { // of the lowest sample: later parts have only higher ones
			return err
		}
		if err := widen(out.Vertices, vertices[lo*width:hi*width], b.Threads); err != nil {
			return err
		}
	}
	return nil
}

// rootsOf gives the roots of rows [lo, hi), one for each row, in the memory of scratch.
func rootsOf(r plan.Roots, lo, hi int, scratch []uint32) plan.Roots {
	scratch = scratch[:(hi-lo)*r.Width]
	for i := range hi - lo {
		at := scratch[i*r.Width:][:r.Width]
		copy(at, r.Of(lo+i, at))
	}
	return plan.Roots{Vertices: scratch, Count: hi - lo, Width: r.Width, Repeat: 1}
}

// widen copies vertices into 64 bits.
func widen(from []uint32, to []int64, threads int) error {
	return parallel.For(nil, threads, len(from), 1<<16, func(lo, hi int) error {
		for i, v := range from[lo:hi] {
			to[lo+i] = wideVertex(v)
		}
		return nil
	})
}

func wideVertex(v uint32) int64 {
	if v == graph.None {
		return -1
	}
	return int64(v)
}
