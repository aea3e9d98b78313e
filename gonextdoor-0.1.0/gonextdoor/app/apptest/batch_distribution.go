package apptest

import (
	"cmp"
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
)

// node is a vertex in a tree. Unless trees are disjoint, all are in tree 0.
type node struct{ tree, vertex uint32 }

// neighborhood is a mini-batch: in each hop every node of the frontier picks independently in every relation, or by the random
// numbers that LABOR gives the end points of the hop.
func neighborhood(h *graph.Hetero, a *app.NeighborSampling, seeds app.SeedNodes) func(*script) {
	return func(s *script) {
		discovered, shared := seedNodes(a, seeds), laborHops{}
		before := make([][]node, len(discovered)) // the nodes that were discovered before the last hop
		for hop := range a.Fanouts {
			frontier := make([][]node, len(discovered))
			for t := range discovered {
				if frontier[t] = slices.Clone(discovered[t]); a.Expand == app.ExpandNew {
					frontier[t] = slices.DeleteFunc(frontier[t], func(u node) bool { return slices.Contains(before[t], u) })
				}
				before[t] = slices.Clone(discovered[t])
			}
			for r, relation := range h.Relations {
				for _, u := range frontier[relation.Destination] {
					for _, position := range picksOf(s, h, a, seeds, shared.of(a, hop, relation.Source), r, u, a.Fanouts[hop][r]) {
						s.write(position)
						v := node{u.tree, relation.Graph.Indices[position]}
						if !slices.Contains(discovered[relation.Source], v) {
							discovered[relation.Source] = append(discovered[relation.Source], v)
						}
					}
					s.mark("; ")
				}
				s.mark("/ ")
			}
		}
		for _, nodes := range discovered {
			for _, u := range nodes {
				if a.Disjoint {
					s.write(uint64(u.tree))
				}
				s.write(uint64(u.vertex))
			}
		}
	}
}

// seedNodes returns the seed nodes by type. If trees are disjoint each is a tree; otherwise each vertex occurs once.
func seedNodes(a *app.NeighborSampling, seeds app.SeedNodes) (discovered [][]node) {
	tree := uint32(0)
	for _, vertices := range seeds.Vertices {
		var nodes []node
		for _, v := range vertices {
			u := node{0, v}
			if a.Disjoint {
				u.tree = tree
				tree++
			}
			if !slices.Contains(nodes, u) {
				nodes = append(nodes, u)
			}
		}
		discovered = append(discovered, nodes)
	}
	return discovered
}

// picksOf picks among the edges of a node that are not excluded and, with times, not later than the time of its tree. numbers
// are those of the end points, which LABOR uses.
func picksOf(
	s *script, h *graph.Hetero, a *app.NeighborSampling, seeds app.SeedNodes, numbers *laborNumbers, r int, u node, fanout int,
) (positions []uint64) {
	g := h.Relations[r].Graph
	times := timesOf(h, r)
	var left []uint64
	first, _ := g.Row(u.vertex)
	all := weightsOf(g, u.vertex, a.Weighted != app.No && g.Weighted())
	for i := range all {
		position := first + uint64(i)
		out := seeds.Excluded != nil && slices.Contains(seeds.Excluded[r], int64(g.EdgeID(position)))
		if a.Temporal != "" && times != nil {
			root := seeds.Times[u.tree]
			out = out || times(position) > root
			out = out || seeds.Windows != nil && uint64(root-times(position)) > uint64(seeds.Windows[u.tree])
		}
		if !out {
			left = append(left, position)
		}
	}
	if a.Temporal != "" && times != nil {
		slices.SortStableFunc(left, func(p, q uint64) int { return cmp.Compare(times(p), times(q)) })
	}
	k, again := fanout, a.Replace
	if k < 0 {
		k, again = len(left), false
	}
	var weights []float64
	for _, position := range left {
		weights = append(weights, all[position-first])
	}
	if a.Labor() {
		return numbers.picks(s, a, g, left, weights, fanout)
	}
	if a.Temporal == app.TemporalLast && times != nil {
		some := slices.DeleteFunc(left, func(p uint64) bool { return all[p-first] == 0 })
		return some[max(0, len(some)-k):]
	}
	for _, i := range picks(s, weights, k, again) {
		positions = append(positions, left[i])
	}
	return positions
}

// timesOf returns the times of the edges of a relation by position, or nil if there are none.
func timesOf(h *graph.Hetero, r int) func(position uint64) int64 {
	relation := h.Relations[r]
	switch {
	case relation.Graph.Times != nil:
		return func(position uint64) int64 { return relation.Graph.Times[position] }
	case h.Times != nil && h.Times[relation.Source] != nil:
		return func(position uint64) int64 { return h.Times[relation.Source][relation.Graph.Indices[position]] }
	}
	return nil
}
