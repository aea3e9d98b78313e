package gpu

import (
	"errors"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/transfer"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// Matrix makes samples of one width and copies them to the host, row by row. Each range of rows is copied while the next
// one is made; ranges are smaller if the GPU's memory does not hold two.
func (e Engine) Matrix(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	rows, each := b.Roots.Samples(), e.hostRows(p.Width)
	if e.Tuning.HostRows == 0 && e.Sweeps(p, g, b) {
		each = rows // fewer if the GPU's memory is too small
	}
	var now, next *Result
	// now is the range of rows that is copied to the host; it begins at row lo. next is the range that is made meanwhile and
	// ends at row hi.
	for lo, hi := 0, 0; hi < rows || now != nil; now, lo = next, hi-next.rows() {
		var err error
		next = nil
		// 1. Submit the next range. If memory is too small, copy the present one first, or halve the range.
		if hi < rows {
			end := min(rows, hi+each)
			if next, err = e.Rows(p, g, b, hi, end, j); err == nil {
				hi = end
			} else if errors.Is(err, cuda.ErrMemory) && (now != nil || each > 1) {
				if err = nil; now == nil {
					each = (min(rows, each) + 1) / 2
				}
			}
		}
		// 2. Copy the present range to the host meanwhile.
		if now != nil {
			err = first(err, now.matrixOut(out, lo, b.Threads, j), now.Free())
		}
		if err != nil {
			return first(err, next.Free())
		}
	}
	return nil
}

// rows returns the number of rows, 0 for nil.
func (r *Result) rows() int {
	if r == nil {
		return 0
	}
	return r.Rows
}

// hostRows returns how many rows are copied at a time.
func (e Engine) hostRows(width int) int {
	if t := e.Tuning.HostRows; t > 0 {
		return t
	}
	return max(1, plan.HostBytes/(4*max(1, width)))
}

// matrixOut copies samples of one width to the host, the first one to row lo.
func (r *Result) matrixOut(out output.Matrix, lo, threads int, j *job.Job) error {
	width, behind := out.Width, out.Width-out.Roots
	vertices := transfer.Columns{Address: r.Vertices.Address, Rows: r.Rows, Width: width, Stride: r.Stride, Size: 4}
	edges := transfer.Columns{Address: r.Edges.Address, Rows: r.Rows, Width: behind, Stride: r.Stride, Size: 8}
	return r.Device.Do(func() error {
		l, err := transfer.Of(r.Device)
		if err != nil {
			return err
		}
		to := unsafe.Pointer(unsafe.SliceData(out.Vertices[lo*width:]))
		if err := l.Rows(vertices, to, 4, r.Ready, threads, j); err != nil || r.Edges.Address == 0 {
			return err
		}
		to = unsafe.Pointer(unsafe.SliceData(out.Edges[lo*behind:]))
		return l.Rows(edges, to, 8, r.Ready, threads, j)
	})
}

// Ragged makes samples that differ in length and copies them to the host: all at once, or in ranges of rows if the GPU's
// memory is too small.
func (e Engine) Ragged(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Ragged, error) {
	return inRanges(b.Roots.Samples(), func(lo, hi int) (output.Ragged, error) {
		return e.raggedRows(p, g, b, lo, hi, j)
	}, func(parts []output.Ragged) (output.Ragged, error) { return output.Join(parts, b.Edges) })
}

// inRanges makes all rows at once or, if the GPU's memory is too small, in more and more ranges of rows, which it joins.
func inRanges[T interface{ Return() }](rows int, make func(lo, hi int) (T, error), join func([]T) (T, error)) (T, error) {
	for ranges := 1; ; ranges *= 4 {
		out, err := inSomeRanges(ranges, rows, make, join)
		if err == nil || !errors.Is(err, cuda.ErrMemory) || ranges >= rows {
			return out, err
		}
	}
}

// inSomeRanges is inRanges for a number of ranges.
func inSomeRanges[T interface{ Return() }](
	ranges, rows int, make func(lo, hi int) (T, error), join func([]T) (T, error),
) (none T, err error) {
	var parts []T
	for i := range ranges {
		part, err := make(rows*i/ranges, rows*(i+1)/ranges)
		if err != nil {
			for _, part := range parts {
				part.Return()
			}
			return none, err
		}
		if ranges == 1 {
			return part, nil
		}
		parts = append(parts, part)
	}
	return join(parts)
}

// raggedRows makes the rows [lo, hi) and copies them to the host.
func (e Engine) raggedRows(p plan.Plan, g *graph.Graph, b plan.Batch, lo, hi int, j *job.Job) (output.Ragged, error) {
	r, err := e.Rows(p, g, b, lo, hi, j)
	if err != nil {
		return output.Ragged{}, err
	}
	out, err := output.LendRagged(r.Rows, r.Total, b.Edges)
	if err == nil {
		err = r.raggedOut(out, b.Threads, j)
	}
	if err = first(err, r.Free()); err != nil {
		out.Return()
		return output.Ragged{}, err
	}
	return out, nil
}

// raggedOut copies samples that differ in length to the host.
func (r *Result) raggedOut(out output.Ragged, threads int, j *job.Job) error {
	return r.Device.Do(func() error {
		l, err := transfer.Of(r.Device)
		if err != nil {
			return err
		}
		flat := func(m cuda.Memory, n, size int, to unsafe.Pointer) error {
			c := transfer.Columns{Address: m.Address, Rows: n, Width: 1, Stride: n, Size: size}
			return l.Rows(c, to, size, r.Ready, threads, j)
		}
		return first(
			flat(r.Offsets, len(out.Offsets), 8, unsafe.Pointer(unsafe.SliceData(out.Offsets))),
			flat(r.Vertices, len(out.Vertices), 4, unsafe.Pointer(unsafe.SliceData(out.Vertices))),
			flat(r.Edges, len(out.Edges), 8, unsafe.Pointer(unsafe.SliceData(out.Edges))),
		)
	})
}
