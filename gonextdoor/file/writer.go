package file

import (
	"fmt"
	"os"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// Rows are consecutive rows of a graph, in CSR form.
type Rows struct {
	Indptr  []uint64 // one element more than rows; only differences matter
	Indices []uint32 // sorted within each row
	Biases  []uint32 // nil: unweighted
	Scales  []int16  // one per row; nil with Biases
	Alias   []uint32 // as graph.Graph.Alias, without the sentinel; nil: none, in all rows of a graph

	EdgeIDs   []uint32 // nil: see EdgeIDs64; the positions if both are nil
	EdgeIDs64 []uint64
	Labels    []int32 // nil: none
	Times     []int64 // nil: none
}

// Writer writes a graph folder row by row, for graphs larger than memory. Like Save, it makes the folder appear when it is
// complete. A Writer is used by one goroutine; call Close or Abandon at the end.
type Writer struct {
	target   string
	vertices int
	to       *replacement
	files    map[string]*npyFile
	record   record
	rows     int
	names    graph.Names
	inOrder  bool // the edge ids are the positions so far
	job      *job.Job
	err      error // of the first call that failed; later calls return it
}

// NewWriter starts the folder of a graph with the given number of vertices. The job counts bytes.
func NewWriter(folder string, vertices int, j *job.Job) (*Writer, error) {
	if vertices < 0 || uint64(vertices) >= uint64(graph.None) {
		return nil, refuse.Value("num_vertices is %d, expected 0 to %d", vertices, graph.None-1)
	}
	r, err := startReplacement(folder)
	if err != nil {
		return nil, unsaved(folder, err)
	}
	w := &Writer{target: folder, vertices: vertices, to: r, files: map[string]*npyFile{}, inOrder: true, job: j}
	w.record = record{Vertices: int64(vertices), Arrays: map[string]stored{}}
	if err := extend(w, "indptr", []uint64{0}); err != nil {
		w.Abandon()
		return nil, unsaved(folder, err)
	}
	return w, nil
}

// AppendRows writes the next rows, which it does not keep. Either all rows of a graph have biases or none. After an error the
// folder is abandoned.
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

// check rejects rows whose arrays do not match each other or the earlier rows. It updates the largest degree and sinks.
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

// append writes checked rows.
func (w *Writer) append(rows Rows) error {
	// Offsets are converted in pieces, so that a large number of rows needs no copy of Indptr.
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
		if err == nil && rows.Alias != nil {
			err = extend(w, "alias", rows.Alias)
		}
	}
	if err == nil {
		err = w.appendAttributes(rows)
	}
	w.rows += n
	w.record.Edges += int64(len(rows.Indices))
	return err
}

// appendAttributes writes edge ids, labels and times. An array of no elements creates its file too.
func (w *Writer) appendAttributes(rows Rows) error {
	if rows.EdgeIDs != nil {
		for i, id := range rows.EdgeIDs {
			w.inOrder = w.inOrder && uint64(id) == uint64(w.record.Edges)+uint64(i)
		}
		if err := extend(w, "edge_ids", rows.EdgeIDs); err != nil {
			return err
		}
	}
	if rows.EdgeIDs64 != nil {
		for i, id := range rows.EdgeIDs64 {
			w.inOrder = w.inOrder && id == uint64(w.record.Edges)+uint64(i)
		}
		if err := extend(w, "edge_ids", rows.EdgeIDs64); err != nil {
			return err
		}
	}
	if rows.Labels != nil {
		if err := extend(w, "labels", rows.Labels); err != nil {
			return err
		}
	}
	if rows.Times != nil {
		return extend(w, "times", rows.Times)
	}
	return nil
}

// Name sets the names of the vertices, which Close writes.
func (w *Writer) Name(names graph.Names) { w.names = names }

// extend appends elements to the file of an array. The first call creates the file.
func extend[T uint64 | uint32 | int16 | int32 | int64 | uint8](w *Writer, name string, s []T) error {
	f := w.files[name]
	if f == nil {
		var err error
		if f, err = createNpy(w.to.dir, arrayFor[T](name), w.job); err != nil {
			return err
		}
		w.files[name] = f
	}
	return f.Write(bytesOf(s))
}

// arrayFor returns the entry for a name whose elements are of type T.
func arrayFor[T graph.Number](name string) *array {
	for i := range arrays {
		if arrays[i].name == name && arrays[i].dtype == fmt.Sprintf("%T", *new(T)) {
			return &arrays[i]
		}
	}
	return nil
}

// Close completes the folder and moves it to its target. It returns an error if rows are missing.
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

// finish writes the headers and the record, and commits the folder.
func (w *Writer) finish() error {
	if err := extend(w, "indices", []uint32{}); err != nil { // the file exists even without edges
		return err
	}
	if w.files["alias"] != nil {
		if err := extend(w, "alias", index.NoSlot[:]); err != nil {
			return err
		}
	}
	if err := w.writeNames(); err != nil {
		return err
	}
	for name, f := range w.files {
		s, err := f.Finish()
		if err != nil {
			return err
		}
		if name == "edge_ids" && w.inOrder {
			if err := os.Remove(f.file.Name()); err != nil {
				return err
			}
			continue
		}
		w.record.Arrays[name] = s
	}
	if err := w.record.save(w.to.dir); err != nil {
		return err
	}
	return w.to.Commit()
}

// writeNames writes the names of the vertices.
func (w *Writer) writeNames() error {
	if w.names.Ints != nil {
		return extend(w, "names", w.names.Ints)
	}
	if w.names.Offsets == nil {
		return nil
	}
	if err := extend(w, "names_text", w.names.Text); err != nil {
		return err
	}
	return extend(w, "names_offsets", w.names.Offsets)
}

// Abandon removes everything that was written; the target stays as it was before NewWriter. After Close it does nothing.
func (w *Writer) Abandon() {
	for _, f := range w.files {
		f.file.Close()
	}
	w.to.Abandon()
}
