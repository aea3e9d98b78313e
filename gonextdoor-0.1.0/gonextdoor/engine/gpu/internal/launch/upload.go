package launch

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

// UploadMatrix returns samples of one width that draw makes in host memory, some rows at a time: draw writes the samples of a
// part of the batch to out. The host needs memory for about plan.HostBytes of samples, twice. The caller frees the result.
//
// Errors: those of draw; DeviceError if the GPU's memory is too small, which wraps cuda.ErrMemory.
func (e Engine) UploadMatrix(width int, b plan.Batch, draw func(part plan.Batch, out output.Matrix) error) (*Result, error) {
	rows := b.Roots.Samples()
	return uploadResult(e, &Result{Rows: rows, Width: width, Roots: b.Roots.Width, Stride: Stride(rows)}, b.Edges, false, func(r *Result) error {
		each := min(rows, HostRows(e, width))
		staged, err := output.LendRagged(0, each*width, b.Edges)
		if err != nil {
			return err
		}
		defer staged.Return()
		for lo := 0; lo < rows; lo += each {
			n := min(each, rows-lo)
			out := output.Matrix{Vertices: staged.Vertices[:n*width], Width: width, Roots: b.Roots.Width}
			if b.Edges {
				out.Edges = staged.Edges[:n*(width-b.Roots.Width)]
			}
			if err := draw(b.Slice(lo, lo+n), out); err != nil {
				return err
			}
			err := r.Device.Do(func() error { return r.uploadRows(lo, out, b.Threads) })
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// uploadRows copies rows to the result, the first one to row lo, and waits until they have arrived.
func (r *Result) uploadRows(lo int, rows output.Matrix, threads int) error {
	err := uploadColumns(r, r.Vertices, lo, rows.Vertices, rows.Width, threads)
	if edges := rows.Width - rows.Roots; err == nil && rows.Edges != nil && edges > 0 {
		err = uploadColumns(r, r.Edges, lo, rows.Edges, edges, threads)
	}
	return err
}

// uploadColumns transposes rows of a number of elements each in pinned memory and copies them to the columns of an array.
func uploadColumns[T uint32 | int64](r *Result, to cuda.Memory, lo int, from []T, width, threads int) error {
	n, size := len(from)/width, int(unsafe.Sizeof(*new(T)))
	pinned, err := r.Device.Pin(int64(max(1, len(from)*size)))
	if err != nil {
		return err
	}
	columns := unsafe.Slice((*T)(pinned.Pointer), len(from))
	err = parallel.For(nil, threads, n, plan.UploadPiece/(width*size)+1, func(first, end int) error {
		for slot := range width {
			column := columns[slot*n:]
			for i := first; i < end; i++ {
				column[i] = from[i*width+slot]
			}
		}
		return nil
	})
	for slot := 0; slot < width && err == nil && n > 0; slot++ {
		at := to.Address + uintptr((slot*r.Stride+lo)*size)
		err = r.Device.CopyIn(at, unsafe.Pointer(&columns[slot*n]), int64(n*size), r.Stream)
	}
	return First(err, r.Stream.Synchronize(), r.Device.Unpin(pinned))
}

// UploadRagged returns a copy of samples that differ in length, of a batch of one number of roots each. The caller frees it.
func (e Engine) UploadRagged(roots, threads int, from output.Ragged) (*Result, error) {
	r := &Result{Rows: len(from.Offsets) - 1, Roots: roots, Total: len(from.Vertices)}
	return uploadArrays(e, r, threads, from.Edges != nil, false, raggedArrays(from))
}

// UploadLayers returns a copy of layered samples. The caller frees it.
func (e Engine) UploadLayers(roots, threads int, from output.Layers) (*Result, error) {
	links := from.LinksFrom != nil
	r := &Result{
		Rows: len(from.Offsets) - 1, Roots: roots, Total: len(from.Vertices),
		Layers: &LayerArrays{EndCount: len(from.Ends), LinkCount: len(from.Sources)},
	}
	arrays := append(raggedArrays(from.Ragged), resident.ArrayOf(from.Parents), resident.ArrayOf(from.EndsFrom), resident.ArrayOf(from.Ends))
	if links {
		arrays = append(arrays, resident.ArrayOf(from.LinksFrom), resident.ArrayOf(from.Sources), resident.ArrayOf(from.Targets),
			resident.ArrayOf(from.LinkEdges), resident.ArrayOf(from.Values))
	}
	return uploadArrays(e, r, threads, from.Edges != nil, links, arrays)
}

// raggedArrays returns the arrays of samples in the order of Result.arrays.
func raggedArrays(from output.Ragged) []resident.HostArray {
	all := []resident.HostArray{resident.ArrayOf(from.Vertices)}
	if from.Edges != nil {
		all = append(all, resident.ArrayOf(from.Edges))
	}
	return append(all, resident.ArrayOf(from.Offsets))
}

// uploadArrays copies the arrays of a result, which are in the order of Result.arrays.
func uploadArrays(e Engine, r *Result, threads int, edges, links bool, from []resident.HostArray) (*Result, error) {
	return uploadResult(e, r, edges, links, func(r *Result) error {
		return r.Device.Do(func() error {
			for i, a := range r.arrays(edges, links) {
				err := resident.Upload(r.Device, r.Stream, graph.Options{Threads: threads}, a.memory.Address, from[i])
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// uploadResult allocates the arrays of a result in the engine's stream, lets fill write them, and marks them as complete. After an
// error nothing is held.
func uploadResult(e Engine, r *Result, edges, links bool, fill func(r *Result) error) (*Result, error) {
	r.Device = e.Device
	err := e.Device.Do(func() (err error) {
		if r.Stream, err = e.WorkStream(); err != nil {
			return err
		}
		return r.allocate(edges, links)
	})
	if err == nil {
		err = fill(r)
	}
	err = e.Device.Do(func() error {
		if err == nil {
			r.Ready, err = e.Device.NewEvent()
		}
		if err == nil {
			err = r.Ready.Record(r.Stream)
		}
		if err != nil {
			_ = r.Discard()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}
