package file

import (
	"os"
	"path/filepath"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/refuse"
)

// Read reads a graph from a text file, or opens the folder of a graph. The caller must call Close on the graph, which frees
// its arrays. The graph and the error do not depend on the number of threads.
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
	l, found, err := readEdges(path, o)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	return l.graph(o, l.direction(found, o))
}

// readFolder opens the folder of a graph, as it was saved. Options can omit weights, times and labels; all others that would
// change the graph are rejected.
func readFolder(path string, o Options) (*graph.Graph, error) {
	if o.Symmetric == Yes {
		return nil, refuse.Value("symmetric=True: the graph of a folder is used as it was saved; it cannot be made symmetric")
	}
	if o.Header != Unsaid {
		return nil, refuse.Value("header: %s is the folder of a graph, which has no header", path)
	}
	for _, c := range o.Columns.all() {
		if c.choice.Name != nil || c.choice.Number != nil {
			return nil, refuse.Value("%s: %s is the folder of a graph, which has no columns to choose from", c.role, path)
		}
	}
	g, err := Open(path)
	if err != nil {
		return nil, err
	}
	if o.Columns.Weight.Use == Required && !g.Weighted() {
		g.Close()
		return nil, refuse.Value("weight=True: the graph in %s has no weights", path)
	}
	o.Report.Source = base(path) + ": the folder of a graph, as it was saved"
	if o.Columns.Weight.Use == Ignored && g.Weighted() {
		g.Biases, g.Scales = nil, nil
		o.Report.Source += ", without its weights"
	}
	if o.Columns.Time.Use == Ignored && g.Times != nil {
		g.Times = nil
		o.Report.Source += ", without its times"
	}
	if o.Columns.Label.Use == Ignored && g.Labels != nil {
		g.Labels = nil
		o.Report.Source += ", without its labels"
	}
	return g, nil
}

// base returns the last element of a path, shortened for a message.
func base(path string) string { return shortened([]byte(filepath.Base(path))) }

// direction decides whether to add the reverse of each edge, and writes the decision to the report.
func (l *edgeList) direction(found *layout, o Options) bool {
	symmetric, why := o.Symmetric == Yes, ""
	if found.undirected != "" {
		why = ", although " + found.undirected
		if o.Symmetric == Unsaid {
			symmetric, why = true, ", as "+found.undirected
			if !found.size.given && l.bothDirections() {
				symmetric, why = false, ", since the file lists both directions of each edge; "+found.undirected
			}
		} else if symmetric {
			why = ""
		}
	}
	o.Report.Source = base(found.path) + ": " + found.said
	if symmetric {
		o.Report.Source += "; symmetric=True" + why
	} else {
		o.Report.Source += "; symmetric=False" + why
	}
	return symmetric
}

// graph builds the graph from the list. The graph takes over the names; the other arrays stay with the list.
func (l *edgeList) graph(o Options, symmetric bool) (*graph.Graph, error) {
	e := build.Edges{
		Sources: graph.ArrayOf(l.src), Targets: graph.ArrayOf(l.dst), NumVertices: l.vertices,
		Symmetric: symmetric, Private: true, Threads: o.Threads, Job: o.Job,
	}
	if l.weights != nil {
		e.Weights = graph.ArrayOf(l.weights)
	}
	if l.times != nil {
		e.Times = graph.ArrayOf(l.times)
	}
	if l.labels != nil {
		e.Labels = graph.ArrayOf(l.labels)
	}
	g, err := build.FromEdges(e)
	if err != nil {
		l.freeNames()
		return nil, err
	}
	g.Names = l.names
	g.OnClose(l.freeNames)
	return g, nil
}
