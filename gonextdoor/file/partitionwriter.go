package file

import (
	"os"
	"path/filepath"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/graph/owner"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// Partitioning says how to write a partitioned graph.
type Partitioning struct {
	Owner *owner.Map // the part of each vertex
	By    string     // how the vertices were assigned, for people
	Hot   []uint32   // the vertices whose rows every part gets, in ascending order; nil: none
	Alias bool       // whether the parts of a weighted graph get alias tables
}

// PartitionWriter writes the folder of a partitioned graph part by part. Like Save, it makes the folder appear when it is
// complete. A PartitionWriter is used by one goroutine; call Close or Abandon at the end.
type PartitionWriter struct {
	target string
	to     *replacement
	record partitionRecord
	owner  *owner.Map
	counts []int // vertices of each part
	alias  bool  // as Partitioning.Alias
	job    *job.Job
}

// NewPartitionWriter starts the folder of a partitioned graph. The job counts bytes.
func NewPartitionWriter(folder string, p Partitioning, j *job.Job) (*PartitionWriter, error) {
	if err := owner.CheckParts(p.Owner.Parts()); err != nil {
		return nil, err
	}
	counts, err := p.Owner.Counts()
	if err != nil {
		return nil, err
	}
	r, err := startReplacement(folder)
	if err != nil {
		return nil, unsaved(folder, err)
	}
	w := &PartitionWriter{target: folder, to: r, owner: p.Owner, counts: counts, alias: p.Alias, job: j}
	w.record = partitionRecord{Parts: p.Owner.Parts(), By: p.By, Rows: make([]rowsRecord, p.Owner.Parts()), Arrays: map[string]stored{}}
	return w, nil
}

// WritePart writes the rows of a part. Row i of rows is that of the i-th vertex that the part owns, in ascending order; its
// neighbours are vertices of the whole graph.
func (w *PartitionWriter) WritePart(part int, rows *graph.Graph) (err error) {
	if rows.NumVertices() != w.counts[part] {
		return refuse.Value("part %d has %d rows, expected %d", part, rows.NumVertices(), w.counts[part])
	}
	w.record.Rows[part], err = writeRows(filepath.Join(w.to.dir, partName(part)), rows, w.alias, w.job)
	return unsaved(w.target, err)
}

// WriteHot writes the rows of the hot vertices, which are in ascending order. It does nothing if there are none.
func (w *PartitionWriter) WriteHot(vertices []uint32, rows *graph.Graph) error {
	if len(vertices) == 0 {
		return nil
	}
	described, err := writeRows(filepath.Join(w.to.dir, hotFolder), rows, w.alias, w.job)
	w.record.HotRows = &described
	if err == nil {
		err = writeArray(w, hotFolder, "u4", vertices)
	}
	return unsaved(w.target, err)
}

// writeRows creates a folder of rows, with alias tables if alias is true and the rows have weights.
func writeRows(dir string, rows *graph.Graph, alias bool, j *job.Job) (r rowsRecord, err error) {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return r, err
	}
	if alias && rows.Weighted() {
		if rows.Alias, err = index.AliasWords(rows, graph.Options{Job: j}); err != nil {
			return r, err
		}
	}
	rec, err := writeArrays(rows, dir, j)
	if err != nil {
		return r, err
	}
	text, err := rec.text()
	if err != nil {
		return r, err
	}
	if err := writeSynced(filepath.Join(dir, recordName), text); err != nil {
		return r, err
	}
	return rowsRecord{int64(rows.NumVertices()), int64(rows.NumEdges()), sha256Text(text)}, syncFolder(dir)
}

// writeArray writes an array of the partitioned graph.
func writeArray[T graph.Number](w *PartitionWriter, name, code string, s []T) (err error) {
	w.record.Arrays[name], err = writeNpy(w.to.dir, partitionArray(name, code), bytesOf(s), w.job)
	return err
}

// Close writes what belongs to the whole graph, after all parts were written, and moves the folder to its target.
func (w *PartitionWriter) Close(facts GraphFacts, degrees []uint32, names graph.Names) error {
	defer w.Abandon()
	return unsaved(w.target, w.finish(facts, degrees, names))
}

// finish writes the arrays and the record, and commits the folder.
func (w *PartitionWriter) finish(facts GraphFacts, degrees []uint32, names graph.Names) (err error) {
	w.record.GraphFacts = facts
	err = writeArray(w, "degrees", "u4", degrees)
	if err == nil {
		err = w.writeOwner()
	}
	if err == nil && names.Ints != nil {
		err = writeArray(w, "names", "i8", names.Ints)
	}
	if err == nil && names.Offsets != nil {
		if err = writeArray(w, "names_text", "u1", names.Text); err == nil {
			err = writeArray(w, "names_offsets", "u8", names.Offsets)
		}
	}
	if err != nil {
		return err
	}
	text, err := w.record.text()
	if err != nil {
		return err
	}
	path := filepath.Join(w.target, partitionName)
	if _, err := parsePartitionRecord(path, text); err != nil { // for example, a part is missing
		return err
	}
	if err := writeSynced(filepath.Join(w.to.dir, partitionName), text); err != nil {
		return err
	}
	return w.to.Commit()
}

