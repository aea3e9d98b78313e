package apptest

import (
	"strconv"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
)

// writeMove writes a step whose vertex need not be the end of an edge.
func (s *script) writeMove(position uint64, v uint32) { s.out = appendMove(s.out, position, v) }

func appendMove(out []byte, position uint64, v uint32) []byte {
	return append(strconv.AppendInt(append(appendPosition(out, position), '>'), int64(int32(v)), 10), ' ')
}

// movesOf writes the edges and vertices of a row as its outcome.
func movesOf(_ *graph.Graph, row app.Row, out []byte) []byte {
	for i, e := range row.Edges {
		out = appendMove(out, e, row.Vertices[len(row.Vertices)-len(row.Edges)+i])
	}
	return out
}

// along chooses one of the edges of u by weights.
func along(s *script, g *graph.Graph, u uint32, weights []float64) (v uint32, position uint64) {
	i := -1
	if u != graph.None {
		i = s.choose(weights)
	}
	if i < 0 {
		return graph.None, graph.NoEdge
	}
	position = g.Indptr[u] + uint64(i)
	return g.Indices[position], position
}

// degreesOf returns the degrees of the end points of the edges of u.
func degreesOf(g *graph.Graph, u uint32) (weights []float64) {
	for _, v := range g.Neighbors(u) {
		weights = append(weights, float64(g.Degree(v)))
	}
	return weights
}

// byDegree is a walk by degree of the end point.
func byDegree(g *graph.Graph, root uint32, length int) func(*script) {
	return firstOrder(g, root, length, func(u uint32) []float64 { return degreesOf(g, u) })
}

// metropolis proposes a neighbour, and accepts it with probability min(1, deg(u)/deg(v)).
func metropolis(g *graph.Graph, root uint32, length int) func(*script) {
	return func(s *script) {
		u := root
		for range length {
			var weights []float64
			if u != graph.None {
				weights = weightsOf(g, u, false)
			}
			v, position := along(s, g, u, weights)
			if v != graph.None && g.Degree(u) < g.Degree(v) && !s.flip(float64(g.Degree(u))/float64(g.Degree(v))) {
				v, position = u, graph.NoEdge
			}
			s.writeMove(position, v)
			u = v
		}
	}
}

// teleporting is a walk that jumps with a probability, and from sinks: to any vertex, or to its root.
func teleporting(g *graph.Graph, root uint32, length int, p float64, weighted, home bool) func(*script) {
	return func(s *script) {
		u := root
		for range length {
			v, position := graph.None, graph.NoEdge
			if !s.flip(p) {
				v, position = along(s, g, u, weightsOf(g, u, weighted))
			}
			switch {
			case v != graph.None:
			case home:
				v = root
			default:
				v = uint32(s.choose(ones(g.NumVertices())))
			}
			s.writeMove(position, v)
			u = v
		}
	}
}

func ones(n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = 1
	}
	return all
}

// walkers are independent walkers; all take a step before any takes the next.
func walkers(g *graph.Graph, roots []uint32, length int, weighted bool) func(*script) {
	return func(s *script) {
		at := append([]uint32{}, roots...)
		for range length {
			for i, u := range at {
				var weights []float64
				if u != graph.None {
					weights = weightsOf(g, u, weighted)
				}
				at[i] = follow(s, g, u, weights)
			}
		}
	}
}

// frontier draws a vertex of the pool by degree, and replaces it with one of its neighbours.
func frontier(g *graph.Graph, roots []uint32, length int) func(*script) {
	return func(s *script) {
		pool := append([]uint32{}, roots...)
		for range length {
			var degrees []float64
			for _, v := range pool {
				degrees = append(degrees, float64(g.Degree(v)))
			}
			i := s.choose(degrees)
			if i < 0 {
				s.write(graph.NoEdge)
				continue
			}
			pool[i] = follow(s, g, pool[i], weightsOf(g, pool[i], false))
		}
	}
}

// labelled is a walk along edges of given labels that ends with probability stop after each step.
func labelled(g *graph.Graph, root uint32, labels []int32, length int, stop float64, weighted bool) func(*script) {
	return func(s *script) {
		v := root
		for step := range length {
			if v != graph.None && step > 0 && s.flip(stop) {
				v = graph.None
			}
			var weights []float64
			if v != graph.None {
				weights = weightsOf(g, v, weighted)
				for i := range weights {
					if g.Labels[g.Indptr[v]+uint64(i)] != labels[step%len(labels)] {
						weights[i] = 0
					}
				}
			}
			v = follow(s, g, v, weights)
		}
	}
}
