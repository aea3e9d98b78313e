package apptest

import (
	"math"
	"slices"

	"gonextdoor/gonextdoor/graph"
)

// layers writes steps as layersOf writes those of a row.
func layers(s *script, g *graph.Graph, steps [][]uint32, links []uint64) {
	for _, step := range steps {
		if len(step) > 0 {
			writeVertices(s, step)
			s.mark("; ")
		}
	}
	s.mark("/ ")
	for _, position := range links {
		s.write(position)
	}
}

// between returns the edges between vertices of a set.
func between(g *graph.Graph, vertices []uint32) (positions []uint64) {
	for i, u := range vertices {
		if slices.Contains(vertices[:i], u) {
			continue
		}
		for e, v := range g.Neighbors(u) {
			if slices.Contains(vertices, v) {
				positions = append(positions, g.Indptr[u]+uint64(e))
			}
		}
	}
	return positions
}

// fresh takes k edges of u one after another, uniformly among those that lead to vertices not yet seen. If k is at least the
// degree of u, it takes all such edges in order.
func fresh(s *script, g *graph.Graph, u uint32, k int, seen *[]uint32) (taken []uint32) {
	neighbors := g.Neighbors(u)
	all := k >= len(neighbors)
	for range min(k, len(neighbors)) {
		left := make([]float64, len(neighbors))
		for i, v := range neighbors {
			if !slices.Contains(*seen, v) && !(all && slices.Max(append(left, 0)) > 0) {
				left[i] = 1
			}
		}
		i := s.choose(left)
		if i < 0 {
			break
		}
		taken, *seen = append(taken, neighbors[i]), append(*seen, neighbors[i])
	}
	return taken
}

// spread grows breadth-first from the roots by fresh neighbours, as many per vertex as fanout returns.
func spread(g *graph.Graph, roots []uint32, depth int, fanout func(s *script, degree int) int) func(*script) {
	return func(s *script) {
		seen := slices.Clone(roots)
		steps := [][]uint32{}
		for now := roots; len(now) > 0 && (depth == 0 || len(steps) < depth); {
			var next []uint32
			for _, u := range now {
				k := fanout(s, len(g.Neighbors(u)))
				next = append(next, fresh(s, g, u, k, &seen)...)
			}
			steps, now = append(steps, next), next
		}
		layers(s, g, steps, nil)
	}
}

// geometric draws k with probability p^k (1-p), truncated to most.
func geometric(p float64) func(s *script, most int) int {
	return func(s *script, most int) int {
		chances := make([]float64, most+1)
		for k := range chances {
			chances[k] = math.Pow(p, float64(k)) * (1 - p)
		}
		chances[most] = math.Pow(p, float64(most))
		return s.choose(chances)
	}
}

// different returns the distinct vertices in the order of their first appearance.
func different(vertices []uint32) (once []uint32) {
	for _, v := range vertices {
		if !slices.Contains(once, v) {
			once = append(once, v)
		}
	}
	return once
}

// ends returns the end points of the edges, each source before its target.
func endsOfEdges(g *graph.Graph, positions []uint64) (vertices []uint32) {
	for _, position := range positions {
		u := uint32(0)
		for g.Indptr[u+1] <= position {
			u++
		}
		vertices = append(vertices, u, g.Indices[position])
	}
	return vertices
}

// columnNorms returns the squared norms of the columns of the row-normalised adjacency matrix.
func columnNorms(g *graph.Graph) []float64 {
	norms := make([]float64, g.NumVertices())
	for v := range norms {
		for _, u := range g.Neighbors(uint32(v)) {
			norms[u] += 1 / math.Pow(float64(g.Degree(uint32(v))), 2)
		}
	}
	return norms
}

// edgeShares returns 1/deg(u) + 1/deg(v) for each edge.
func edgeShares(g *graph.Graph) []float64 {
	shares := make([]float64, g.NumEdges())
	for position := range shares {
		for _, v := range endsOfEdges(g, []uint64{uint64(position)}) {
			if d := g.Degree(v); d > 0 {
				shares[position] += 1 / float64(d)
			}
		}
	}
	return shares
}

// saintWalk is the walk method of GraphSAINT: roots, and a walk from each.
func saintWalk(g *graph.Graph, roots, length int) func(*script) {
	return func(s *script) {
		var reached []uint32
		for _, v := range drawn(s, equal(g.NumVertices()), roots) {
			reached = append(reached, v)
			for range length {
				i := s.choose(equal(len(g.Neighbors(v))))
				if i < 0 {
					break
				}
				v = g.Neighbors(v)[i]
				reached = append(reached, v)
			}
		}
		induced(s, g, reached)
	}
}

// saintFrontier is the multi-dimensional method of GraphSAINT.
func saintFrontier(g *graph.Graph, roots, budget int) func(*script) {
	return func(s *script) {
		frontier := drawn(s, equal(g.NumVertices()), roots)
		reached := slices.Clone(frontier)
		for range budget - roots {
			degrees := make([]float64, roots)
			for i, v := range frontier {
				degrees[i] = float64(g.Degree(v))
			}
			i := s.choose(degrees)
			if i < 0 {
				break
			}
			reached = append(reached, frontier[i])
			frontier[i] = g.Neighbors(frontier[i])[s.choose(equal(len(g.Neighbors(frontier[i]))))]
		}
		induced(s, g, reached)
	}
}

// drawn makes k draws with replacement.
func drawn(s *script, weights []float64, k int) (chosen []uint32) {
	for _, i := range picks(s, weights, k, true) {
		chosen = append(chosen, uint32(i))
	}
	return chosen
}

func equal(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// induced writes the subgraph that vertices induce.
func induced(s *script, g *graph.Graph, vertices []uint32) {
	once := different(vertices)
	layers(s, g, [][]uint32{once}, between(g, once))
}
