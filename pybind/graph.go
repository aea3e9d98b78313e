package pybind

import (
	"encoding/json"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// array is an array in the caller's memory, in the JSON of a builder's arguments.
type array struct {
	Address uintptr `json:"address"`
	Length  int     `json:"length"`
	Dtype   string  `json:"dtype"`
}

// array returns the array for package graph.
func (a array) array() graph.Array {
	return graph.Array{Data: pointer(a.Address), Len: a.Length, Dtype: a.Dtype}
}

// names are the names of vertices in the JSON of a builder's arguments: integers, or text with offsets.
type names struct {
	Ints    array `json:"name_ints"`
	Text    array `json:"name_text"`
	Offsets array `json:"name_offsets"`
}

// put copies the names to the graph.
func (n names) put(g *graph.Graph) error {
	vertices := int64(g.NumVertices())
	switch {
	case n.Ints.Dtype != "":
		if int64(n.Ints.Length) != vertices {
			return refuse.Value("vertex_names has %d elements: expected %d, one per vertex", n.Ints.Length, vertices)
		}
	case n.Offsets.Dtype != "":
		if int64(n.Offsets.Length) != vertices+1 {
			return refuse.Value("vertex_names has %d elements: expected %d, one per vertex", n.Offsets.Length-1, vertices)
		}
	default:
		return nil
	}
	g.Names = n.copied(g.NumVertices())
	return nil
}

// copied returns a copy of the names.
func (n names) copied(vertices int) (made graph.Names) {
	if n.Ints.Dtype != "" {
		made.Ints = append([]int64(nil), view[int64](n.Ints.Address, int64(vertices))...)
	}
	if n.Offsets.Dtype != "" {
		made.Text = append([]byte{}, view[byte](n.Text.Address, int64(n.Text.Length))...)
		made.Offsets = append([]uint64(nil), view[uint64](n.Offsets.Address, int64(vertices)+1)...)
	}
	return made
}

// csr is the JSON of GraphFromCSR's arguments.
type csr struct {
	Indptr      array `json:"indptr"`
	Indices     array `json:"indices"`
	Weights     array `json:"weights"`
	Labels      array `json:"labels"`
	Times       array `json:"times"`
	EdgeIDs     array `json:"edge_ids"`
	NoEdgeIDs   bool  `json:"no_edge_ids"`
	NextID      int64 `json:"next_id"` // as graph.Graph.NextID
	NumVertices *int  `json:"num_vertices"`
	names
	meaning
}

// edges is the JSON of GraphFromEdges' arguments.
type edges struct {
	Src           array `json:"src"`
	Dst           array `json:"dst"`
	Weights       array `json:"weights"`
	Labels        array `json:"labels"`
	Times         array `json:"times"`
	NumVertices   *int  `json:"num_vertices"`
	Symmetric     bool  `json:"symmetric"`
	Deduplicate   bool  `json:"deduplicate"`
	DropSelfLoops bool  `json:"drop_self_loops"`
	names
	meaning
}

// meaning is what the integers of times and labels stand for.
type meaning struct {
	TimeUnit   string   `json:"time_unit"`
	LabelNames []string `json:"label_names"`
}

// GraphMeaning returns, as JSON, the unit of a graph's times and the texts of its labels.
func GraphMeaning(handle int64) (text string, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(meaning{g.TimeUnit, g.LabelNames})
	return string(b), err
}

// GraphFromCSR builds a graph from compressed rows. spec has the arrays and options as JSON.
func GraphFromCSR(spec string, job uintptr) (handle int64, err error) {
	defer guard(&err)
	var c csr
	if err := json.Unmarshal([]byte(spec), &c); err != nil {
		return 0, err
	}
	g, err := build.FromCSR(build.CSR{
		Indptr: c.Indptr.array(), Indices: c.Indices.array(), Weights: c.Weights.array(), Labels: c.Labels.array(),
		Times: c.Times.array(), EdgeIDs: c.EdgeIDs.array(), NumVertices: countOrUnknown(c.NumVertices), Job: jobAt(job),
	})
	if err == nil {
		g.NoEdgeIDs, g.NextID = c.NoEdgeIDs, uint64(c.NextID)
	}
	return registerMeant(g, c.names, c.meaning, err)
}

// GraphFromEdges builds a graph from a list of edges. spec has the arrays and options as JSON.
func GraphFromEdges(spec string, job uintptr) (handle int64, err error) {
	defer guard(&err)
	var e edges
	if err := json.Unmarshal([]byte(spec), &e); err != nil {
		return 0, err
	}
	g, err := build.FromEdges(build.Edges{
		Sources: e.Src.array(), Targets: e.Dst.array(), Weights: e.Weights.array(), Labels: e.Labels.array(),
		Times: e.Times.array(), NumVertices: countOrUnknown(e.NumVertices), Symmetric: e.Symmetric, Deduplicate: e.Deduplicate,
		DropSelfLoops: e.DropSelfLoops, Job: jobAt(job),
	})
	return registerMeant(g, e.names, e.meaning, err)
}

// countOrUnknown returns the number of vertices, or build.Unknown for null.
func countOrUnknown(vertices *int) int {
	if vertices == nil {
		return build.Unknown
	}
	return *vertices
}

// registerNamed registers a new graph with the names of its vertices, unless err is set. If the names are invalid, it closes
// the graph.
func registerNamed(g *graph.Graph, n names, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	if err := n.put(g); err != nil {
		g.Close()
		return 0, err
	}
	return graphs.add(g), nil
}

// registerMeant is registerNamed for a graph whose times or labels have a meaning.
func registerMeant(g *graph.Graph, n names, m meaning, err error) (int64, error) {
	if err == nil {
		g.TimeUnit, g.LabelNames = m.TimeUnit, m.LabelNames
	}
	return registerNamed(g, n, err)
}

// register registers a new graph, unless err is set.
func register(g *graph.Graph, err error) (int64, error) { return registerNamed(g, names{}, err) }

// DropGraph closes a graph, which frees its memory.
func DropGraph(handle int64) (known bool, err error) {
	defer guard(&err)
	g, known := graphs.drop(handle)
	if known {
		g.Close()
	}
	return known, nil
}

// GraphInfo writes 16 int64 to out: the numbers of vertices and edges; the addresses of indptr, indices, and edge ids of 4
// and of 8 bytes (both 0: the positions are the ids); 1 if the graph has weights; the addresses of labels and times, which are
// 0 only if the graph has none; the addresses of integer names and the text of names; the bytes of that text; the address of
// its offsets; the largest degree; 1 if the edges have no ids; the id of the
// next edge, or 0.
func GraphInfo(handle int64, out uintptr) (n int64, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return 0, err
	}
	weighted, unnamed := int64(0), int64(0)
	if g.Weighted() {
		weighted = 1
	}
	if g.NoEdgeIDs {
		unnamed = 1
	}
	fields := []int64{
		int64(g.NumVertices()), int64(g.NumEdges()), address(g.Indptr), address(g.Indices), address(g.EdgeIDs),
		address(g.EdgeIDs64), weighted, presence(g.Labels), presence(g.Times), address(g.Names.Ints), address(g.Names.Text),
		int64(len(g.Names.Text)), address(g.Names.Offsets), int64(g.MaxDegree()), unnamed,
		int64(g.NextID),
	}
	return int64(copy(view[int64](out, int64(len(fields))), fields)), nil
}

