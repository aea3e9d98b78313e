package apptest

import "gonextdoor/gonextdoor/graph"

// picks chooses k candidates one after another, each in proportion to its weight; without replacement, among those that are
// left. Without replacement, if there are at most k candidates with a weight, it takes all of them in
// order.
func picks(s *script, weights []float64, k int, replace bool) (chosen []int) {
	if !replace && len(weights) <= k {
		for i, w := range weights {
			if w > 0 {
				chosen = append(chosen, i)
			}
		}
		return chosen
	}
	left := append([]float64(nil), weights...)
	for range k {
		i := s.choose(left)
		if i < 0 {
			break
		}
		chosen = append(chosen, i)
		if !replace {
			left[i] = 0
		}
	}
	return chosen
}

// tree is k-hop sampling: each transit of a step picks independently of the others.
func tree(g *graph.Graph, roots []uint32, fanouts []int, replace, weighted bool) func(*script) {
	return func(s *script) {
		transits := roots
		for _, fanout := range fanouts {
			var reached []uint32
			for _, u := range transits {
				var chosen []int
				if u != graph.None {
					chosen = picks(s, weightsOf(g, u, weighted), fanout, replace)
				}
				for j := range fanout {
					if j >= len(chosen) {
						s.write(graph.NoEdge)
						reached = append(reached, graph.None)
						continue
					}
					position := g.Indptr[u] + uint64(chosen[j])
					s.write(position)
					reached = append(reached, g.Indices[position])
				}
			}
			transits = reached
		}
	}
}

func writeVertices(s *script, vertices []uint32) {
	for _, v := range vertices {
		s.write(uint64(v))
	}
}
