package pybind

import (
	"encoding/json"

	"gonextdoor/gonextdoor/file"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
)

// GraphRead reads a graph from the file that spec, JSON, names. It counts bytes of the file. It returns the graph's handle
// and what was decided, as JSON.
func GraphRead(spec string, job uintptr) (read string, err error) {
	defer guard(&err)
	var s struct {
		Path      string       `json:"path"`
		Format    string       `json:"format"`
		Header    file.Answer  `json:"header"`
		Symmetric file.Answer  `json:"symmetric"`
		Columns   file.Choices `json:"columns"`
	}
	if err := json.Unmarshal([]byte(spec), &s); err != nil {
		return "", err
	}
	var made struct {
		Graph int64 `json:"graph"`
		file.Report
	}
	made.Graph, err = kept(file.Read(s.Path, file.Options{
		Format: s.Format, Columns: s.Columns, Header: s.Header, Symmetric: s.Symmetric, Job: watched(job), Report: &made.Report,
	}))
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(made)
	return string(text), err
}

// GraphOpen opens the folder of a graph.
func GraphOpen(folder string) (handle int64, err error) {
	defer guard(&err)
	return kept(file.Open(folder))
}

// GraphSave writes a graph to a folder. It counts bytes, GraphSavedBytes in all.
func GraphSave(handle int64, folder string, job uintptr) (known bool, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return false, err
	}
	return true, file.Save(g, folder, watched(job))
}

// GraphSavedBytes gives the bytes that GraphSave writes.
func GraphSavedBytes(handle int64) (n int64, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return 0, err
	}
	return file.SavedBytes(g), nil
}

// GraphCheck reads the arrays of a graph that is mapped from a folder through, unless it was done before.
func GraphCheck(handle int64, job uintptr) (known bool, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return false, err
	}
	return true, g.ValidateWith(graph.Options{Job: watched(job)})
}

// GraphRmat makes the R-MAT graph that spec, JSON, describes. Its job counts what RMAT.Work says.
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
	return kept(file.Generate(build.RMAT{
		Scale: s.Scale, EdgeFactor: s.EdgeFactor, A: s.A, B: s.B, C: s.C, Low: s.Weights[0], High: s.Weights[1],
		Symmetric: s.Symmetric, Seed: s.Seed, Job: watched(job),
	}, s.Folder))
}

// GraphReverse makes the graph of the edges turned round.
func GraphReverse(handle int64, job uintptr) (reversed int64, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return 0, err
	}
	if err := g.Validate(); err != nil {
		return 0, err
	}
	reverse, err := build.Reverse(g, 0, watched(job))
	if bad := g.Blame(err); bad != nil {
		if err == nil {
			reverse.Close()
		}
		return 0, bad
	}
	return kept(reverse, nil)
}