// writeOwner writes the owners, or stores the bounds of ranges in the record.
func (w *PartitionWriter) writeOwner() error {
	w.record.Kind = mapKind
	switch o := w.owner; {
	case o.Bounds != nil:
		w.record.Kind, w.record.Bounds = rangesKind, o.Bounds
		return nil
	case o.Narrow != nil:
		return writeArray(w, "owner", "u1", o.Narrow)
	default:
		return writeArray(w, "owner", "u2", o.Wide)
	}
}

// Abandon removes everything that was written; the target stays as it was. After Close it does nothing.
func (w *PartitionWriter) Abandon() { w.to.Abandon() }

// WritePartition writes a graph to the folder of a partitioned graph. It holds the rows of one part at a time in memory, in
// addition to g. The job counts bytes, PartitionBytes in total.
func WritePartition(g *graph.Graph, folder string, p Partitioning, j *job.Job) error {
	if err := g.ValidateWith(graph.Options{Job: j}); err != nil {
		return err
	}
	if p.Owner.NumVertices() != g.NumVertices() {
		return refuse.Value("by has the parts of %d vertices: expected %d, one per vertex", p.Owner.NumVertices(), g.NumVertices())
	}
	w, err := NewPartitionWriter(folder, p, j)
	if err != nil {
		return err
	}
	defer w.Abandon()
	return g.Blame(parallel.Do(1, func(int) error { return w.write(g, p) })) // Do turns the fault of a mapped graph into an error
}

// write writes all of g.
func (w *PartitionWriter) write(g *graph.Graph, p Partitioning) error {
	opts := graph.Options{Job: w.job}
	for part := range p.Owner.Parts() {
		err := withRows(g, p.Owner.Vertices(part), opts, func(rows *graph.Graph) error { return w.WritePart(part, rows) })
		if err != nil {
			return err
		}
	}
	if len(p.Hot) > 0 {
		if err := withRows(g, p.Hot, opts, func(rows *graph.Graph) error { return w.WriteHot(p.Hot, rows) }); err != nil {
			return err
		}
	}
	facts, err := factsOf(g, opts)
	if err != nil {
		return err
	}
	degrees := make([]uint32, g.NumVertices())
	for v := range degrees {
		degrees[v] = uint32(g.Degree(uint32(v)))
	}
	return w.Close(facts, degrees, g.Names)
}

// withRows calls f with the rows of some vertices of g.
func withRows(g *graph.Graph, vertices []uint32, opts graph.Options, f func(rows *graph.Graph) error) error {
	rows, err := build.Selected(g, vertices, opts)
	if err != nil {
		return err
	}
	defer rows.Close()
	return f(rows)
}

// factsOf returns the facts of a graph in memory.
func factsOf(g *graph.Graph, opts graph.Options) (f GraphFacts, err error) {
	f = GraphFacts{
		Vertices: int64(g.NumVertices()), Edges: int64(g.NumEdges()), MaxDegree: g.MaxDegree(), Sinks: g.HasSinks(),
		Weighted: g.Weighted(), Labelled: g.Labels != nil, Timed: g.Times != nil, TimeUnit: g.TimeUnit, NoEdgeIDs: g.NoEdgeIDs,
	}
	if f.Symmetric, err = index.Symmetric(g, opts); err != nil {
		return f, err
	}
	if f.Weighted {
		if f.MaxScale, err = index.MaxScale(g, opts); err != nil {
			return f, err
		}
	}
	if f.Timed {
		if f.TimeSpan, err = index.TimeSpan(g, opts); err != nil {
			return f, err
		}
		f.MeanGap, err = index.MeanGap(g, opts)
	}
	return f, err
}

// PartitionBytes returns about the number of bytes that WritePartition writes.
func PartitionBytes(g *graph.Graph, p Partitioning) int64 {
	perEdge := SavedBytes(g) / int64(max(1, g.NumEdges()))
	n := SavedBytes(g) + 5*int64(g.NumVertices())
	if g.EdgeIDs == nil && g.EdgeIDs64 == nil && !g.NoEdgeIDs {
		n += 4 * int64(g.NumEdges())
	}
	for _, v := range p.Hot {
		n += int64(g.Degree(v)) * perEdge
	}
	return n
}
