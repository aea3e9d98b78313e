package pybind

import (
	"encoding/json"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
)

// exported locates the arrays and tables of a graph.
type exported struct {
	Arrays  []graph.NamedArray
	Summary graph.Summary
	Derived index.Tables
}

// GraphArrays returns, as JSON, the addresses of a graph's arrays and tables. A forked child inherits the memory and passes
// the text to GraphFromArrays.
func GraphArrays(handle int64) (text string, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(exported{g.Arrays(), g.Summary(), index.ExportTables(g)})
	return string(b), err
}

// GraphFromArrays returns a graph over the arrays that GraphArrays described before a fork. It copies nothing.
func GraphFromArrays(text string) (handle int64, err error) {
	defer guard(&err)
	var l exported
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		return 0, err
	}
	g, err := graph.FromArrays(l.Arrays, l.Summary)
	if err == nil {
		index.ImportTables(g, l.Derived)
	}
	return register(g, err)
}
