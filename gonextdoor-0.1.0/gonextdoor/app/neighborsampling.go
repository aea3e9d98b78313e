package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// NeighborSampling samples the multi-hop neighbourhood of a batch of seed nodes (PGSampler; the message-flow graphs of DGL,
// the sampled subgraphs of PyG). In each hop and relation, every node of the frontier takes its fan-out of edges, uniformly
// at random or in proportion to their weights. A vertex is one node of the batch, no matter how many edges lead to it.
//
// A node with fewer edges than the fan-out takes all of them (without replacement). A node without edges takes none, and
// stays in the batch.
type NeighborSampling struct {
	Fanouts  [][]int  `json:"fanouts"`  // by hop, from the seed nodes outwards, and relation: 0 to 2^28, or -1 for all edges
	Replace  bool     `json:"replace"`  // whether a node may take an edge several times
	Weighted Weighted `json:"weighted"` // Auto: choices follow the weights of those relations that have weights
	Expand   Expand   `json:"expand"`
	Disjoint bool     `json:"disjoint"` // whether each seed node has a separate tree, which shares no node with others
	Temporal Temporal `json:"temporal"`
	Layout   Layout   `json:"layout"`
	Method   Method   `json:"method"`

	LayerDependency bool `json:"layer_dependency"` // LABOR: whether all hops share the random numbers of end points
}

// Expand selects the frontier of a hop.
type Expand string

// The values of Expand.
const (
	ExpandAll Expand = "all" // every node discovered so far, as in DGL's blocks; also the zero value
	ExpandNew Expand = "new" // the nodes that the previous hop discovered, as in PyG
)

// Temporal selects how edges are chosen among those whose time is not after that of the tree's root. The zero value ignores
// times.
type Temporal string

// The values of Temporal.
const (
	TemporalUniform Temporal = "uniform" // uniformly at random, or in proportion to their weights
	TemporalLast    Temporal = "last"    // the latest
)

// Layout selects the layout of the edges in the result of engines; see output.NeighborBatch.
type Layout string

// The values of Layout.
const (
	CSC Layout = "csc" // by hop and destination; also the zero value
	COO Layout = "coo" // as pairs
)

// Method selects how the vertices of a hop choose their edges.
type Method string

// The values of Method. In LABOR (Balin and Catalyurek, NeurIPS 2023) each end point has one random number in a hop, which all
// vertices with an edge to it share. So they tend to take the same end points, and a batch has fewer nodes.
const (
	MethodNeighbor     Method = "neighbor"      // each vertex independently; also the zero value
	MethodLabor        Method = "labor"         // LABOR-0 by sequential Poisson sampling: as many edges as the fan-out
	MethodLaborPoisson Method = "labor-poisson" // LABOR-0 by Poisson sampling: the fan-out is the expected number of edges
)

// Labor reports whether the vertices of a hop share the random numbers of end points.
func (a *NeighborSampling) Labor() bool {
	return a.Method == MethodLabor || a.Method == MethodLaborPoisson
}

// Check returns an error if the parameters are invalid for every graph, or contradict one another.
func (a *NeighborSampling) Check() error {
	for h, fanouts := range a.Fanouts {
		for r, f := range fanouts {
			if f < -1 || f > MaxWidth {
				return refuse.Value("fanouts[%d][%d] = %d: expected from 0 to 2^28, or -1 for all", h, r, f)
			}
		}
	}
	switch {
	case len(a.Fanouts) == 0:
		return refuse.Value("fanouts is empty: expected one number per hop")
	case a.Expand != "" && a.Expand != ExpandAll && a.Expand != ExpandNew:
		return refuse.Value("expand = %q: expected \"all\" or \"new\"", string(a.Expand))
	case a.Layout != "" && a.Layout != CSC && a.Layout != COO:
		return refuse.Value("layout = %q: expected \"csc\" or \"coo\"", string(a.Layout))
	case a.Temporal != "" && a.Temporal != TemporalUniform && a.Temporal != TemporalLast:
		return refuse.Value("temporal = %q: expected \"uniform\" or \"last\"", string(a.Temporal))
	case a.Temporal != "" && !a.Disjoint:
		return refuse.Value("disjoint = False: expected True with temporal = %q, since each seed has its own time", string(a.Temporal))
	case a.Temporal == TemporalLast && a.Replace:
		return refuse.Value("replace = True: expected False with temporal = \"last\", which takes each of the latest edges once")
	}
	if err := a.checkMethod(); err != nil {
		return err
	}
	return a.Weighted.CheckStored()
}

