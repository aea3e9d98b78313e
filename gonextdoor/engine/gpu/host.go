package gpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/transfer"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// Matrix makes samples of one width and brings them to the host, sample by sample: while a piece of the rows is on its
// way, the next one is made.
func (e Engine) Matrix(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	rows, each := b.Roots.Samples(), e.hostRows(p.Width)
	next, err := e.Rows(p, g, b, 0, min(rows, each), j)
	for lo := 0; err == nil; {
		now, hi := next, min(rows, lo+each)
		if next = nil; hi < rows {
			next, err = e.Rows(p, g, b, hi, min(rows, hi+each), j)
		}
		err = first(err, now.matrixOut(out, lo, b.Threads, j), now.Free())
		if lo = hi; lo >= rows {
			return err
		}
	}
	if next != nil {
		err = first(err, next.Free())
	}
	return err
}

func (e Engine) hostRows(width int) int {
	if t := e.Tuning.HostRows; t > 0 {
		return t
	}
	return max(1, plan.HostBytes/(4*max(1, width)))
}

// matrixOut copies samples of one width to the host, the first of them to row lo.
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

// Ragged makes samples that differ in length and copies them to the host.
func (e Engine) Ragged(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Ragged, error) {
	r, err := e.Run(p, g, b, j)
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
