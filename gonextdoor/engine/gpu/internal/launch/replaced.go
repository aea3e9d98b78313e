package launch

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/transfer"
	"gonextdoor/gonextdoor/output"
)

// Replaced returns a copy of samples of one width on the same GPU, with some rows replaced: row places[k] is row k of part, which is
// in host memory. There are that many rows, at least as many as in old; places has all those after the last of old. It returns when
// all work has been submitted; s waits for it. The caller frees the result.
func Replaced(s cuda.Stream, old *Result, rows int, places []int64, part output.Matrix) (*Result, error) {
	d := old.Device
	r := &Result{Device: d, Stream: s, Rows: rows, Width: old.Width, Roots: old.Roots, Stride: Stride(rows)}
	err := d.Do(func() error {
		err := r.replace(old, places, part)
		if err == nil {
			r.Ready, err = d.NewEvent()
		}
		if err == nil {
			err = r.Ready.Record(s)
		}
		if err != nil {
			_ = old.Stream.Synchronize() // it may be writing to the memory
			_ = r.Discard()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// replace allocates the arrays and submits the copies. It is called within Device.Do.
func (r *Result) replace(old *Result, places []int64, part output.Matrix) (err error) {
	// 1. Copy the samples.
	edges := old.Edges.Address != 0
	if err := r.allocate(edges, false); err != nil {
		return err
	}
	link, err := transfer.Of(r.Device)
	if err != nil {
		return err
	}
	allocated, err := r.Device.NewEvent()
	if err != nil {
		return err
	}
	defer func() { err = First(err, allocated.Destroy()) }()
	if err := allocated.Record(r.Stream); err != nil {
		return err
	}
	theirs, ours := old.arrays(edges, false), r.arrays(edges, false)
	if err := r.copyShard(old, theirs, ours, make([]int, len(theirs)), allocated); err != nil {
		return err
	}
	// 2. Write the other rows.
	vertices := transfer.Columns{Address: r.Vertices.Address, Rows: r.Rows, Width: r.Width, Stride: r.Stride, Size: 4}
	err = link.Place(vertices, unsafe.Pointer(unsafe.SliceData(part.Vertices)), places, r.Stream)
	if err != nil || !edges {
		return err
	}
	taken := transfer.Columns{Address: r.Edges.Address, Rows: r.Rows, Width: r.Width - r.Roots, Stride: r.Stride, Size: 8}
	return link.Place(taken, unsafe.Pointer(unsafe.SliceData(part.Edges)), places, r.Stream)
}
