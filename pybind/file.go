package pybind

import (
	"encoding/json"

	"gonextdoor/gonextdoor/file"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// GraphRead reads a graph from a file. spec has the arguments as JSON. The job counts bytes of the file. It returns, as JSON,
// the handle of the graph and a file.Report of the format and columns that were detected.
func GraphRead(spec string, job uintptr) (read string, err error) {
	defer guard(&err)
	var s struct {
		Path      string       `json:"path"`
		Format    string       `json:"format"`
		Header    file.Answer  `json:"header"`
		Symmetric file.Answer  `json:"symmetric"`
		IDs       file.IDs     `json:"ids"`
		Bipartite file.Answer  `json:"bipartite"`
		Columns   file.Choices `json:"columns"`
	}
	if err := json.Unmarshal([]byte(spec), &s); err != nil {
		return "", err
	}
	var made struct {
		Graph int64 `json:"graph"`
		file.Report
	}
	made.Graph, err = register(file.Read(s.Path, file.Options{
		Format: s.Format, Columns: s.Columns, Header: s.Header, Symmetric: s.Symmetric, IDs: s.IDs, Bipartite: s.Bipartite, Job: jobAt(job), Report: &made.Report,
	}))
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(made)
	return string(text), err
}

// GraphOpen maps a graph from the folder that GraphSave wrote.
func GraphOpen(folder string) (handle int64, err error) {
	defer guard(&err)
	return register(file.Open(folder))
}

// GraphSave writes a graph to a folder, with or without the ids of its edges and alias tables. The job counts bytes,
// GraphSavedBytes in total.
func GraphSave(handle int64, folder string, ids bool, alias bool, job uintptr) (known bool, err error) {
	defer guard(&err)
	g, err := graphToWrite(handle, ids, jobAt(job))
	if err != nil {
		return false, err
	}
	defer g.Close()
	if alias {
		if g.Alias, err = aliasWords(handle, jobAt(job)); err != nil {
			return false, err
		}
	}
	return true, file.Save(g, folder, jobAt(job))
}

// graphToWrite returns a view of a valid graph without alias tables, with or without the ids of its edges. The caller closes it.
func graphToWrite(handle int64, ids bool, j *job.Job) (*graph.Graph, error) {
	g, err := graphs.get(handle)
	if err == nil {
		err = g.ValidateWith(graph.Options{Job: j})
	}
	if err != nil {
		return nil, err
	}
	return graph.Written(g, ids, nil), nil
}

// aliasWords returns the alias tables of a graph, for its folder.
func aliasWords(handle int64, j *job.Job) (words []uint32, err error) {
	g, err := graphs.get(handle)
	if err != nil {
		return nil, err
	}
	if !g.Weighted() {
		return nil, refuse.Value("alias_tables = True: the graph has no weights; leave it out")
	}
	return words, readMapped(g, func() (err error) {
		words, err = index.AliasWords(g, graph.Options{Job: j})
		return err
	})
}

// GraphSavedBytes returns the number of bytes that GraphSave writes.
func GraphSavedBytes(handle int64, ids bool, alias bool) (n int64, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return 0, err
	}
	n = file.SavedBytes(graph.Written(g, ids, nil))
	if alias {
		n += index.AliasTable.Bytes(g)
	}
	return n, nil
}

// GraphCheck validates all arrays of a graph, which reads a mapped graph completely. The first success is remembered.
func GraphCheck(handle int64, job uintptr) (known bool, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return false, err
	}
	return true, g.ValidateWith(graph.Options{Job: jobAt(job)})
}

// GraphRmat generates an R-MAT graph. spec has the parameters as JSON. The job counts the units of RMAT.Work.
func GraphRmat(spec string, job uintptr) (handle int64, err error) {
	defer guard(&err)
	var s struct {
		Scale      int        `json:"scale"`
		EdgeFactor int        `json:"edge_factor"`
		A          float64    `json:"a"`
		B          float64    `json:"b"`
		C          float64    `json:"c"`
		Weights    [2]float64 `json:"weights"`
		Symmetric  bool       `json:"symmetric"`
		Seed       uint64     `json:"seed"`
		Folder     string     `json:"folder"`
	}
	if err := json.Unmarshal([]byte(spec), &s); err != nil {
		return 0, err
	}
	return register(file.Generate(build.RMAT{
		Scale: s.Scale, EdgeFactor: s.EdgeFactor, A: s.A, B: s.B, C: s.C, Low: s.Weights[0], High: s.Weights[1],
		Symmetric: s.Symmetric, Seed: s.Seed, Job: jobAt(job),
	}, s.Folder))
}

// GraphReverse returns a graph with all edges reversed.
func GraphReverse(handle int64, job uintptr) (reversed int64, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return 0, err
	}
	if err := g.Validate(); err != nil {
		return 0, err
	}
	reverse, err := build.Reverse(g, 0, jobAt(job))
	if bad := g.Blame(err); bad != nil {
		if err == nil {
			reverse.Close()
		}
		return 0, bad
	}
	return register(reverse, nil)
}
