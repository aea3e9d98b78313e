package launch

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/engine/gpu/transfer"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// UploadMatrix returns samples of one width that draw makes in host memory, some rows at a time: draw writes the samples of a
// part of the batch to out. A range of rows is copied while the next one is made. The caller frees the result.
//
// Cost: about plan.HostBytes of pinned memory and of GPU memory, and as much pinned memory again if there are several ranges.
//
// Errors: those of draw; MemoryError if memory cannot be pinned; DeviceError if the GPU's memory is too small, which wraps
// cuda.ErrMemory.
func (e Engine) UploadMatrix(width int, b plan.Batch, draw func(part plan.Batch, out output.Matrix) error) (*Result, error) {
	rows := b.Roots.Samples()
	return uploadResult(e, &Result{Rows: rows, Width: width, Roots: b.Roots.Width, Stride: Stride(rows)}, b.Edges, false, func(r *Result) error {
		u := matrixUpload{Result: r, each: min(rows, HostRows(e, width))}
		err := u.begin()
		for lo := 0; lo < rows && err == nil; lo += u.each {
			n := min(u.each, rows-lo)
			out, ready := u.next(n)
			if err = ready(); err == nil {
				err = draw(b.Slice(lo, lo+n), out)
			}
			if err == nil {
				err = u.submit(lo, out)
			}
		}
		return First(err, u.end())
	})
}

// matrixUpload copies ranges of rows from pinned memory to a result. The GPU transposes them.
type matrixUpload struct {
	*Result
	each   int // the most rows of a range
	ranges []pinnedRange
	now    int         // the range that is made
	staged cuda.Memory // the rows of a range on the GPU
	link   *transfer.Link
}

// pinnedRange is a range of rows in pinned memory, and the event after its copy.
type pinnedRange struct {
	memory cuda.Pinned
	copied cuda.Event
}

// recorded returns the number of elements of a row with the ids of edges, 0 without.
func (u *matrixUpload) recorded() int {
	if u.Edges.Address == 0 {
		return 0
	}
	return u.Width - u.Roots
}

// bytes returns the bytes of some rows: the ids of edges, followed by the vertices.
func (u *matrixUpload) bytes(rows int) int64 { return int64(rows) * int64(8*u.recorded()+4*u.Width) }

// begin allocates the memory for ranges.
func (u *matrixUpload) begin() error {
	u.ranges = make([]pinnedRange, min(2, (u.Rows+max(1, u.each)-1)/max(1, u.each)))
	return u.Device.Do(func() (err error) {
		if u.link, err = transfer.Of(u.Device); err != nil || u.Rows == 0 {
			return err
		}
		for i := range u.ranges {
			one := &u.ranges[i]
			if one.memory, err = u.Device.Pin(u.bytes(u.each)); err != nil {
				return err
			}
			if one.copied, err = u.Device.NewEvent(); err != nil {
				return err
			}
		}
		u.staged, err = u.Device.Alloc(u.bytes(u.each), u.Stream)
		return err
	})
}

// next returns the memory for a range of n rows. ready waits until it is no longer read.
func (u *matrixUpload) next(n int) (out output.Matrix, ready func() error) {
	u.now = (u.now + 1) % len(u.ranges)
	at, ids := u.ranges[u.now].memory.Pointer, n*u.recorded()
	out = output.Matrix{Vertices: unsafe.Slice((*uint32)(unsafe.Add(at, 8*ids)), n*u.Width), Width: u.Width, Roots: u.Roots}
	if u.Edges.Address != 0 {
		out.Edges = unsafe.Slice((*int64)(at), ids)
	}
	return out, func() error { return u.Device.Do(u.ranges[u.now].copied.Synchronize) }
}

// submit submits the copy of a range of next to the rows of the result from row lo on.
func (u *matrixUpload) submit(lo int, out output.Matrix) error {
	n, ids := len(out.Vertices)/max(1, u.Width), len(out.Edges)
	vertices := transfer.Columns{Address: u.Vertices.Address, Rows: u.Rows, Width: u.Width, Stride: u.Stride, Size: 4}
	edges := transfer.Columns{Address: u.Edges.Address, Rows: u.Rows, Width: u.recorded(), Stride: u.Stride, Size: 8}
	return u.Device.Do(func() error {
		one := u.ranges[u.now]
		return First(
			u.Device.CopyIn(u.staged.Address, one.memory.Pointer, u.bytes(n), u.Stream), one.copied.Record(u.Stream),
			u.link.Columns(u.staged.Address, n, edges, lo, u.Stream),
			u.link.Columns(u.staged.Address+uintptr(8*ids), n, vertices, lo, u.Stream),
		)
	})
}

// end frees the memory. Pinned memory is freed when no copy reads it.
func (u *matrixUpload) end() error {
	return u.Device.Do(func() error {
		err := First(u.Device.Free(u.staged, u.Stream), u.Stream.Synchronize())
		for _, one := range u.ranges {
			err = First(err, u.Device.Unpin(one.memory))
			if one.copied != (cuda.Event{}) {
				err = First(err, one.copied.Destroy())
			}
		}
		return err
	})
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
