package mutant

import (
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// subgraphFault selects a fault of induced subgraphs; the zero value has none.
type subgraphFault struct {
	again       bool // draws without replacement are with replacement
	vertexFirst bool // RandomEdge draws a vertex, then one of its edges
	nonempty    bool // clusters without vertices are never drawn
	twice       bool // GraphSAINT holds a vertex as often as it is drawn

	node  func(from, to uint64) float64 // shares of GraphSAINT by the degrees of the ends of an edge
	edge  func(from, to uint64) float64
	waits bool // the new vertices of the frontier are in the sample
	alike bool // vertices of the frontier are drawn uniformly
	stays bool // the vertex that is drawn stays in the frontier
	full  bool // the budget does not count the first frontier
	bare  bool // the first frontier is not in the sample
	short bool // walks are a step short

	pick func(word uint64, weights []uint64) int // the search among weights

	oneParallel, loopless, forward, repeated bool // links
}

// subgraphOf is one sample of an app with a fault.
type subgraphOf struct {
	subgraphFault
	g    *graph.Graph
	key  rng.Key
	word uint64
}

// subgraphBy returns mutants of the apps that draw vertices of the whole graph and record edges.
func subgraphBy(f subgraphFault) func(app.App) apptest.Sampler {
	return func(a app.App) apptest.Sampler {
		switch a.(type) {
		case *apps.RandomNode, *apps.RandomEdge, *apps.ClusterGCN, *apps.GraphSAINT:
		default:
			return nil
		}
		return func(g *graph.Graph, key rng.Key, _ []uint32, out app.Row) app.Row {
			s := &subgraphOf{subgraphFault: f, g: g, key: key}
			switch a := a.(type) {
			case *apps.RandomNode:
				return s.induced(out, s.several(g.NumVertices(), a.N, a.Replace))
			case *apps.RandomEdge:
				return s.edges(out, a)
			case *apps.ClusterGCN:
				return s.induced(out, s.clusters(a.Lists(), a.PerSample))
			case *apps.GraphSAINT:
				met := s.saint(a)
				if !f.twice {
					met = once(met)
				}
				return s.induced(out, met)
			}
			return out
		}
	}
}

func once(vertices []uint32) (different []uint32) {
	for _, v := range vertices {
		if !slices.Contains(different, v) {
			different = append(different, v)
		}
	}
	return different
}

// draw draws one of the weights.
func (s *subgraphOf) draw(weights []uint64) int {
	s.word++
	if s.pick != nil {
		return s.pick(s.key.Word(s.word), weights)
	}
	return int(selector.Scan(s.key.Word(s.word), len(weights), func(i int) uint64 { return weights[i] }))
}

func (s *subgraphOf) several(n, k int, replace bool) (picks []uint32) {
	left := slices.Repeat([]uint64{1}, n)
	for i := range k {
		if !replace && n <= k && !s.again {
			if i < n {
				picks = append(picks, uint32(i))
			}
			continue
		}
		at := s.draw(left)
		if picks = append(picks, uint32(at)); !replace && !s.again {
			left[at] = 0
		}
	}
	return picks
}

func (s *subgraphOf) clusters(lists *app.ClusterLists, k int) (vertices []uint32) {
	var all []uint64
	for c := range uint64(lists.Count()) {
		if !s.nonempty || len(lists.Of(c)) > 0 {
			all = append(all, c)
		}
	}
	for _, i := range s.several(len(all), k, false) {
		vertices = append(vertices, lists.Of(all[i])...)
	}
	return vertices
}

func (s *subgraphOf) edges(out app.Row, a *apps.RandomEdge) app.Row {
	picks := s.several(s.g.NumEdges(), a.N, a.Replace)
	if s.vertexFirst {
		for i := range picks {
			var rows []uint64
			for v := range uint32(s.g.NumVertices()) {
				rows = append(rows, min(1, s.g.Degree(v)))
			}
			v := uint32(s.draw(rows))
			at, _ := rng.Below(s.key.Word(uint64(100+i)), s.g.Degree(v))
			picks[i] = uint32(s.g.Indptr[v] + at)
		}
	}
	var met []uint32
	for _, position := range picks {
		met = append(met, s.g.Source(uint64(position)), s.g.Indices[position])
	}
	out = vertices(out, once(met))
	for _, position := range picks {
		source, target := s.g.Source(uint64(position)), s.g.Indices[position]
		out.Links = append(out.Links, app.Link{Source: int32(slices.Index(out.Vertices, source)),
			Target: int32(slices.Index(out.Vertices, target)), Position: uint64(position), Value: 1})
	}
	return out
}

// saint returns the vertices that GraphSAINT draws.
func (s *subgraphOf) saint(a *apps.GraphSAINT) (met []uint32) {
	switch a.Method {
	case app.NodeMethod, app.EdgeMethod:
		return s.shares(a)
	}
	for range a.Roots {
		s.word++
		v, _ := rng.Below(s.key.Word(s.word), uint64(s.g.NumVertices()))
		met = append(met, uint32(v))
	}
	if a.Method == app.MultidimensionalMethod {
		return s.frontier(met, a.Budget)
	}
	roots := met
	met = nil
	for _, v := range roots {
		met = append(met, v)
		for i := 0; i < a.Length && (i < a.Length-1 || !s.short) && v != graph.None; i++ {
			if v = s.neighbor(v); v != graph.None {
				met = append(met, v)
			}
		}
	}
	return met
}

func (s *subgraphOf) neighbor(v uint32) uint32 {
	s.word++
	v, _ = stepBy(right, s.g, v, s.key.Word(s.word), app.No)
	return v
}

// shares draws vertices or edges.
func (s *subgraphOf) shares(a *apps.GraphSAINT) (met []uint32) {
	nodes, edges := make([]uint64, s.g.NumVertices()), make([]uint64, s.g.NumEdges())
	for position := range edges {
		source, target := s.g.Source(uint64(position)), s.g.Indices[position]
		from, to := s.g.Degree(source), s.g.Degree(target)
		nodes[target] += uint64(s.node(from, to) * (1 << 40))
		edges[position] = uint64(s.edge(from, to) * (1 << 40))
	}
	for range a.Budget {
		if a.Method == app.NodeMethod {
			met = append(met, uint32(s.draw(nodes)))
			continue
		}
		position := s.draw(edges)
		met = append(met, s.g.Source(uint64(position)), s.g.Indices[position])
	}
	return met
}

func (s *subgraphOf) frontier(pool []uint32, budget int) (met []uint32) {
	if !s.bare {
		met = append(met, pool...)
	}
	steps := budget - len(pool)
	if s.full {
		steps = budget
	}
	for range steps {
		var degrees []uint64
		for _, v := range pool {
			d := s.g.Degree(v)
			if s.alike {
				d = min(1, d)
			}
			degrees = append(degrees, d)
		}
		at := s.draw(degrees)
		if at < 0 {
			break
		}
		u := pool[at]
		next := s.neighbor(u)
		if !s.stays {
			pool[at] = next
		}
		if s.waits {
			u = next
		}
		met = append(met, u)
	}
	return met
}

// vertices appends the only step of a sample.
func vertices(out app.Row, met []uint32) app.Row {
	out.Ends = append(out.Ends, 0)
	for _, v := range met {
		out = out.Add(v, graph.NoEdge)
		out.Parents = append(out.Parents, -1)
	}
	if len(met) > 0 {
		out.Ends = append(out.Ends, int32(len(met)))
	}
	return out
}

// induced appends the edges between the vertices.
func (s *subgraphOf) induced(out app.Row, met []uint32) app.Row {
	out = vertices(out, met)
	for p, v := range met {
		if slices.Index(met, v) != p && !s.repeated {
			continue
		}
		last := graph.None
		for position, end := s.g.Row(v); position < end; position++ {
			w := s.g.Indices[position]
			q := slices.Index(met, w)
			if q < 0 || s.loopless && v == w || s.forward && q < p || s.oneParallel && w == last {
				continue
			}
			last = w
			out.Links = append(out.Links, app.Link{Source: int32(p), Target: int32(q), Position: position, Value: 1})
		}
	}
	return out
}

// shared returns a fault of the shares. A nil function is the correct one.
func shared(f subgraphFault) func(app.App) apptest.Sampler {
	inverse := func(d uint64) float64 {
		if d == 0 {
			return 0
		}
		return 1 / float64(d)
	}
	if f.node == nil {
		f.node = func(from, _ uint64) float64 { return inverse(from) * inverse(from) }
	}
	if f.edge == nil {
		f.edge = func(from, to uint64) float64 { return inverse(from) + inverse(to) }
	}
	return subgraphBy(f)
}

// only restricts a fault to the apps of one name.
func only(name string, of func(app.App) apptest.Sampler) func(app.App) apptest.Sampler {
	return func(a app.App) apptest.Sampler {
		if a.Name() != name {
			return nil
		}
		return of(a)
	}
}

var subgraphMutants = []mutant{
	{"RandomNode: drawn with replacement", likely, only("RandomNode", shared(subgraphFault{again: true}))},
	{"RandomNode: edges of a repeated vertex repeated", likely, only("RandomNode", shared(subgraphFault{repeated: true}))},
	{"RandomEdge: drawn with replacement", likely, only("RandomEdge", shared(subgraphFault{again: true}))},
	{"ClusterGCN: clusters drawn with replacement", likely, only("ClusterGCN", shared(subgraphFault{again: true}))},
	{"GraphSAINT: exclusive scan normalised by its last entry", published, only("GraphSAINT", shared(subgraphFault{pick: func(word uint64, weights []uint64) int {
		return scanned(word, weights, len(weights)-1)
	}}))},
	{"GraphSAINT: binary search returns its last probe", published, only("GraphSAINT", shared(subgraphFault{pick: probed}))},
	{"Subgraphs: one edge kept of several parallel edges", likely, shared(subgraphFault{oneParallel: true})},
	{"Subgraphs: self-loops omitted", likely, shared(subgraphFault{loopless: true})},
	{"Subgraphs: edges to later vertices only", likely, shared(subgraphFault{forward: true})},
	{"RandomEdge: draws a vertex, then one of its edges", likely, shared(subgraphFault{vertexFirst: true})},
	{"ClusterGCN: empty clusters never drawn", likely, shared(subgraphFault{nonempty: true})},
	{"GraphSAINT: vertices repeated instead of unique", likely, shared(subgraphFault{twice: true})},
	{"GraphSAINT: column norms instead of squared column norms", likely, shared(subgraphFault{node: func(from, _ uint64) float64 { return 1 / float64(from) }})},
	{"GraphSAINT: vertices drawn in proportion to their degrees", published, shared(subgraphFault{node: func(_, _ uint64) float64 { return 1 }})},
	{"GraphSAINT: edges drawn uniformly at random", likely, shared(subgraphFault{edge: func(_, _ uint64) float64 { return 1 }})},
	{"GraphSAINT: edge probability from the source degree only", likely, shared(subgraphFault{edge: func(from, _ uint64) float64 { return 1 / float64(from) }})},
	{"GraphSAINT: edge probability from the product of degrees", likely, shared(subgraphFault{edge: func(from, to uint64) float64 {
		return 1 / float64(max(1, from*to))
	}})},
	{"GraphSAINT: walks one step too short", likely, shared(subgraphFault{short: true})},
	{"GraphSAINT: frontier drawn uniformly at random", likely, shared(subgraphFault{alike: true})},
	{"GraphSAINT: frontier never updated", likely, shared(subgraphFault{stays: true})},
	{"GraphSAINT: new frontier vertex sampled instead of the replaced one", likely, shared(subgraphFault{waits: true})},
	{"GraphSAINT: first frontier not counted in the budget", likely, shared(subgraphFault{full: true})},
	{"GraphSAINT: first frontier missing from the sample", likely, shared(subgraphFault{bare: true})},
}
