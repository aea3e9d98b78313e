package gonextdoor

import (
	"sync/atomic"

	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

// Tally adds how often each vertex stands in the batch's samples to counts, and writes the last vertex of each sample, or
// graph.None where it has none, to ends; either may be nil. It is what Visits and a look at the last vertices find in the
// samples, but the samples are never there together: walkers that are many for the graph go through it in the order of
// its vertices, where the engine is a GPU's, and otherwise samples are made and read piece by piece.
func (s *Sampler) Tally(b plan.Batch, counts []int64, ends []uint32, j *job.Job) error {
	b.Edges = false
	if e, ok := s.Engine.(gpu.Engine); ok {
		if done, err := e.Crowd(s.Plan, s.Graph, b, counts, ends, j); err != nil || done {
			return err
		}
	}
	rows, width, most := b.Roots.Samples(), max(s.Plan.Width, b.Roots.Width+plan.TallySteps), plan.TallyVertices
	if _, ok := s.Engine.(gpu.Engine); ok && ends == nil {
		most = plan.DeviceTally
	}
	each := max(1, most/max(1, width))
	b, err := s.rootsOnHost(b, j)
	if err != nil {
		return err
	}
	scratch := make([]uint32, min(rows, each)*b.Roots.Width)
	for lo := 0; lo < rows; lo += each {
		hi := min(rows, lo+each)
		piece := b
		piece.Roots, piece.First = rootsOf(b.Roots, lo, hi, scratch), b.First+uint64(lo)
		part := ends
		if ends != nil {
			part = ends[lo:hi]
		}
		if err := s.tallyPiece(piece, counts, part, j); err != nil {
			return err
		}
	}
	return nil
}

// tallyPiece makes samples and reads them through: on the card, where only visits are asked for.
func (s *Sampler) tallyPiece(b plan.Batch, counts []int64, ends []uint32, j *job.Job) error {
	if _, ok := s.Engine.(gpu.Engine); ok && ends == nil {
		if held, err := s.OnDevice(b, 4, j); err != nil || held != nil {
			return visitsOn(held, err, counts, j)
		}
	}
	switch {
	case s.Plan.Layered:
		r, err := s.Layers(b, j)
		if err != nil {
			return err
		}
		defer r.Return()
		return tally(r.Vertices, r.Offsets, counts, ends, b.Threads)
	case s.Plan.Width == 0:
		r, err := s.Ragged(b, j)
		if err != nil {
			return err
		}
		defer r.Return()
		return tally(r.Vertices, r.Offsets, counts, ends, b.Threads)
	}
	rows, width := b.Roots.Samples(), s.Plan.Width
	r, err := output.LendRagged(rows, rows*width, false)
	if err != nil {
		return err
	}
	defer r.Return()
	if err := s.Matrix(b, output.Matrix{Vertices: r.Vertices, Width: width, Roots: b.Roots.Width}, j); err != nil {
		return err
	}
	for i := range r.Offsets {
		r.Offsets[i] = int64(i * width)
	}
	return tally(r.Vertices, r.Offsets, counts, ends, b.Threads)
}

// visitsOn adds the visits of samples on a card to counts.
func visitsOn(held *DeviceSamples, err error, counts []int64, j *job.Job) error {
	if err != nil {
		return err
	}
	part := make([]int64, len(counts))
	err = held.Visits(part, j)
	for v, n := range part {
		counts[v] += n
	}
	if released := held.Release(); err == nil {
		err = released
	}
	return err
}

// tally reads samples through, of which number i is vertices[offsets[i]:offsets[i+1]] but for graph.None.
func tally(vertices []uint32, offsets []int64, counts []int64, ends []uint32, threads int) error {
	if counts != nil {
		err := parallel.For(nil, threads, len(vertices), viewPiece, func(lo, hi int) error {
			for _, v := range vertices[lo:hi] {
				if v != graph.None {
					atomic.AddInt64(&counts[v], 1)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return parallel.For(nil, threads, len(ends), viewPiece, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			ends[i] = graph.None
			for at := offsets[i+1] - 1; at >= offsets[i]; at-- {
				if vertices[at] != graph.None {
					ends[i] = vertices[at]
					break
				}
			}
		}
		return nil
	})
}
