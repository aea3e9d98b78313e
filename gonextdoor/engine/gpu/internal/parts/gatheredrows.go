package parts

import (
	"math"
	"math/bits"
	"sort"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// The arrays of gathered rows.
const (
	gatherEnds = iota
	gatherIDs
	gatherBiases
	gatherAlias
	GatherSums // the sums of index.EdgeShares, up to each edge
	gatherArrays
)

// GatheredRows are those rows of a graph that samples have read, in GPU memory. A sample that reads another row is discarded,
// and made again when the row has been copied: see kernels/graph/gatheredrows.cuh. All samples of a round share the copies, as
// in C-SAW's batched multi-instance sampling. A sample needs about as many rounds as it has steps.
//
// Samples that draw single edges copy pages of edges in place of rows: see Gathers.pages.
//
// If the rows of all samples exceed the memory, samples are made in windows of fewer rows of the result. A window begins
// without any rows if it needs their memory. That never changes a sample.
type GatheredRows struct {
	*launch.Run
	spec    *Gathers
	memory  cuda.Memory
	release func() error
	bitmap  cuda.Pinned // where the host reads which rows were missed
	args    kernels.Gathered
	To      [gatherArrays]uintptr // the arrays
	sizes   [gatherArrays]int64   // see Gathers.sizes

	capacity, used int64    // edges; the first belongs to no row
	window         int      // rows of the result that are made together
	Ahead          bool     // samples may ask for rows that they do not need
	stale          bool     // there are rows that samples of earlier windows have read
	pending        []uint32 // rows of the result for later windows
}

// NewGatheredRows allocates the memory for rows: what graphs may take, and at most half of the free memory. It sets the
// addresses of the graph that kernels read. The caller calls end, after an error too.
func NewGatheredRows(r *launch.Run, to *kernels.Graph) (*GatheredRows, error) {
	spec := gathersOf(r)
	w := &GatheredRows{Run: r, spec: spec, release: func() error { return nil }, window: r.Rows, Ahead: spec.Ahead}
	n := int64(spec.count(r.Graph))
	// 1. How many edges?
	limit, free, err := resident.Budget(r.Device)
	if err != nil {
		return w, err
	}
	sizes, each := spec.sizes(r.Graph, r.Batch.Edges || r.Plan.Records)
	most, tables := max(int64(r.Graph.NumEdges()), spec.longest(r.Graph)), spec.tables(r.Graph)
	bytes := min(limit, free/2, tables+each*(most+2)+gatherArrays*partAlign)
	if t := r.Engine.Tuning.GatheredEdges; t > 0 {
		bytes = tables + each*int64(t+2) + gatherArrays*partAlign
	}
	if err := spec.room(r.Graph, bytes, each); err != nil {
		return w, err
	}
	w.sizes, w.capacity = sizes, min((bytes-tables-gatherArrays*partAlign)/each, math.MaxUint32)-1
	// 2. Allocate and lay out the arrays.
	if w.memory, w.release, err = r.Resident.Lend(bytes, r.Stream, r.Options()); err != nil {
		w.release = func() error { return nil }
		return w, err
	}
	at := w.memory.Address
	next := func(bytes int64) uintptr {
		at += uintptr(aligned(bytes))
		return at - uintptr(aligned(bytes))
	}
	w.args.Records = uint64(next(8 * n))
	to.Gathered, to.Wanted = w.args.Records, uint64(next(bitmapBytes(n)))
	fields := [gatherArrays]*uint64{&to.Indices, &to.IDs, &to.Biases, &to.Alias, new(uint64)} // the kernels get the sums apart
	for k, size := range w.sizes {
		if size > 0 {
			w.To[k] = next(size * (w.capacity + 1))
			*fields[k] = uint64(w.To[k])
		}
	}
	to.IDSize = uint64(sizes[gatherIDs])
	// 3. Begin without rows.
	if w.bitmap, err = r.Device.Pin(max(8, bitmapBytes(n))); err != nil {
		return w, err
	}
	return w, launch.First(r.Device.Fill32(uintptr(to.Indices), 0, 1, r.Stream), w.clear(uintptr(to.Wanted)))
}

// clear removes all rows, and marks none as missed.
func (w *GatheredRows) clear(wanted uintptr) error {
	w.used, w.stale = 1, false
	g, spec := w.Graph, w.spec
	n := int64(spec.count(g))
	err := w.Device.Fill32(wanted, 0, bitmapBytes(n)/4, w.Stream)
	if err != nil {
		return err
	}
	return resident.UploadBy(w.Device, w.Stream, uintptr(w.args.Records), 8*n, func(at int64, into []byte) error {
		records := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(into))), len(into)/8)
		return parallel.For(w.Job, w.Batch.Threads, len(records), plan.UploadPiece/8, func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				first, end := spec.row(g, int(at/8)+i)
				records[i] = (end-first)<<32 | math.MaxUint32
			}
			return nil
		})
	})
}

// rowList are rows of the graph to copy. Row i has the edges ends[i-1] to ends[i]-1 of all.
type rowList struct {
	rows []uint32
	ends []int64
}

// edges returns the number of edges of all rows.
func (l *rowList) edges() int64 {
	if len(l.ends) == 0 {
		return 0
	}
	return l.ends[len(l.ends)-1]
}