// checkMethod returns an error if Method is unknown or contradicts another parameter.
func (a *NeighborSampling) checkMethod() error {
	name := string(a.Method)
	if !a.Labor() {
		switch {
		case a.Method != "" && a.Method != MethodNeighbor:
			return refuse.Value(
				"method = %q: expected \"neighbor\", \"labor\" or \"labor-poisson\"; the importance sampling of LABOR-1 and LABOR-* is not supported", name)
		case a.LayerDependency:
			return refuse.Value("layer_dependency = True: expected False with method = \"neighbor\", in which vertices share no random numbers")
		}
		return nil
	}
	switch {
	case a.Replace:
		return refuse.Value("replace = True: expected False with method = %q, which takes an edge at most once", name)
	case a.Temporal != "":
		return refuse.Value("temporal = %q: expected None with method = %q, which does not support times", string(a.Temporal), name)
	case a.Disjoint:
		return refuse.Value("disjoint = True: expected False with method = %q, whose seed nodes share their neighbours", name)
	case a.Method == MethodLaborPoisson && a.Weighted == Yes:
		return a.poissonWeights()
	}
	return nil
}

// poissonWeights returns the refusal of weights.
func (a *NeighborSampling) poissonWeights() error {
	return refuse.Value("method = %q: does not support weights; use method = \"labor\", or weighted = False", string(a.Method))
}

// Weighs reports whether the choices among the edges of g, the graph of a relation, follow their weights.
func (a *NeighborSampling) Weighs(g *graph.Graph) bool { return a.Weighted.Follows(g) }

// Tabled reports whether the choices among the edges of relation r follow their weights by alias tables.
func (a *NeighborSampling) Tabled(h *graph.Hetero, r int) bool {
	return a.Weighs(h.Relations[r].Graph) && !a.Labor() && (a.Temporal == "" || !h.Timed(r))
}

// Bind returns an error if h does not suit the app. It builds no tables: see BuildTables.
func (a *NeighborSampling) Bind(h *graph.Hetero) error {
	timed := a.Temporal == ""
	for hop, fanouts := range a.Fanouts {
		if len(fanouts) != len(h.Relations) {
			return refuse.Value("fanouts[%d] has %d numbers: expected %d, one per relation", hop, len(fanouts), len(h.Relations))
		}
	}
	for i, r := range h.Relations {
		if a.Weighted == Yes && !r.Graph.Weighted() {
			return refuse.Value("weighted = True: %s has no weights", h.OfRelation("the graph", i))
		}
		if a.Method == MethodLaborPoisson && a.Weighs(r.Graph) {
			return a.poissonWeights()
		}
		timed = timed || h.Timed(i)
	}
	if !timed {
		return refuse.Value("temporal = %q: the graph has no times, neither of edges nor of vertices", string(a.Temporal))
	}
	return nil
}

// BuildTables builds the alias tables that choices on a CPU read, unless they exist.
func (a *NeighborSampling) BuildTables(h *graph.Hetero, o graph.Options) error {
	for i, r := range h.Relations {
		if a.Tabled(h, i) {
			if err := index.BuildAlias(r.Graph, o); err != nil {
				return err
			}
		}
	}
	return nil
}

// Selector is Uniform, Alias, Permute, Successive, SequentialPoisson or Poisson, for a graph with one relation.
func (a *NeighborSampling) Selector() string {
	switch a.Method {
	case MethodLabor:
		return "SequentialPoisson"
	case MethodLaborPoisson:
		return "Poisson"
	}
	return FanoutSelector(a.Replace, a.Weighted)
}

// HopStream returns the stream of a relation in a hop. The key of the choices of a vertex is Key(vertex), so they do not
// depend on its place in the batch. If trees are disjoint it is Key(tree).Stream(0).Key(vertex). The purpose Batches makes
// these keys different from those of KHop, whose sample 0 would otherwise have the same ones.
func HopStream(seed uint64, relation, hop int) rng.Stream {
	return rng.NewStream(seed, rng.Batches).Key(uint64(relation)).Stream(uint64(hop))
}
