package launch

import (
	"errors"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/transfer"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

// CopyMatrix makes samples of one width and copies them to the host, row by row. Each range of at most `each` rows is copied
// while the next one is made; ranges are smaller if the GPU's memory does not hold two.
func CopyMatrix(each int, makeRows func(lo, hi int) (*Result, error), b plan.Batch, out output.Matrix, j *job.Job) error {
	rows := b.Roots.Samples()
	var now, next *Result
	// now is the range of rows that is copied to the host; it begins at row lo. next is the range that is made meanwhile and
	// ends at row hi.
	for lo, hi := 0, 0; hi < rows || now != nil; now, lo = next, hi-next.rows() {
		var err error
		next = nil
		// 1. Submit the next range. If memory is too small, copy the present one first, or halve the range.
		if hi < rows {
			end := min(rows, hi+each)
			if next, err = makeRows(hi, end); err == nil {
				hi = end
			} else if errors.Is(err, cuda.ErrMemory) && (now != nil || each > 1) {
				if err = nil; now == nil {
					each = (min(rows, each) + 1) / 2
				}
			}
		}
		// 2. Copy the present range to the host meanwhile.
		if now != nil {
			err = First(err, now.matrixOut(out, lo, b.Threads, j), now.Free())
		}
		if err != nil {
			return First(err, next.Free())
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

// HostRows returns how many rows are copied at a time.
func HostRows(e Engine, width int) int {
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

// CopyRagged makes samples that differ in length and copies them to the host: all at once, or in ranges of rows if the GPU's
// memory is too small.
func CopyRagged(rows func(lo, hi int) (*Result, error), b plan.Batch, j *job.Job) (output.Ragged, error) {
	return inRanges(b.Roots.Samples(), rows, func(r *Result) (output.Ragged, error) {
		return r.raggedToHost(b, j)
	}, func(parts []output.Ragged) (output.Ragged, error) { return output.Join(parts, b.Edges) })
}

// inRanges makes all rows at once or, if the GPU's memory is too small, in more and more ranges of rows. out copies a range to
// the host and frees it, join joins all ranges.
func inRanges[T interface{ Return() }](
	rows int, make func(lo, hi int) (*Result, error), out func(*Result) (T, error), join func([]T) (T, error),
) (none T, err error) {
	for ranges := 1; ; ranges *= 4 {
		parts, err := inSomeRanges(ranges, rows, make, out)
		switch {
		case err == nil && ranges == 1:
			return parts[0], nil
		case err == nil:
			return join(parts)
		}
		for _, part := range parts {
			part.Return()
		}
		if !errors.Is(err, cuda.ErrMemory) || ranges >= rows {
			return none, err
		}
	}
}

// inSomeRanges makes a number of ranges, each while the one before is copied to the host. If memory is too small for both, a
// range is made afterwards. After an error it returns the ranges that were copied.
func inSomeRanges[T any](ranges, rows int, make func(lo, hi int) (*Result, error), out func(*Result) (T, error)) (parts []T, err error) {
	var now *Result
	for i := 0; i < ranges || now != nil; {
		var next *Result
		var part T
		var making, copying error
		var tasks []func()
		if i < ranges {
			tasks = append(tasks, func() { next, making = make(rows*i/ranges, rows*(i+1)/ranges) })
		}
		if now != nil {
			tasks = append(tasks, func() { part, copying = out(now) })
		}
		err = parallel.Do(len(tasks), func(task int) error {
			tasks[task]()
			return nil
		})
		if now != nil && copying == nil {
			parts = append(parts, part)
		}
		if next != nil {
			i++
		}
		if now != nil && errors.Is(making, cuda.ErrMemory) {
			making = nil // it is made in the next turn
		}
		if err = First(err, copying, making); err != nil {
			return parts, First(err, next.Free())
		}
		now = next
	}
	return parts, nil
}

// raggedToHost copies samples to the host and frees the result.
func (r *Result) raggedToHost(b plan.Batch, j *job.Job) (output.Ragged, error) {
	out, err := output.LendRagged(r.Rows, r.Total, b.Edges)
	if err == nil {
		err = r.raggedOut(out, b.Threads, j)
	}
	if err = First(err, r.Free()); err != nil {
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
		return First(
			flat(r.Offsets, len(out.Offsets), 8, unsafe.Pointer(unsafe.SliceData(out.Offsets))),
			flat(r.Vertices, len(out.Vertices), 4, unsafe.Pointer(unsafe.SliceData(out.Vertices))),
			flat(r.Edges, len(out.Edges), 8, unsafe.Pointer(unsafe.SliceData(out.Edges))),
		)
	})
}

// CopyEnds copies the last vertices at an address to the host.
func CopyEnds(r *Run, at uint64, ends []uint32) error {
	link, err := transfer.Of(r.Device)
	if err != nil {
		return err
	}
	ready, err := r.Device.NewEvent()
	if err != nil {
		return err
	}
	column := transfer.Columns{Address: uintptr(at), Rows: len(ends), Width: 1, Stride: len(ends), Size: 4}
	return First(
		ready.Record(r.Stream), link.Rows(column, unsafe.Pointer(unsafe.SliceData(ends)), 4, ready, r.Batch.Threads, r.Job),
		ready.Destroy(),
	)
}
