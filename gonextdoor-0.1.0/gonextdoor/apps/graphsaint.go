package apps

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// GraphSAINT samples induced subgraphs (Zeng et al., ICLR'20, algorithm 2). The vertices are drawn by one of four methods. A
// sample has every vertex once, in the order of first appearance, and all edges between them.
//
//   - node: Budget vertices with replacement, u with probability proportional to sum 1/deg(v)^2 over the edges (v, u).
//     Without parallel edges that is the squared norm of its column in the row-normalised adjacency matrix.
//   - edge: Budget edges with replacement, (u, v) with probability proportional to 1/deg(u) + 1/deg(v). Both ends are in the
//     sample.
//   - walk: Roots vertices, uniformly at random with replacement, and a uniform walk of Length steps from each. A walk ends
//     at a sink.
//   - multidimensional: a frontier of Roots vertices, uniformly at random with replacement. Then, Budget - Roots times, a
//     vertex of the frontier is drawn in proportion to its degree and replaced with a neighbour, uniformly at random. As in
//     the paper, the sample holds the first frontier and the vertices that were drawn from it. It ends early if all
//     vertices of the frontier are sinks.
//
// Weights of the graph are ignored.
type GraphSAINT struct {
	rootless
	Method string `json:"method"` // one of the constants below
	Budget int    `json:"budget"` // 1 to 2^28; at least Roots; not for method walk
	Roots  int    `json:"roots"`  // 1 to 2^28, for methods walk and multidimensional
	Length int    `json:"length"` // 1 to MaxLength, for method walk; Roots*(Length+1) is at most 2^28
	biases index.Cumulative
}

// Name is "GraphSAINT".
func (a *GraphSAINT) Name() string { return "GraphSAINT" }

// Check returns an error if the method is unknown, or a parameter is out of range or not one of the method.
func (a *GraphSAINT) Check() error {
	takes, ok := map[string][3]bool{
		app.NodeMethod: {true, false, false}, app.EdgeMethod: {true, false, false},
		app.WalkMethod: {false, true, true}, app.MultidimensionalMethod: {true, true, false},
	}[a.Method]
	if !ok {
		return refuse.Value("method = %q: expected \"node\", \"edge\", \"walk\" or \"multidimensional\"", a.Method)
	}
	for i, p := range []struct {
		name  string
		value int
	}{{"budget", a.Budget}, {"roots", a.Roots}, {"length", a.Length}} {
		if !takes[i] && p.value != 0 {
			return refuse.Value("%s = %d: method %q does not take it; leave it out", p.name, p.value, a.Method)
		}
		if takes[i] {
			if err := checkDraws(p.name, p.value); err != nil {
				return err
			}
		}
	}
	if a.Method == app.MultidimensionalMethod && a.Budget < a.Roots {
		return refuse.Value("budget = %d: expected at least roots = %d", a.Budget, a.Roots)
	}
	if a.Method == app.WalkMethod && (a.Length > app.MaxLength || a.Roots > app.MaxWidth/(a.Length+1)) {
		return refuse.Value("roots = %d, length = %d: expected at most 2^28 vertices per sample", a.Roots, a.Length)
	}
	return nil
}

// Tables returns the table that the method reads, if any.
func (a *GraphSAINT) Tables(*graph.Graph) []*index.Table {
	switch a.Method {
	case app.NodeMethod:
		return []*index.Table{index.ColumnNormsTable}
	case app.EdgeMethod:
		return []*index.Table{index.EdgeSharesTable}
	}
	return nil
}

// table returns the biases of the method, building them first if necessary.
func (a *GraphSAINT) table(g *graph.Graph, options graph.Options) (index.Cumulative, error) {
	switch a.Method {
	case app.NodeMethod:
		return index.ColumnNorms(g, options)
	case app.EdgeMethod:
		return index.EdgeShares(g, options)
	}
	return index.Cumulative{}, nil
}

// Bind reads the biases of the method.
func (a *GraphSAINT) Bind(g *graph.Graph) (app.App, error) {
	bound := *a
	var err error
	bound.biases, err = a.table(g, graph.Options{})
	return &bound, err
}

// Selector is Search (node, edge), Uniform (walk), or Scan for the vertex and Uniform for its neighbour.
func (a *GraphSAINT) Selector() string {
	switch a.Method {
	case app.WalkMethod:
		return "Uniform"
	case app.MultidimensionalMethod:
		return "Scan, Uniform"
	}
	return "Search"
}

