package file

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// Rows are some consecutive rows of a graph.
type Rows struct {
	Indptr  []uint64 // one more than rows; only the differences count
	Indices []uint32 // sorted within each row
	Biases  []uint32 // nil: unweighted
	Scales  []int16  // one per row; nil with Biases
}

// Writer writes a graph folder row by row, for graphs that are larger than memory. As with Save the folder appears when
// it is complete.
type Writer struct {
	target   string
	vertices int
	to       *replacement
	files    map[string]*npyFile
	record   record
	rows     int
	job      *job.Job
	err      error // of the first call that failed
}

// NewWriter begins a folder of a graph with so many vertices. The job counts bytes.
func NewWriter(folder string, vertices int, j *job.Job) (*Writer, error) {
	if vertices < 0 || uint64(vertices) >= uint64(graph.None) {
		return nil, refuse.Value("num_vertices is %d, expected 0 to %d", vertices, graph.None-1)
	}
	r, err := startReplacement(folder)
	if err != nil {
		return nil, unsaved(folder, err)
	}
	w := &Writer{target: folder, vertices: vertices, to: r, files: map[string]*npyFile{}, job: j}
	w.record = record{Vertices: int64(vertices), Arrays: map[string]stored{}}
	if err := extend(w, "indptr", []uint64{0}); err != nil {
		w.Abandon()
		return nil, unsaved(folder, err)
	}
	return w, nil
}

// AppendRows writes the next rows. Either all rows have biases or none.
func (w *Writer) AppendRows(rows Rows) error {
	if w.err == nil {
		w.err = w.check(rows)
	}
	if w.err == nil {
		w.err = unsaved(w.target, w.append(rows))
	}
	if w.err != nil {
		w.Abandon()
	}
	return w.err
}

// check refuses rows that do not fit together or to those before, and takes account of the others.
func (w *Writer) check(rows Rows) error {
	n := len(rows.Indptr) - 1
	switch {
	case n < 0 || w.rows+n > w.vertices:
		return refuse.Value("%d rows after %d, expected %d in all", n, w.rows, w.vertices)
	case rows.Indptr[n]-rows.Indptr[0] != uint64(len(rows.Indices)):
		return refuse.Value("indptr spans %d edges, indices has %d", rows.Indptr[n]-rows.Indptr[0], len(rows.Indices))
	case rows.Biases != nil && (len(rows.Biases) != len(rows.Indices) || len(rows.Scales) != n):
		return refuse.Value("%d biases and %d scales, expected %d and %d", len(rows.Biases), len(rows.Scales), len(rows.Indices), n)
	case w.rows > 0 && n > 0 && (rows.Biases != nil) != (w.files["biases"] != nil):
		return refuse.Value("rows with and without biases in one graph")
	}
	for i := range n {
		if rows.Indptr[i+1] < rows.Indptr[i] || rows.Indptr[i+1] > rows.Indptr[n] {
			return refuse.Value("indptr decreases at row %d", w.rows+i)
		}
		row := rows.Indices[rows.Indptr[i]-rows.Indptr[0] : rows.Indptr[i+1]-rows.Indptr[0]]
		for k, v := range row {
			if int64(v) >= int64(w.vertices) || k > 0 && v < row[k-1] {
				return refuse.Value("row %d: neighbour %d is not sorted or not below %d", w.rows+i, v, w.vertices)
			}
		}
		w.record.MaxDegree = max(w.record.MaxDegree, uint64(len(row)))
		w.record.Sinks = w.record.Sinks || len(row) == 0
	}
	return nil
}

func (w *Writer) append(rows Rows) error {
	n := len(rows.Indptr) - 1
	offsets := make([]uint64, 0, min(n, 1<<16))
	for lo := 0; lo < n; lo += cap(offsets) {
		offsets = offsets[:0]
		for _, o := range rows.Indptr[lo+1 : min(n, lo+cap(offsets))+1] {
			offsets = append(offsets, uint64(w.record.Edges)+o-rows.Indptr[0])
		}
		if err := extend(w, "indptr", offsets); err != nil {
			return err
		}
	}
	err := extend(w, "indices", rows.Indices)
	if err == nil && rows.Biases != nil && n > 0 {
		if err = extend(w, "biases", rows.Biases); err == nil {
			err = extend(w, "scales", rows.Scales)
		}
	}
	w.rows += n
	w.record.Edges += int64(len(rows.Indices))
	return err
}

// extend appends to the file of one array, which begins with its first elements.
func extend[T uint64 | uint32 | int16](w *Writer, name string, s []T) error {
	f := w.files[name]
	if f == nil {
		var err error
		if f, err = createNpy(w.to.dir, arrayOf(name, codes[unsafe.Sizeof(*new(T))]), w.job); err != nil {
			return err
		}
		w.files[name] = f
	}
	return f.Write(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(f.width)))
}

var codes = map[uintptr]string{8: "u8", 4: "u4", 2: "i2"}

// Close completes the folder and puts it in its place. It refuses if rows are missing.
func (w *Writer) Close() error {
	defer w.Abandon()
	if w.err != nil {
		return w.err
	}
	if w.rows != w.vertices {
		return refuse.Value("%d rows were written, expected %d", w.rows, w.vertices)
	}
	w.err = unsaved(w.target, w.finish())
	return w.err
}

func (w *Writer) finish() error {
	if err := extend(w, "indices", []uint32{}); err != nil { // the file exists even without edges
		return err
	}
	for name, f := range w.files {
		s, err := f.Finish()
		if err != nil {
			return err
		}
		w.record.Arrays[name] = s
	}
	if err := w.record.save(w.to.dir); err != nil {
		return err
	}
	return w.to.Commit()
}

// Abandon leaves everything as it was before NewWriter. After Close it does nothing.
func (w *Writer) Abandon() {
	for _, f := range w.files {
		f.file.Close()
	}
	w.to.Abandon()
}
