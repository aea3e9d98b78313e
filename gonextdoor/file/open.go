package file

import (
	"bytes"
	"path/filepath"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// Open maps the graph of a folder that Save or Writer wrote. It reads the record and the headers only, so its time does not
// depend on the size of the graph. The first Validate checks the content of the arrays, once. The graph owns the mappings,
// which end with Graph.Close.
func Open(path string) (*graph.Graph, error) {
	r, err := readRecord(path)
	if err != nil {
		return nil, asPartitioned(path, err)
	}
	if r.Ends > r.Vertices {
		return nil, refuse.Format("%s has a part of a graph, whose edges lead to vertices of other parts: open the folder above it "+
			"with gonextdoor.partition.open", path)
	}
	return openRecord(path, r)
}

// openRecord maps the graph of a folder whose record has been read.
func openRecord(path string, r *record) (g *graph.Graph, err error) {
	if path, err = filepath.Abs(path); err != nil { // the working directory may change before Validate
		return nil, err
	}
	f := &graphFolder{path: path, record: r}
	if g, err = f.graph(); err != nil {
		f.Close()
		return nil, err
	}
	g.CheckWith(func(opts graph.Options, scan func() error) error { return f.check(g, opts, scan) })
	g.OnClose(f.Close)
	return g, nil
}

// asPartitioned returns err, or the advice to open a folder as a partitioned or heterogeneous graph if it is one.
func asPartitioned(folder string, err error) error {
	if _, text, failed := partitionFile.read(folder); failed == nil && bytes.Contains(text, []byte(partitionFormat)) {
		return refuse.Format("%s has a partitioned graph: open it with gonextdoor.partition.open", folder)
	}
	if r, failed := readHeteroRecord(folder); failed == nil && r.Parts > 0 {
		return refuse.Format("%s has a partitioned heterogeneous graph: open it with gonextdoor.partition.open", folder)
	} else if failed == nil {
		return refuse.Format("%s has a heterogeneous graph: open it with gonextdoor.HeteroGraph.open", folder)
	}
	return err
}
