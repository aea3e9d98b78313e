package file

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

const (
	recordName    = "graph.json"
	recordFormat  = "gonextdoor graph"
	recordVersion = 2       // 1 if the edges have ids; programs that read 1 alone would take positions for them
	maxRecord     = 1 << 24 // bytes; most are names of labels
)

var graphFile = recordFile{recordName, recordFormat, recordVersion, maxRecord, "a graph"}

// record is the content of graph.json, which describes the arrays of a graph folder. It is written last, so a folder without
// it is incomplete.
type record struct {
	Format    string            `json:"format"`
	Version   int               `json:"version"`
	Vertices  int64             `json:"vertices"`
	Edges     int64             `json:"edges"`
	MaxDegree uint64            `json:"max_degree"`
	Sinks     bool              `json:"sinks"`          // whether a vertex has no out-edges
	Ends      int64             `json:"ends,omitempty"` // as graph.Graph.Ends: of a part of a graph
	NoEdgeIDs bool              `json:"no_edge_ids,omitempty"`
	NextID    int64             `json:"next_id,omitempty"` // as graph.Graph.NextID; 0: one more than the largest id
	Arrays    map[string]stored `json:"arrays"`            // the keys are names of arrays

	LabelNames []string `json:"label_names,omitempty"` // as graph.Graph.LabelNames
	TimeUnit   string   `json:"time_unit,omitempty"`   // as graph.Graph.TimeUnit
}

// stored is the entry of an array in the record.
type stored struct {
	Dtype string  `json:"dtype"`
	Shape []int64 `json:"shape"`
	CRC32 string  `json:"crc32c"` // of the data after the header, Castagnoli's polynomial, eight hexadecimal digits
}

// text encodes the record as indented JSON.
func (r *record) text() ([]byte, error) {
	r.Format, r.Version = recordFormat, 1
	if r.NoEdgeIDs {
		r.Version = recordVersion
	}
	return indented(r)
}

// readRecord reads the record of a folder and rejects one that contradicts itself. It reads at most maxRecord bytes.
func readRecord(folder string) (*record, error) {
	path, text, err := graphFile.read(folder)
	if err != nil {
		return nil, err
	}
	return parseRecord(path, text)
}

// parseRecord decodes and checks the content of the file path.
func parseRecord(path string, text []byte) (*record, error) {
	var r record
	if err := graphFile.decode(path, text, &r); err != nil {
		return nil, err
	}
	if err := graphFile.check(path, r.Format, r.Version); err != nil {
		return nil, err
	}
	switch {
	case r.Vertices < 0 || r.Vertices >= int64(graph.None):
		return nil, refuse.Format("%s: %d vertices, expected 0 to %d", path, r.Vertices, graph.None-1)
	case r.Ends < 0 || r.Ends >= int64(graph.None):
		return nil, refuse.Format("%s: edges lead to %d vertices, expected 0 to %d", path, r.Ends, graph.None-1)
	case r.Edges < 0 || r.MaxDegree > uint64(r.Edges):
		return nil, refuse.Format("%s: %d edges, the largest degree is %d", path, r.Edges, r.MaxDegree)
	case r.NextID < 0:
		return nil, refuse.Format("%s: next_id is %d, expected the id of the next edge, which is not negative", path, r.NextID)
	case r.NextID > 0 && r.NoEdgeIDs:
		return nil, refuse.Format("%s: next_id is %d, but no_edge_ids is set", path, r.NextID)
	}
	if !slices.Contains([]string{"", "s", "ms", "us", "ns"}, r.TimeUnit) {
		return nil, refuse.Format("%s: the unit of times is %q, expected s, ms, us or ns", path, shortened([]byte(r.TimeUnit)))
	}
	return &r, r.checkArrays(path)
}

// checkArrays rejects arrays that are unknown, have a wrong shape, or lack an array that they need.
func (r *record) checkArrays(path string) error {
	c := r.counts()
	for _, name := range slices.Sorted(maps.Keys(r.Arrays)) {
		s := r.Arrays[name]
		a := arrayOf(name, s.Dtype[min(1, len(s.Dtype)):])
		if a == nil || s.Dtype[0] != '<' && a.width > 1 {
			return refuse.Format("%s: array %q of dtype %q is not known", path, shortened([]byte(name)), shortened([]byte(s.Dtype)))
		}
		if want := a.length(c); len(s.Shape) != 1 || s.Shape[0] != want {
			return refuse.Format("%s: array %s has shape %v, expected [%d]", path, name, s.Shape, want)
		}
		if _, err := s.checksum(); err != nil {
			return refuse.Format("%s: array %s has checksum %q, expected eight hexadecimal digits", path, name, shortened([]byte(s.CRC32)))
		}
	}
	for _, needed := range [][2]string{ // the first is required if the second exists; "" always exists
		{"indptr", ""}, {"indices", ""}, {"biases", "scales"}, {"scales", "biases"}, {"biases", "alias"},
		{"names_text", "names_offsets"}, {"names_offsets", "names_text"},
	} {
		if r.has(needed[1]) && !r.has(needed[0]) {
			return refuse.Format("%s: array %s is missing", path, needed[0])
		}
	}
	if r.has("edge_ids") && r.NoEdgeIDs {
		return refuse.Format("%s: the edges have ids, but no_edge_ids is set", path)
	}
	if r.has("names") && r.has("names_text") {
		return refuse.Format("%s: the vertices have both integers and text as names", path)
	}
	return nil
}

// has reports whether the record lists an array. The empty name counts as listed.
func (r *record) has(name string) bool {
	_, ok := r.Arrays[name]
	return ok || name == ""
}

// counts returns the numbers that determine the lengths of the arrays. The length of names_text is its own shape.
func (r *record) counts() counts {
	c := counts{vertices: r.Vertices, edges: r.Edges}
	if s := r.Arrays["names_text"].Shape; len(s) == 1 {
		c.text = max(s[0], 0)
	}
	return c
}

// checksum parses the checksum.
func (s stored) checksum() (uint32, error) {
	if len(s.CRC32) != 8 {
		return 0, strconv.ErrSyntax
	}
	n, err := strconv.ParseUint(s.CRC32, 16, 32)
	return uint32(n), err
}

// checksumText formats a checksum as eight hexadecimal digits.
func checksumText(sum uint32) string { return fmt.Sprintf("%08x", sum) }
