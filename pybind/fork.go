package pybind

import (
	"encoding/json"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
)

// lying says where all of a graph lies.
type lying struct {
	Arrays  []graph.NamedArray
	Numbers graph.Numbers
	Derived index.Tables
}

// GraphArrays gives as JSON where all of a graph lies, for AdoptGraph in a forked child, which inherits the memory.
func GraphArrays(handle int64) (text string, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(lying{g.Arrays(), g.Numbers(), index.ExportTables(g)})
	return string(b), err
}

// AdoptGraph makes a graph of what GraphArrays gave before a fork.
func AdoptGraph(text string) (handle int64, err error) {
	defer guard(&err)
	var l lying
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		return 0, err
	}
	g, err := graph.FromArrays(l.Arrays, l.Numbers)
	if err == nil {
		index.ImportTables(g, l.Derived)
	}
	return kept(g, err)
}