// GraphWeights writes the weight of each edge, a float64, to out.
func GraphWeights(handle int64, out uintptr, edges int64) (n int64, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return 0, err
	}
	return edges, graph.EdgeWeights(g, view[float64](out, edges))
}

// GraphRanges returns an index.EdgeRanges as JSON; with ends, the index.Degrees of the vertices to which edges lead. The first
// call for a graph reads the attributes, or the end points, of all edges.
func GraphRanges(handle int64, ends bool, job uintptr) (text string, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return "", err
	}
	var found any
	err = readMapped(g, func() (err error) {
		if ends {
			found, err = index.EndDegrees(g, graph.Options{Job: jobAt(job)})
		} else {
			found, err = index.EdgeRangesOf(g, graph.Options{Job: jobAt(job)})
		}
		return err
	})
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(found)
	return string(b), err
}

// GraphProbes returns count values of index.Probe as JSON.
func GraphProbes(handle int64, count int64, job uintptr) (text string, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return "", err
	}
	var found []index.Probe
	err = readMapped(g, func() (err error) {
		found, err = index.Probes(g, int(count), graph.Options{Job: jobAt(job)})
		return err
	})
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(found)
	return string(b), err
}

// GraphCopy copies count bytes of an array of a graph to out. If the graph is mapped from a file that was truncated, it
// returns an error instead of a memory fault.
func GraphCopy(handle int64, source uintptr, out uintptr, count int64) (n int64, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return 0, err
	}
	return count, g.Blame(parallel.Do(1, func(int) error {
		copy(view[byte](out, count), view[byte](source, count))
		return nil
	}))
}
