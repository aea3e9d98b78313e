package gpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// Matrix makes samples of one width and copies them to the host, sample by sample, a piece of the rows at a time.
func (e Engine) Matrix(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	rows := b.Roots.Samples()
	for lo := 0; ; {
		hi := min(rows, lo+e.hostRows(p.Width))
		r, err := e.Rows(p, g, b, lo, hi, j)
		if err != nil {
			return err
		}
		width, edges := out.Width, out.Width-out.Roots
		err = first(
			columnsOut(r, r.Vertices, width, out.Vertices[lo*width:]),
			columnsOut(r, r.Edges, edges, out.Edges[min(len(out.Edges), lo*edges):]),
			r.Free(),
		)
		if lo = hi; err != nil || lo >= rows {
			return err
		}
	}
}

func (e Engine) hostRows(width int) int {
	if t := e.Tuning.HostRows; t > 0 {
		return t
	}
	return max(1, plan.HostBytes/(4*max(1, width)))
}

// columnsOut copies columns on the card to rows on the host.
func columnsOut[T any](r *Result, m cuda.Memory, width int, to []T) error {
	if m.Address == 0 || r.Rows == 0 {
		return nil
	}
	return r.Device.Do(func() error {
		pinned, err := r.Device.Pin(m.Bytes)
		if err != nil {
			return err
		}
		err = first(r.Device.CopyOut(pinned.Pointer, m.Address, m.Bytes, r.Stream), r.Stream.Synchronize())
		if err == nil {
			columns := unsafe.Slice((*T)(pinned.Pointer), r.Stride*width)
			for s := range width {
				for row := range r.Rows {
					to[row*width+s] = columns[s*r.Stride+row]
				}
			}
		}
		return first(err, r.Device.Unpin(pinned))
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
		err = r.Device.Do(func() error {
			return first(
				arrayOut(r, r.Offsets, out.Offsets), arrayOut(r, r.Vertices, out.Vertices), arrayOut(r, r.Edges, out.Edges),
				r.Stream.Synchronize(),
			)
		})
	}
	if err = first(err, r.Free()); err != nil {
		out.Return()
		return output.Ragged{}, err
	}
	return out, nil
}

// arrayOut starts copying an array to the host.
func arrayOut[T any](r *Result, m cuda.Memory, to []T) error {
	var one T
	return r.Device.CopyOut(unsafe.Pointer(unsafe.SliceData(to)), m.Address, int64(len(to))*int64(unsafe.Sizeof(one)), r.Stream)
}
