package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// GraphSAINT takes vertices by one of four methods and all edges between them (GraphSAINT, Zeng et al., ICLR'20, algorithm
// 2). A sample has every vertex once, in the order of first appearance.
//
//   - node: Budget draws with replacement, of a vertex u in proportion to the sum of 1/deg(v)^2 over the edges (v, u).
//     Without parallel edges that is its column's squared norm in the adjacency matrix whose rows are divided by their
//     degrees.
//   - edge: Budget draws with replacement, of an edge (u, v) in proportion to 1/deg(u) + 1/deg(v); both its ends.
//   - walk: Roots vertices, all alike, and a walk of Length steps from each.
//   - multidimensional: a frontier of Roots vertices, all alike; then, Budget - Roots times, one of the frontier in proportion
//     to its degree, whose place a neighbour takes. As printed there, the sample holds the first frontier and those that
//     were taken from it.
type GraphSAINT struct {
	rootless
	Method string `json:"method"`
	Budget int    `json:"budget"`
	Roots  int    `json:"roots"`
	Length int    `json:"length"`
	biases index.Cumulative
}

// The methods.
const (
	NodeMethod             = "node"
	EdgeMethod             = "edge"
	WalkMethod             = "walk"
	MultidimensionalMethod = "multidimensional"
)

// Name is "GraphSAINT".
func (a *GraphSAINT) Name() string { return "GraphSAINT" }

// Check refuses a method that is none, and parameters that are out of range or not the method's.
func (a *GraphSAINT) Check() error {
	takes, ok := map[string][3]bool{
		NodeMethod: {true, false, false}, EdgeMethod: {true, false, false},
		WalkMethod: {false, true, true}, MultidimensionalMethod: {true, true, false},
	}[a.Method]
	if !ok {
		return refuse.Value("method = %q: expected \"node\", \"edge\", \"walk\" or \"multidimensional\"", a.Method)
	}
	for i, p := range []struct {
		name  string
		value int
	}{{"budget", a.Budget}, {"roots", a.Roots}, {"length", a.Length}} {
		if !takes[i] && p.value != 0 {
			return refuse.Value("%s = %d: method %q takes none", p.name, p.value, a.Method)
		}
		if takes[i] {
			if err := checkDraws(p.name, p.value); err != nil {
				return err
			}
		}
	}
	if a.Method == MultidimensionalMethod && a.Budget < a.Roots {
		return refuse.Value("budget = %d: expected at least roots = %d", a.Budget, a.Roots)
	}
	if a.Method == WalkMethod && (a.Length > MaxLength || a.Roots > maxWidth/(a.Length+1)) {
		return refuse.Value("roots = %d, length = %d: expected at most 2^28 vertices a sample", a.Roots, a.Length)
	}
	return nil
}

// Tables is the graph's table of the method.
func (a *GraphSAINT) Tables(*graph.Graph) []*index.Table {
	switch a.Method {
	case NodeMethod:
		return []*index.Table{index.ColumnNormsTable}
	case EdgeMethod:
		return []*index.Table{index.EdgeSharesTable}
	}
	return nil
}

func (a *GraphSAINT) table(g *graph.Graph, options graph.Options) (index.Cumulative, error) {
	switch a.Method {
	case NodeMethod:
		return index.ColumnNorms(g, options)
	case EdgeMethod:
		return index.EdgeShares(g, options)
	}
	return index.Cumulative{}, nil
}

// Bind finds the graph's table of the method.
func (a *GraphSAINT) Bind(g *graph.Graph) (App, error) {
	bound := *a
	var err error
	bound.biases, err = a.table(g, graph.Options{})
	return &bound, err
}

// Biases gives the table of a bound app's method.
func (a *GraphSAINT) Biases() index.Cumulative { return a.biases }

// Selector is Search, Uniform, or Scan over Uniform.
func (a *GraphSAINT) Selector() string {
	switch a.Method {
	case WalkMethod:
		return "Uniform"
	case MultidimensionalMethod:
		return "Scan, Uniform"
	}
	return "Search"
}

// saintDraws is the cost of a draw of each method, in operations.
var saintDraws = map[string]float64{NodeMethod: 48, EdgeMethod: 390, WalkMethod: 48, MultidimensionalMethod: 96}

