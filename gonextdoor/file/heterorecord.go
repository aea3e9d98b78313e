package file

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

const (
	heteroName      = "hetero.json"
	heteroFormat    = "gonextdoor heterogeneous graph"
	heteroVersion   = 1
	maxHeteroRecord = 1 << 24 // bytes
)

var heteroFile = recordFile{heteroName, heteroFormat, heteroVersion, maxHeteroRecord, "a heterogeneous graph"}

// HeteroRecord is the content of hetero.json, which describes the folder of a heterogeneous graph. It is written last.
type HeteroRecord struct {
	Format    string           `json:"format"`
	Version   int              `json:"version"`
	Parts     int              `json:"parts"` // of the graph of each relation; 0: the graphs are not partitioned
	Types     []HeteroType     `json:"types"`
	Relations []HeteroRelation `json:"relations"`
	TimeUnit  string           `json:"time_unit,omitempty"` // of the times of vertices, as graph.Graph.TimeUnit
}

// HeteroType describes the vertices of a type.
type HeteroType struct {
	Name     string `json:"name"`
	Vertices int64  `json:"vertices"`
	Times    string `json:"times"` // SHA-256 of the file of their times; empty: they have no times
}

// HeteroRelation describes a relation, whose graph is in a folder. Row v of the graph has the edges that lead to vertex v of the
// destination type.
type HeteroRelation struct {
	Source      string `json:"source"`
	Name        string `json:"name"`
	Destination string `json:"destination"`
	Edges       int64  `json:"edges"`
	SHA256      string `json:"sha256"` // of the graph.json or partition.json in its folder
}

// relationName returns the name of the folder of a relation.
func relationName(r int) string { return fmt.Sprintf("relation-%05d", r) }

// timesName returns the name of the file with the times of the vertices of a type.
func timesName(t int) string { return fmt.Sprintf("times-%05d.npy", t) }

// text encodes the record as indented JSON.
func (r *HeteroRecord) text() ([]byte, error) {
	r.Format, r.Version = heteroFormat, heteroVersion
	return indented(r)
}

// OpenHetero reads the record of the folder of a heterogeneous graph. It returns an error if the folder of a relation or the file
// of times is missing, or is not the one that was written with the record.
func OpenHetero(folder string) (*HeteroRecord, error) {
	r, err := readHeteroRecord(folder)
	if err != nil {
		return nil, err
	}
	found := *r
	found.Types, found.Relations = append([]HeteroType{}, r.Types...), append([]HeteroRelation{}, r.Relations...)
	if err := found.describe(folder); err != nil {
		return nil, err
	}
	for i, want := range r.Relations {
		if got := found.Relations[i]; got != want {
			return nil, refuse.Format("%s is not the graph that %s describes: the hash of its record is %s, expected %s; the folders are of "+
				"different runs, write them again", filepath.Join(folder, relationName(i)), heteroName, got.SHA256, want.SHA256)
		}
	}
	for t, want := range r.Types {
		if got := found.Types[t].Times; got != want.Times {
			return nil, refuse.Format("%s: the hash of the file is %s, %s says %s: the file was damaged or changed",
				filepath.Join(folder, timesName(t)), got, heteroName, want.Times)
		}
	}
	if found.Parts != r.Parts {
		return nil, refuse.Format("%s: the graphs have %d parts, expected %d", filepath.Join(folder, heteroName), found.Parts, r.Parts)
	}
	return r, nil
}

// readHeteroRecord reads the record of a folder and rejects one that contradicts itself.
func readHeteroRecord(folder string) (*HeteroRecord, error) {
	path, text, err := heteroFile.read(folder)
	if err != nil {
		return nil, err
	}
	return parseHeteroRecord(path, text)
}

// parseHeteroRecord decodes and checks the content of the file path.
func parseHeteroRecord(path string, text []byte) (*HeteroRecord, error) {
	var r HeteroRecord
	if err := heteroFile.decode(path, text, &r); err != nil {
		return nil, err
	}
	return &r, r.check(path)
}

// check rejects a record that contradicts itself.
func (r *HeteroRecord) check(path string) error {
	if err := heteroFile.check(path, r.Format, r.Version); err != nil {
		return err
	}
	if len(r.Types) == 0 || len(r.Relations) == 0 {
		return refuse.Format("%s: %d types and %d relations, expected at least one of each", path, len(r.Types), len(r.Relations))
	}
	known := map[string]bool{}
	for _, t := range r.Types {
		if t.Vertices < 0 || t.Vertices >= int64(graph.None) || known[t.Name] {
			return refuse.Format("%s: type %q has %d vertices, expected 0 to %d of a type that is listed once", path,
				shortened([]byte(t.Name)), t.Vertices, graph.None-1)
		}
		known[t.Name] = true
	}
	for i, rel := range r.Relations {
		if !known[rel.Source] || !known[rel.Destination] {
			return refuse.Format("%s: relation %d leads from %q to %q, expected types that are listed", path, i,
				shortened([]byte(rel.Source)), shortened([]byte(rel.Destination)))
		}
	}
	return nil
}

// describe sets Parts, and what the record says about the folders of relations and the files of times, from those that exist. It
// rejects graphs that do not fit.
func (r *HeteroRecord) describe(folder string) error {
	for i := range r.Relations {
		parts, vertices, err := r.Relations[i].describe(filepath.Join(folder, relationName(i)))
		if err != nil {
			return err
		}
		if i > 0 && parts != r.Parts {
			return refuse.Format("%s: %d parts, expected %d as in %s", filepath.Join(folder, relationName(i)), parts, r.Parts, relationName(0))
		}
		r.Parts = parts
		for _, t := range r.Types {
			if (t.Name == r.Relations[i].Source || t.Name == r.Relations[i].Destination) && vertices < t.Vertices {
				return refuse.Format("%s: %d vertices, expected at least the %d of type %q", filepath.Join(folder, relationName(i)), vertices,
					t.Vertices, t.Name)
			}
		}
	}
	for t := range r.Types {
		text, err := readRegular(filepath.Join(folder, timesName(t)), math.MaxInt64)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		if r.Types[t].Times = ""; err == nil {
			r.Types[t].Times = sha256Text(text)
		}
	}
	return nil
}

// describe sets Edges and SHA256 from the folder of the relation. It returns the parts of the graph, 0 if it is not partitioned,
// and its vertices.
func (r *HeteroRelation) describe(folder string) (parts int, vertices int64, err error) {
	record := graphFile
	if _, err := os.Stat(filepath.Join(folder, partitionName)); err == nil {
		record = partitionFile
	}
	path := filepath.Join(folder, record.name)
	text, err := readRegular(path, record.limit+1)
	if os.IsNotExist(err) {
		return 0, 0, refuse.Format("%s is missing or incomplete: copy all folders of the heterogeneous graph", folder)
	}
	if err != nil {
		return 0, 0, err
	}
	r.SHA256 = sha256Text(text)
	if record == graphFile {
		whole, err := parseRecord(path, text)
		if err != nil {
			return 0, 0, err
		}
		r.Edges = whole.Edges
		return 0, whole.Vertices, nil
	}
	divided, err := parsePartitionRecord(path, text)
	if err != nil {
		return 0, 0, err
	}
	r.Edges = divided.Edges
	return divided.Parts, divided.Vertices, nil
}
