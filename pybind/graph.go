package pybind

import (
	"encoding/json"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// array is an array of the caller in a builder's arguments.
type array struct {
	Address uintptr `json:"address"`
	Length  int     `json:"length"`
	Dtype   string  `json:"dtype"`
}

func (a array) given() graph.Array {
	return graph.Array{Data: pointer(a.Address), Len: a.Length, Dtype: a.Dtype}
}

// names are the vertices' names in a builder's arguments: integers, or text with offsets.
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
			return refuse.Value("vertex_names has %d elements: expected %d, one a vertex", n.Ints.Length, vertices)
		}
		g.Names.Ints = append([]int64(nil), view[int64](n.Ints.Address, vertices)...)
	case n.Offsets.Dtype != "":
		if int64(n.Offsets.Length) != vertices+1 {
			return refuse.Value("vertex_names has %d elements: expected %d, one a vertex", n.Offsets.Length-1, vertices)
		}
		g.Names.Text = append([]byte{}, view[byte](n.Text.Address, int64(n.Text.Length))...)
		g.Names.Offsets = append([]uint64(nil), view[uint64](n.Offsets.Address, vertices+1)...)
	}
	return nil
}

// csr is the JSON of GraphFromCSR's arguments.
type csr struct {
	Indptr      array `json:"indptr"`
	Indices     array `json:"indices"`
	Weights     array `json:"weights"`
	Labels      array `json:"labels"`
	Times       array `json:"times"`
	EdgeIDs     array `json:"edge_ids"`
	NumVertices *int  `json:"num_vertices"`
	names
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
}

// GraphFromCSR builds a graph from the rows that spec, JSON, describes.
func GraphFromCSR(spec string, job uintptr) (handle int64, err error) {
	defer guard(&err)
	var c csr
	if err := json.Unmarshal([]byte(spec), &c); err != nil {
		return 0, err
	}
	g, err := build.FromCSR(build.CSR{
		Indptr: c.Indptr.given(), Indices: c.Indices.given(), Weights: c.Weights.given(), Labels: c.Labels.given(),
		Times: c.Times.given(), EdgeIDs: c.EdgeIDs.given(), NumVertices: orUnknown(c.NumVertices), Job: watched(job),
	})
	return named(g, c.names, err)
}

// GraphFromEdges builds a graph from the list of edges that spec, JSON, describes.
func GraphFromEdges(spec string, job uintptr) (handle int64, err error) {
	defer guard(&err)
	var e edges
	if err := json.Unmarshal([]byte(spec), &e); err != nil {
		return 0, err
	}
	g, err := build.FromEdges(build.Edges{
		Sources: e.Src.given(), Targets: e.Dst.given(), Weights: e.Weights.given(), Labels: e.Labels.given(),
		Times: e.Times.given(), NumVertices: orUnknown(e.NumVertices), Symmetric: e.Symmetric, Deduplicate: e.Deduplicate,
		DropSelfLoops: e.DropSelfLoops, Job: watched(job),
	})
	return named(g, e.names, err)
}

func orUnknown(vertices *int) int {
	if vertices == nil {
		return build.Unknown
	}
	return *vertices
}

// named registers a new graph with its vertices' names.
func named(g *graph.Graph, n names, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	if err := n.put(g); err != nil {
		g.Close()
		return 0, err
	}
	return graphs.add(g), nil
}

// kept registers a new graph.
func kept(g *graph.Graph, err error) (int64, error) { return named(g, names{}, err) }

// DropGraph ends a graph and gives its memory back.
func DropGraph(handle int64) (known bool, err error) {
	defer guard(&err)
	g, known := graphs.drop(handle)
	if known {
		g.Close()
	}
	return known, nil
}

// GraphInfo writes what a graph is to 14 int64: vertices, edges; the addresses of indptr, indices, ids of 4 and of 8
// bytes (0: the positions); whether it has weights; the addresses of labels, times, integer names, the names' text; that
// text's bytes; the address of the names' offsets; the largest degree.
func GraphInfo(handle int64, out uintptr) (n int64, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return 0, err
	}
	weighted := int64(0)
	if g.Weighted() {
		weighted = 1
	}
	facts := []int64{
		int64(g.NumVertices()), int64(g.NumEdges()), address(g.Indptr), address(g.Indices), address(g.EdgeIDs),
		address(g.EdgeIDs64), weighted, address(g.Labels), address(g.Times), address(g.Names.Ints), address(g.Names.Text),
		int64(len(g.Names.Text)), address(g.Names.Offsets), int64(g.MaxDegree()),
	}
	return int64(copy(view[int64](out, int64(len(facts))), facts)), nil
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

// GraphCopy copies bytes of an array of a graph, which may be mapped from a file that somebody cuts.
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