// missed reads which rows kernels have missed, and marks none as missed.
func (w *GatheredRows) missed(wanted uintptr) (list rowList, err error) {
	spec := w.spec
	bytes := bitmapBytes(int64(spec.count(w.Graph)))
	err = launch.First(
		w.Device.CopyOut(w.bitmap.Pointer, wanted, bytes, w.Stream), w.Device.Fill32(wanted, 0, bytes/4, w.Stream),
		w.Stream.Synchronize(),
	)
	if err != nil {
		return list, err
	}
	total := int64(0)
	for i, word := range unsafe.Slice((*uint64)(w.bitmap.Pointer), bytes/8) {
		for ; word != 0; word &= word - 1 {
			v := 64*i + bits.TrailingZeros64(word)
			first, end := spec.row(w.Graph, v)
			total += int64(end - first)
			list.rows, list.ends = append(list.rows, uint32(v)), append(list.ends, total)
		}
	}
	return list, nil
}

// add copies rows after those that are there.
func (w *GatheredRows) add(list rowList) error {
	g := w.Graph
	// 1. The arrays.
	sources := [gatherArrays]unsafe.Pointer{
		gatherEnds: pointerTo(g.Base().Indices), gatherIDs: pointerTo(g.EdgeIDs), gatherBiases: pointerTo(g.Biases),
	}
	if w.spec.alias {
		sources[gatherAlias] = pointerTo(index.AliasOf(g))
	}
	if g.EdgeIDs64 != nil {
		sources[gatherIDs] = pointerTo(g.EdgeIDs64)
	}
	if w.spec.Shares {
		shares, err := index.EdgeShares(g, w.Options())
		if err != nil {
			return err
		}
		sources[GatherSums] = pointerTo(shares.Sums[1:])
	}
	for k, size := range w.sizes {
		if size == 0 {
			continue
		}
		write := func(at int64, into []byte) error { return list.copyArray(w.Run, sources[k], size, at, into) }
		if err := resident.UploadBy(w.Device, w.Stream, w.To[k]+uintptr(size*w.used), size*list.edges(), write); err != nil {
			return err
		}
	}
	// 2. Where they begin.
	rows, begin := make([]uint64, len(list.rows)), w.used
	for i, v := range list.rows {
		rows[i] = uint64(v)<<32 | uint64(begin)
		begin = w.used + list.ends[i]
	}
	w.used = begin
	a, s := w.args, launch.Scratch{Device: w.Device, Stream: w.Stream}
	a.Count = uint64(len(rows))
	err := launch.Put(&s, &a.Rows, rows)
	if err == nil {
		k := launch.Kernel{Name: "layered_rows"}
		err = w.Launcher.Threads(k, int64(len(rows)), &a)
	}
	return launch.First(err, s.Free())
}

// copyArray copies the bytes from number `at` on of the rows' elements, which are in an array of the host with `size` bytes per
// edge. Without an array, the elements are the positions of the edges.
func (l *rowList) copyArray(r *launch.Run, from unsafe.Pointer, size, at int64, into []byte) error {
	return parallel.For(r.Job, r.Batch.Threads, len(into), plan.UploadPiece, func(lo, hi int) error {
		pos, end := at+int64(lo), at+int64(hi)
		i := sort.Search(len(l.rows), func(i int) bool { return l.ends[i]*size > pos })
		for ; pos < end; i++ {
			begin := int64(0)
			if i > 0 {
				begin = l.ends[i-1]
			}
			row, _ := gathersOf(r).row(r.Graph, int(l.rows[i]))
			first := int64(row) + pos/size - begin // sizes divide pieces
			some := into[pos-at : min(l.ends[i]*size, end)-at]
			if from == nil {
				for j := range len(some) / 8 {
					*(*uint64)(unsafe.Pointer(&some[8*j])) = uint64(first) + uint64(j)
				}
			} else {
				copy(some, unsafe.Slice((*byte)(unsafe.Add(from, first*size)), len(some)))
			}
			pos += int64(len(some))
		}
		return nil
	})
}

// Next provides for the samples of a list of rows of the result, which were not completed, and returns the list of the next
// round. to is an array for it.
func (w *GatheredRows) Next(wanted uintptr, rows int, list, to uint64) (int, uint64, error) {
	missed, err := w.missed(wanted)
	switch {
	case err != nil || len(missed.rows) == 0 && rows > 0:
		return rows, list, err
	case w.used+missed.edges() <= w.capacity+1:
		if rows > 0 {
			return rows, list, w.add(missed)
		}
	case w.stale:
		return rows, list, w.clear(wanted)
	case w.window == 1 && w.Ahead:
		w.Ahead = false
		return rows, list, w.clear(wanted)
	case w.window == 1:
		return 0, 0, refuse.Device("GPU: %w: the rows that one sample of %s reads exceed the memory for rows, %s: raise GONEXTDOOR_DEVICE_MEMORY, or use device=\"cpu\"",
			resident.ErrRoom, w.Plan.App.Name(), cuda.Size(w.memory.Bytes))
	default:
		w.window = max(1, rows/2)
		left := make([]uint32, rows)
		if err := launch.First(launch.Fetch(&w.Scratch, list, left), w.Stream.Synchronize(), w.clear(wanted)); err != nil {
			return 0, 0, err
		}
		w.pending = append(w.pending, left...)
	}
	// The next window.
	w.Ahead = w.spec.Ahead
	rows = min(w.window, len(w.pending))
	if rows == 0 {
		return 0, 0, nil
	}
	some := w.pending[len(w.pending)-rows:]
	w.pending = w.pending[:len(w.pending)-rows]
	w.stale = w.used > 1
	return rows, to, w.Device.CopyIn(uintptr(to), unsafe.Pointer(unsafe.SliceData(some)), 4*int64(rows), w.Stream)
}

// End frees the memory in stream order.
func (w *GatheredRows) End() error {
	return launch.First(w.Stream.Synchronize(), w.Device.Unpin(w.bitmap), w.release())
}