// Expect returns the draws, though a vertex may be drawn again. The rows of the vertices are read for the edges: those that
// are reached by an edge, or drawn by importance, are larger than others.
func (a *GraphSAINT) Expect(_ int, on Size) Expected {
	roots, n, rows := float64(a.Roots), float64(a.Budget), on.Neighbor()
	vertices := n
	switch a.Method {
	case EdgeMethod: // both ends of each edge, of which one has a small row
		vertices, rows = 2*n, rows/2
	case WalkMethod: // which returns to vertices that are there
		n = roots * (1 + on.Steps(float64(a.Length), 0))
		vertices, rows = n, rows/2
	case MultidimensionalMethod: // until all of the frontier are sinks
		n = min(n, roots*(1+on.Steps(n, 0)))
		vertices, rows = n, 0.8*rows
	}
	return Expected{n, n*saintDraws[a.Method] + vertices*rows}
}

// Sample makes draw i, of a root too, with the word at slot i of DrawKey.
func (a *GraphSAINT) Sample(g *graph.Graph, key rng.Key, _ []uint32, row Row) Row {
	s := gather(row)
	switch a.Method {
	case NodeMethod, EdgeMethod:
		for i := range a.Budget {
			if i%drawsPerCheck == 0 && s.row.Stopped() {
				break
			}
			at := selector.Search(DrawKey(key).Word(uint64(i)), a.biases)
			switch {
			case at < 0:
			case a.Method == NodeMethod:
				s.discover(uint32(at), graph.NoEdge, -1)
			default:
				s.edge(g, uint64(at))
			}
		}
	default:
		var frontier []discovered
		for i := range a.Roots {
			if v := selector.Uniform(DrawKey(key).Word(uint64(i)), uint64(g.NumVertices())); v >= 0 {
				frontier = append(frontier, discovered{uint32(v), graph.NoEdge, -1})
			}
		}
		if a.Method == WalkMethod {
			a.walk(&s, g, key, frontier)
		} else {
			a.replace(&s, g, key, frontier)
		}
	}
	return induce(g, s.row.oneStep())
}

// drawsPerCheck is how many draws are made between two looks at whether the sample is still wanted.
const drawsPerCheck = 4096

// discovered is a vertex with the edge and the place that it was reached by.
type discovered struct {
	vertex   uint32
	position uint64
	parent   int32
}

// walk has all walks take step s, from 1, with word 0 of Stream(s).Key(walk). A walk ends at a sink. The vertices of a
// walk come one behind the other.
func (a *GraphSAINT) walk(s *gathering, g *graph.Graph, key rng.Key, roots []discovered) {
	for t, at := range roots {
		if t%drawsPerCheck == 0 && s.row.Stopped() {
			break
		}
		place := s.discover(at.vertex, at.position, at.parent)
		v := at.vertex
		for step := 1; step <= a.Length; step++ {
			next, position := choose(g, v, key.Stream(uint64(step)).Key(uint64(t)).Word(0), No)
			if next == graph.None {
				break
			}
			v, place = next, s.discover(next, position, place)
		}
	}
}

// replace takes a vertex of the frontier at step s, from 1, with word 1 of Stream(s).Key(0), and its neighbour with word 0.
func (a *GraphSAINT) replace(s *gathering, g *graph.Graph, key rng.Key, frontier []discovered) {
	for _, m := range frontier {
		s.discover(m.vertex, m.position, m.parent)
	}
	for step := 1; step <= a.Budget-a.Roots; step++ {
		if step%drawsPerCheck == 0 && s.row.Stopped() {
			break
		}
		words := key.Stream(uint64(step)).Key(0)
		at := selector.Scan(words.Word(1), len(frontier), func(i int) uint64 { return g.Degree(frontier[i].vertex) })
		if at < 0 { // no vertex of the frontier has an edge
			break
		}
		m := frontier[at]
		place := s.discover(m.vertex, m.position, m.parent)
		next, position := choose(g, m.vertex, words.Word(0), No)
		frontier[at] = discovered{next, position, place}
	}
}
