package file

import (
	"os"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
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

// readEdges reads a text file into an edge list, and returns the layout that was detected. The caller must close the list and
// take over or free its names.
func readEdges(path string, o Options) (*edgeList, *layout, error) {
	s, err := openSource(path, o.Job)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	first := sniffer{blocks: &blocks{source: s}, layout: newLayout(path), options: o}
	if err := first.detect(o.Format); err != nil {
		return nil, nil, err
	}
	p, err := first.parse(o.Threads)
	if err != nil {
		return nil, nil, err
	}
	defer p.Close()
	l, err := p.edgeList(o.Threads, o.Job)
	return l, p.layout, err
}

// edgeList concatenates the parts in the order of the file and numbers the vertices. Text ids are numbered by first appearance.
// Integer ids keep their values if they are 0, 1, 2, ... without a gap, and are numbered in ascending order otherwise.
func (p *parser) edgeList(threads int, j *job.Job) (*edgeList, error) {
	l := &edgeList{}
	err := p.fill(l, threads, j)
	if err != nil {
		l.Close()
		l.freeNames()
		return nil, err
	}
	return l, nil
}

// fill allocates the arrays of a list and fills them. After an error the caller frees them.
func (p *parser) fill(l *edgeList, threads int, j *job.Job) (err error) {
	n := p.edges()
	if l.src, err = offheap.Make[uint32](n); err != nil {
		return err
	}
	if l.dst, err = offheap.Make[uint32](n); err != nil {
		return err
	}
	if p.weight >= 0 {
		if l.weights, err = offheap.Make[float64](n); err != nil {
			return err
		}
	}
	if p.time >= 0 {
		if l.times, err = offheap.Make[int64](n); err != nil {
			return err
		}
	}
	if p.label >= 0 {
		if l.labels, err = offheap.Make[int32](n); err != nil {
			return err
		}
	}
	switch {
	case p.layout.text:
		l.vertices, l.names.Text, l.names.Offsets = len(p.words.hashes), p.words.text, p.words.offsets
		p.words.text, p.words.offsets = nil, nil // owned by the list now
		return p.eachPart(threads, j, func(_ int, q part, at int) error { return p.copy(l, q, at) })
	case p.size.given:
		l.vertices = p.size.vertices
		return p.eachPart(threads, j, func(_ int, q part, at int) error { return p.copy(l, q, at) })
	}
	return p.number(l, threads, j)
}

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
