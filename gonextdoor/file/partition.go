package file

import (
	"hash/crc32"
	"os"
	"path/filepath"
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/owner"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// Partition is an open folder of a partitioned graph. Parts, degrees and names are mapped when they are asked for, so a
// process reads only those parts that it uses. Its methods may be called from several goroutines.
type Partition struct {
	GraphFacts            // of the whole graph
	Owner      *owner.Map // its arrays end with Close
	By         string

	path   string
	record *partitionRecord
	mu     sync.Mutex // guards maps
	maps   map[string]mapping
}

// OpenPartition opens the folder of a partitioned graph. It reads the record, and the owners if the parts are not ranges. It
// returns an error if the folder of a part is missing; Part checks the content of one.
func OpenPartition(folder string) (*Partition, error) {
	r, err := readPartitionRecord(folder)
	if err != nil {
		return nil, err
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return nil, err
	}
	p := &Partition{GraphFacts: r.GraphFacts, By: r.By, path: folder, record: r, maps: map[string]mapping{}}
	for i := range r.Parts {
		if err := p.present(partName(i)); err != nil {
			return nil, err
		}
	}
	if r.HotRows != nil {
		if err := p.present(hotFolder); err != nil {
			return nil, err
		}
	}
	if err := p.mapOwner(); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Parts returns the number of parts.
func (p *Partition) Parts() int { return p.record.Parts }

// Path returns the absolute path of the folder.
func (p *Partition) Path() string { return p.path }

// Content returns a hash of the whole content: partitioned graphs of equal content have equal hashes.
func (p *Partition) Content() string { return p.record.Content }

// present returns an error if the folder of a part does not exist.
func (p *Partition) present(name string) error {
	if _, err := os.Stat(filepath.Join(p.path, name)); os.IsNotExist(err) {
		return refuse.Format("%s: the folder %s is missing, expected %d parts: copy all folders of the partitioned graph", p.path, name, p.record.Parts)
	} else if err != nil {
		return err
	}
	return nil
}

// mapOwner sets Owner and compares it with the record.
func (p *Partition) mapOwner() (err error) {
	p.Owner = &owner.Map{Count: p.record.Parts, Bounds: p.record.Bounds}
	if p.record.Kind == rangesKind {
		return nil
	}
	if p.record.Parts <= 1<<8 {
		p.Owner.Narrow, err = partitionView[uint8](p, "owner")
	} else {
		p.Owner.Wide, err = partitionView[uint16](p, "owner")
	}
	if err != nil {
		return err
	}
	counts, err := p.Owner.Counts()
	if err != nil {
		return refuse.Format("%s: %w", filepath.Join(p.path, "owner.npy"), err)
	}
	for i, n := range counts {
		if int64(n) != p.record.Rows[i].Vertices {
			return refuse.Format("%s: part %d owns %d vertices, %s says %d", filepath.Join(p.path, "owner.npy"), i, n, partitionName,
				p.record.Rows[i].Vertices)
		}
	}
	return nil
}

// partitionView maps an array at the first call and compares its checksum. It returns nil if the graph does not have it.
func partitionView[T graph.Number](p *Partition, name string) (s []T, err error) {
	described, ok := p.record.Arrays[name]
	if !ok {
		return nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	m, mapped := p.maps[name]
	if !mapped {
		a := partitionArray(name, described.Dtype[1:])
		if m, err = mapArray(p.path, a, a.length(p.record.counts())); err != nil {
			return nil, err
		}
		if err := m.compare(described, partitionName); err != nil {
			m.Close()
			return nil, err
		}
		p.maps[name] = m
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(m.array()))), len(m.array())/int(unsafe.Sizeof(*new(T)))), nil
}

// compare returns an error if the checksum of a mapped array is not that of its entry in a record.
func (m mapping) compare(described stored, record string) error {
	want, err := described.checksum()
	if err != nil {
		return err
	}
	return parallel.Do(1, func(int) error { // Do turns a memory fault into an error
		if sum := crc32.Checksum(m.array(), graph.Castagnoli); sum != want {
			return refuse.Format("%s: the checksum of the data is %08x, %s says %08x: the file was damaged or changed", m.path, sum,
				record, want)
		}
		return nil
	})
}

// Degrees returns the degree of every vertex. The array ends with Close.
func (p *Partition) Degrees() ([]uint32, error) { return partitionView[uint32](p, "degrees") }

// Names returns the names of the vertices. They end with Close.
func (p *Partition) Names() (n graph.Names, err error) {
	if n.Ints, err = partitionView[int64](p, "names"); err != nil {
		return n, err
	}
	if n.Text, err = partitionView[byte](p, "names_text"); err != nil {
		return n, err
	}
	n.Offsets, err = partitionView[uint64](p, "names_offsets")
	return n, err
}

// Part maps the rows of a part: row i is that of the i-th vertex that the part owns, in ascending order. Neighbours and edge
// ids are those of the whole graph, and the ids are listed if they were kept; so are MaxDegree and HasSinks. The caller must Close the graph.
func (p *Partition) Part(part int) (*graph.Graph, error) {
	if err := p.checkNumber(part); err != nil {
		return nil, err
	}
	return p.openRows(partName(part), p.record.Rows[part])
}

// checkNumber returns an error if there is no such part.
func (p *Partition) checkNumber(part int) error {
	if part < 0 || part >= p.record.Parts {
		return refuse.Index("part = %d: expected from 0 to %d", part, p.record.Parts-1)
	}
	return nil
}

// Hot returns the hot vertices, in ascending order, and maps their rows: row i is that of vertices[i]. Both are nil if there
// are none. The caller must Close the graph; the vertices end with the Close of p.
func (p *Partition) Hot() (vertices []uint32, rows *graph.Graph, err error) {
	if p.record.HotRows == nil {
		return nil, nil, nil
	}
	if vertices, err = partitionView[uint32](p, hotFolder); err != nil {
		return nil, nil, err
	}
	for i, v := range vertices {
		if int64(v) >= p.Vertices || i > 0 && v <= vertices[i-1] {
			return nil, nil, refuse.Format("%s: vertex %d is not below %d or not in ascending order", filepath.Join(p.path, hotFolder+".npy"), v, p.Vertices)
		}
	}
	rows, err = p.openRows(hotFolder, *p.record.HotRows)
	return vertices, rows, err
}

// openRows maps a folder of rows, whose record must be the one that was written with the folder.
func (p *Partition) openRows(name string, want rowsRecord) (*graph.Graph, error) {
	folder := filepath.Join(p.path, name)
	text, err := readRegular(filepath.Join(folder, recordName), maxRecord+1)
	if os.IsNotExist(err) {
		return nil, refuse.Format("%s is missing or incomplete: copy all folders of the partitioned graph", folder)
	}
	if err != nil {
		return nil, err
	}
	if sum := sha256Text(text); sum != want.SHA256 {
		return nil, refuse.Format("%s is not the part that %s describes: the hash of its %s is %s, expected %s; the parts are of "+
			"different runs, write them again", folder, partitionName, recordName, sum, want.SHA256)
	}
	r, err := parseRecord(filepath.Join(folder, recordName), text)
	if err != nil {
		return nil, err
	}
	if r.Vertices != want.Vertices || r.Edges != want.Edges || r.Ends != p.Vertices || r.has("biases") != p.Weighted ||
		r.has("labels") != p.Labelled || r.has("times") != p.Timed || r.has("edge_ids") == p.NoEdgeIDs || r.NoEdgeIDs != p.NoEdgeIDs {
		return nil, refuse.Format("%s: its vertices, edges or arrays are not those of %s", folder, partitionName)
	}
	rows, err := openRecord(folder, r)
	if err != nil {
		return nil, err
	}
	return p.asWhole(rows)
}

// asWhole returns a graph of mapped rows with the largest degree and the sinks of the whole graph, which apps read. It
// validates the rows, and closes them with itself.
func (p *Partition) asWhole(rows *graph.Graph) (*graph.Graph, error) {
	g, err := graph.FromArrays(rows.Arrays(), graph.Summary{
		MaxDegree: p.MaxDegree, HasSinks: p.Sinks, Ends: rows.Ends, NoEdgeIDs: rows.NoEdgeIDs, Files: rows.Summary().Files,
	})
	if err != nil {
		rows.Close()
		return nil, err
	}
	g.CheckWith(func(opts graph.Options, _ func() error) error { return rows.ValidateWith(opts) })
	g.OnClose(rows.Close)
	return g, nil
}

// CheckShared compares all that the parts share with the record: the arrays beside it, and the hot rows.
func (p *Partition) CheckShared(opts graph.Options) error {
	if _, err := p.Degrees(); err != nil {
		return err
	}
	if _, err := p.Names(); err != nil {
		return err
	}
	_, hot, err := p.Hot()
	if err != nil || hot == nil {
		return err
	}
	defer hot.Close()
	return hot.ValidateWith(opts)
}

// CheckPart compares the rows in a folder beside the record, which may have any name, with those of a part in the record.
func (p *Partition) CheckPart(part int, folder string, opts graph.Options) error {
	if err := p.checkNumber(part); err != nil {
		return err
	}
	rows, err := p.openRows(folder, p.record.Rows[part])
	if err != nil {
		return err
	}
	defer rows.Close()
	return rows.ValidateWith(opts)
}

// Close ends the mappings of the arrays of the whole graph. Graphs from Part and Hot are closed by their callers.
func (p *Partition) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.maps {
		m.Close()
	}
	clear(p.maps)
}
