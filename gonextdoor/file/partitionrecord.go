package file

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/owner"
	"gonextdoor/gonextdoor/refuse"
)

const (
	partitionName      = "partition.json"
	partitionFormat    = "gonextdoor partitioned graph"
	partitionVersion   = 2       // 1 if the edges have ids, as recordVersion
	maxPartitionRecord = 1 << 24 // bytes; a part takes some 150
	hotFolder          = "hot"   // the folder of the hot rows, and the array of their vertices
)

// The kinds of assignments in a partition record.
const (
	rangesKind = "ranges" // the record lists the bounds
	mapKind    = "map"    // owner.npy has the owner of each vertex
)

// GraphFacts are properties of a whole graph that are not those of its parts. Apps read them when they are bound.
type GraphFacts struct {
	Vertices  int64  `json:"vertices"`
	Edges     int64  `json:"edges"`
	MaxDegree uint64 `json:"max_degree"`
	Sinks     bool   `json:"sinks"`
	Weighted  bool   `json:"weighted"`
	Labelled  bool   `json:"labels"`
	Timed     bool   `json:"times"`
	Symmetric bool   `json:"symmetric"`           // every edge has its reverse; false may also mean that this is not known
	MaxScale  int16  `json:"max_scale"`           // as index.MaxScale; 0 if the graph is unweighted
	TimeSpan  uint64 `json:"time_span"`           // as index.TimeSpan; 0 if there are no times
	MeanGap   uint64 `json:"mean_gap"`            // as index.MeanGap; 0 if there are no times
	TimeUnit  string `json:"time_unit,omitempty"` // as graph.Graph.TimeUnit
	NoEdgeIDs bool   `json:"no_edge_ids,omitempty"`
}

var partitionFile = recordFile{partitionName, partitionFormat, partitionVersion, maxPartitionRecord, "a partitioned graph"}

// partitionRecord is the content of partition.json, which describes a partitioned graph. It is written last.
type partitionRecord struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Content string `json:"content"` // SHA-256 of the record with an empty Content, so of everything that it has checksums of
	Parts   int    `json:"parts"`
	Kind    string `json:"kind"`
	By      string `json:"by"` // how the vertices were assigned, for people: "ranges", "hash", a file
	GraphFacts
	Bounds  []uint32          `json:"bounds,omitempty"` // of kind "ranges", as owner.Map.Bounds
	Rows    []rowsRecord      `json:"rows"`             // of the parts
	HotRows *rowsRecord       `json:"hot_rows,omitempty"`
	Arrays  map[string]stored `json:"arrays"` // the names are those of partitionArrays
}

// rowsRecord describes a folder of rows.
type rowsRecord struct {
	Vertices int64  `json:"vertices"`
	Edges    int64  `json:"edges"`
	SHA256   string `json:"sha256"` // of its graph.json, which has the checksums of its arrays
}

// partitionArrays is the table of the arrays of a partitioned graph. The length of hot, per part, is that of HotRows.
var partitionArrays = []array{
	{"owner", "uint8", "u1", 1, perVertex},
	{"owner", "uint16", "u2", 2, perVertex},
	{"degrees", "uint32", "u4", 4, perVertex},
	{hotFolder, "uint32", "u4", 4, perEdge},
	{"names", "int64", "i8", 8, perVertex},
	{"names_text", "uint8", "u1", 1, perByte},
	{"names_offsets", "uint64", "u8", 8, perVertexAndEnd},
}

// partitionArray returns the entry of partitionArrays for a name and dtype code, or nil.
func partitionArray(name, code string) *array {
	for i := range partitionArrays {
		if partitionArrays[i].name == name && partitionArrays[i].code == code {
			return &partitionArrays[i]
		}
	}
	return nil
}

// partName returns the name of the folder of a part.
func partName(part int) string { return fmt.Sprintf("part-%05d", part) }

// counts returns the numbers that determine the lengths of partitionArrays.
func (r *partitionRecord) counts() counts {
	c := counts{vertices: r.Vertices}
	if r.HotRows != nil {
		c.edges = r.HotRows.Vertices
	}
	if s := r.Arrays["names_text"].Shape; len(s) == 1 {
		c.text = max(s[0], 0)
	}
	return c
}

// text encodes the record as indented JSON and sets Content.
func (r *partitionRecord) text() ([]byte, error) {
	r.Format, r.Version = partitionFormat, 1
	if r.NoEdgeIDs {
		r.Version = partitionVersion
	}
	sum, err := r.sum()
	if err != nil {
		return nil, err
	}
	r.Content = sum
	text, err := json.MarshalIndent(r, "", "  ")
	return append(text, '\n'), err
}

// sum returns the value of Content.
func (r *partitionRecord) sum() (string, error) {
	without := *r
	without.Content = ""
	text, err := json.Marshal(without)
	return sha256Text(text), err
}

// readPartitionRecord reads the record of a folder and rejects one that contradicts itself.
func readPartitionRecord(folder string) (*partitionRecord, error) {
	path, text, err := partitionFile.read(folder)
	if err != nil {
		return nil, err
	}
	return parsePartitionRecord(path, text)
}

