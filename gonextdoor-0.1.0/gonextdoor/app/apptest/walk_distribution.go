package apptest

import "gonextdoor/gonextdoor/graph"

// weightsOf returns the unnormalised probability of each edge of u, in the order of their positions.
func weightsOf(g *graph.Graph, u uint32, weighted bool) []float64 {
	first, end := g.Row(u)
	weights := make([]float64, end-first)
	for i := range weights {
		weights[i] = 1
		if weighted {
			weights[i] = float64(g.Biases[first+uint64(i)])
		}
	}
	return weights
}

// follow chooses one of the edges of u and writes it.
func follow(s *script, g *graph.Graph, u uint32, weights []float64) (v uint32) {
	i := -1
	if u != graph.None {
		i = s.choose(weights)
	}
	if i < 0 {
		s.write(graph.NoEdge)
		return graph.None
	}
	position := g.Indptr[u] + uint64(i)
	s.write(position)
	return g.Indices[position]
}

// walk is a walk by weight, or along edges chosen uniformly.
func walk(g *graph.Graph, root uint32, length int, weighted bool) func(*script) {
	return firstOrder(g, root, length, func(u uint32) []float64 { return weightsOf(g, u, weighted) })
}

// firstOrder is a walk whose choices depend on the current vertex alone: weights returns the biases of its edges.
func firstOrder(g *graph.Graph, root uint32, length int, weights func(u uint32) []float64) func(*script) {
	return func(s *script) {
		v := root
		for range length {
			var w []float64
			if v != graph.None {
				w = weights(v)
			}
			v = follow(s, g, v, w)
		}
	}
}

// secondOrder is node2vec: alpha(t, x) = 1/p if x is t, 1 if t has an edge to x, 1/q otherwise, times the weight.
func secondOrder(g *graph.Graph, root uint32, p, q float64, length int, weighted bool) func(*script) {
	leads := func(t, x uint32) bool {
		for e := g.Indptr[t]; e < g.Indptr[t+1]; e++ {
			if g.Indices[e] == x {
				return true
			}
		}
		return false
	}
	return func(s *script) {
		t, v := graph.None, root
		for range length {
			var weights []float64
			if v != graph.None {
				weights = weightsOf(g, v, weighted)
				for i := range weights {
					switch x := g.Indices[g.Indptr[v]+uint64(i)]; {
					case t == graph.None:
					case x == t:
						weights[i] /= p
					case !leads(t, x):
						weights[i] /= q
					}
				}
			}
			t, v = v, follow(s, g, v, weights)
		}
	}
}

// stopped is a walk that ends with probability stop after each step, at a sink, and after the largest number of steps.
func stopped(g *graph.Graph, root uint32, stop float64, most int, weighted bool) func(*script) {
	return func(s *script) {
		v := root
		for range most {
			weights := weightsOf(g, v, weighted)
			i := s.choose(weights)
			if i < 0 {
				return
			}
			position := g.Indptr[v] + uint64(i)
			s.write(position)
			v = g.Indices[position]
			if stop < 1 && !s.flip(stop) {
				continue
			}
			return
		}
	}
}
