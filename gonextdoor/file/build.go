package file

import (
	"os"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// Read reads a graph from a file that others wrote, or opens the folder of a graph.
func Read(path string, o Options) (*graph.Graph, error) {
	if err := o.check(path); err != nil {
		return nil, err
	}
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if st.IsDir() || o.Format == "folder" {
		if o.Format != "" && o.Format != "folder" {
			return nil, refuse.Value("%s is a folder, format is %q", path, o.Format)
		}
		return readFolder(path, o)
	}
	l, settled, err := readEdges(path, o)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	return l.graph(o, settled.size.symmetric)
}

// readFolder opens a graph's folder, which has its own mind about weights and directions.
func readFolder(path string, o Options) (*graph.Graph, error) {
	if o.Symmetric {
		return nil, refuse.Value("symmetric=True: the graph of a folder is used as it was saved; it cannot be made symmetric")
	}
	g, err := Open(path)
	if err != nil {
		return nil, err
	}
	switch {
	case o.Weighted == Required && !g.Weighted():
		g.Close()
		return nil, refuse.Value("weighted=True: the graph in %s has no weights", path)
	case o.Weighted == Ignored:
		g.Biases, g.Scales = nil, nil
	}
	return g, nil
}

// graph builds the rows.
func (l *list) graph(o Options, symmetric bool) (*graph.Graph, error) {
	e := graph.Edges{
		Sources: graph.ArrayOf(l.src), Targets: graph.ArrayOf(l.dst), NumVertices: l.vertices,
		Symmetric: o.Symmetric || symmetric, Threads: o.Threads, Job: o.Job,
	}
	if l.weights != nil {
		e.Weights = graph.ArrayOf(l.weights)
	}
	g, err := graph.FromEdges(e)
	if err != nil {
		l.freeNames()
		return nil, err
	}
	g.Names = l.names
	g.OnClose(l.freeNames)
	return g, nil
}