// saintDraws is the cost of a draw of each method, in operations.
var saintDraws = map[string]float64{app.NodeMethod: 48, app.EdgeMethod: 390, app.WalkMethod: 48, app.MultidimensionalMethod: 96}

// Expect returns the number of draws, although a vertex may be drawn again. The rows of all vertices are read for the edges;
// those of vertices that are reached by an edge, or drawn by importance, are larger than the mean.
func (a *GraphSAINT) Expect(_ int, on app.Size) app.Expected {
	roots, n, rows := float64(a.Roots), float64(a.Budget), on.Neighbor()
	vertices := n
	switch a.Method {
	case app.EdgeMethod: // both ends of each edge, of which one has a small row
		vertices, rows = 2*n, rows/2
	case app.WalkMethod: // walks return to vertices of the sample
		n = roots * (1 + on.Steps(float64(a.Length), 0))
		vertices, rows = n, rows/2
	case app.MultidimensionalMethod: // until all of the frontier are sinks
		n = min(n, roots*(1+on.Steps(n, 0)))
		vertices, rows = n, 0.8*rows
	}
	return app.Expected{Vertices: n, Operations: n*saintDraws[a.Method] + vertices*rows}
}

// Sample makes draw i, also of a root, with the word at slot i of DrawKey.
func (a *GraphSAINT) Sample(g *graph.Graph, key rng.Key, _ []uint32, row app.Row) app.Row {
	s := newDistinctSample(row)
	switch a.Method {
	case app.NodeMethod, app.EdgeMethod:
		for i := range a.Budget {
			if i%drawsPerCheck == 0 && s.row.Stopped() {
				break
			}
			at := selector.Search(app.DrawKey(key).Word(uint64(i)), a.biases)
			switch {
			case at < 0:
			case a.Method == app.NodeMethod:
				s.discover(uint32(at), graph.NoEdge, -1)
			default:
				s.edge(g, uint64(at))
			}
		}
	default:
		var frontier []discovered
		for i := range a.Roots {
			if v := selector.Uniform(app.DrawKey(key).Word(uint64(i)), uint64(g.NumVertices())); v >= 0 {
				frontier = append(frontier, discovered{uint32(v), graph.NoEdge, -1})
			}
		}
		if a.Method == app.WalkMethod {
			a.walk(&s, g, key, frontier)
		} else {
			a.replace(&s, g, key, frontier)
		}
	}
	return app.Induce(g, s.row.OneStep())
}

// drawsPerCheck is the number of draws between two checks for cancellation.
const drawsPerCheck = 4096

// discovered is a vertex with the edge and the place from which it was reached.
type discovered struct {
	vertex   uint32
	position uint64
	parent   int32
}

// walk discovers the vertices of the walks, walk after walk. Step s of walk t, counted from 1, takes word 0 of
// Stream(s).Key(t). A walk ends at a sink.
func (a *GraphSAINT) walk(s *distinctSample, g *graph.Graph, key rng.Key, roots []discovered) {
	for t, at := range roots {
		if t%drawsPerCheck == 0 && s.row.Stopped() {
			break
		}
		place := s.discover(at.vertex, at.position, at.parent)
		v := at.vertex
		for step := 1; step <= a.Length; step++ {
			next, position := app.Choose(g, v, key.Stream(uint64(step)).Key(uint64(t)).Word(0), app.No)
			if next == graph.None {
				break
			}
			v, place = next, s.discover(next, position, place)
		}
	}
}

// replace makes the multi-dimensional walk. Step s, counted from 1, draws a vertex of the frontier with word 1 of
// Stream(s).Key(0), and its neighbour with word 0.
func (a *GraphSAINT) replace(s *distinctSample, g *graph.Graph, key rng.Key, frontier []discovered) {
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
		next, position := app.Choose(g, m.vertex, words.Word(0), app.No)
		frontier[at] = discovered{next, position, place}
	}
}

// InducedDraws returns the parameters, with the table of the method.
func (a *GraphSAINT) InducedDraws() app.InducedDraws {
	draws := app.InducedDraws{Method: a.Method, Budget: a.Budget, Roots: a.Roots, Length: a.Length, Biases: a.biases}
	if tables := a.Tables(nil); len(tables) > 0 {
		draws.Table = tables[0]
	}
	return draws
}

// Draft is Bind without tables; see app.Draft.
func (a *GraphSAINT) Draft(*graph.Graph) (app.App, error) { return a, nil }

var _ app.InducedDrawer = (*GraphSAINT)(nil)