// parsePartitionRecord decodes and checks the content of the file path.
func parsePartitionRecord(path string, text []byte) (*partitionRecord, error) {
	var r partitionRecord
	if err := partitionFile.decode(path, text, &r); err != nil {
		return nil, err
	}
	if err := partitionFile.check(path, r.Format, r.Version); err != nil {
		return nil, err
	}
	switch {
	case r.Parts < 1 || r.Parts > owner.MaxParts || len(r.Rows) != r.Parts:
		return nil, refuse.Format("%s: %d parts, and the rows of %d, expected the same number from 1 to %d",
			path, r.Parts, len(r.Rows), owner.MaxParts)
	case r.Vertices < 0 || r.Vertices >= int64(graph.None):
		return nil, refuse.Format("%s: %d vertices, expected 0 to %d", path, r.Vertices, graph.None-1)
	}
	if sum, err := r.sum(); err != nil || sum != r.Content {
		return nil, refuse.Format("%s: the hash of its content is %s, it says %q: the file was changed", path, sum, shortened([]byte(r.Content)))
	}
	for _, check := range []func(string) error{r.checkRows, r.checkKind, r.checkArrays} {
		if err := check(path); err != nil {
			return nil, err
		}
	}
	return &r, nil
}

// checkRows rejects rows whose numbers do not add up to those of the graph.
func (r *partitionRecord) checkRows(path string) error {
	var vertices, edges int64
	for i, rows := range r.Rows {
		if rows.Vertices < 0 || rows.Vertices > r.Vertices || rows.Edges < 0 || rows.Edges > r.Edges {
			return refuse.Format("%s: part %d has %d vertices and %d edges, expected at most %d and %d", path, i,
				rows.Vertices, rows.Edges, r.Vertices, r.Edges)
		}
		vertices, edges = vertices+rows.Vertices, edges+rows.Edges
	}
	if vertices != r.Vertices || edges != r.Edges {
		return refuse.Format("%s: the parts have %d vertices and %d edges together, expected %d and %d", path,
			vertices, edges, r.Vertices, r.Edges)
	}
	if hot := r.HotRows; hot != nil && (hot.Vertices < 1 || hot.Vertices > r.Vertices) {
		return refuse.Format("%s: %d hot vertices, expected from 1 to %d", path, hot.Vertices, r.Vertices)
	}
	return nil
}

// checkKind rejects a kind of assignment that is not known, and bounds that do not match the parts.
func (r *partitionRecord) checkKind(path string) error {
	_, owners := r.Arrays["owner"]
	switch {
	case r.Kind == mapKind && owners && r.Bounds == nil:
		return nil
	case r.Kind != rangesKind || owners:
		return refuse.Format("%s: kind is %q, expected %q with bounds or %q with the array owner", path,
			shortened([]byte(r.Kind)), rangesKind, mapKind)
	case len(r.Bounds) != r.Parts+1 || r.Bounds[0] != 0 || int64(r.Bounds[r.Parts]) != r.Vertices:
		return refuse.Format("%s: %d bounds, expected %d from 0 to %d", path, len(r.Bounds), r.Parts+1, r.Vertices)
	}
	for i, rows := range r.Rows {
		if int64(r.Bounds[i+1])-int64(r.Bounds[i]) != rows.Vertices {
			return refuse.Format("%s: bounds[%d] = %d after %d, expected %d vertices in part %d", path, i+1, r.Bounds[i+1], r.Bounds[i],
				rows.Vertices, i)
		}
	}
	return nil
}

// checkArrays rejects arrays that are unknown, have a wrong shape, or are missing.
func (r *partitionRecord) checkArrays(path string) error {
	for _, name := range slices.Sorted(maps.Keys(r.Arrays)) {
		s := r.Arrays[name]
		a := partitionArray(name, s.Dtype[min(1, len(s.Dtype)):])
		if a == nil || s.Dtype[0] != '<' {
			return refuse.Format("%s: array %q of dtype %q is not known", path, shortened([]byte(name)), shortened([]byte(s.Dtype)))
		}
		if want := a.length(r.counts()); len(s.Shape) != 1 || s.Shape[0] != want {
			return refuse.Format("%s: array %s has shape %v, expected [%d]", path, name, s.Shape, want)
		}
		if _, err := s.checksum(); err != nil {
			return refuse.Format("%s: array %s has checksum %q, expected eight hexadecimal digits", path, name, shortened([]byte(s.CRC32)))
		}
	}
	_, degrees := r.Arrays["degrees"]
	_, hot := r.Arrays[hotFolder]
	if !degrees || hot != (r.HotRows != nil) {
		return refuse.Format("%s: expected the array degrees, and the array %s if there are hot_rows", path, hotFolder)
	}
	if o, ok := r.Arrays["owner"]; ok && (o.Dtype == "<u1") != (r.Parts <= 1<<8) {
		return refuse.Format("%s: array owner has dtype %s for %d parts", path, o.Dtype, r.Parts)
	}
	return nil
}
