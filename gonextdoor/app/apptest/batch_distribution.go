package apptest

import (
	"cmp"
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
)

// node is a vertex in a tree; where trees are not disjoint, all are in tree 0.
type node struct{ tree, vertex uint32 }

// neighborhood is a mini-batch: in each hop every node that is due makes its own picks in every relation.
func neighborhood(h *graph.Hetero, a *app.NeighborSampling, seeds app.SeedNodes) func(*script) {
	return func(s *script) {
		met := seedNodes(a, seeds)
		before := make([][]node, len(met)) // what had been met before the last hop
		for hop := range a.Fanouts {
			due := make([][]node, len(met))
			for t := range met {
				if due[t] = slices.Clone(met[t]); a.Expand == app.ExpandNew {
					due[t] = slices.DeleteFunc(due[t], func(u node) bool { return slices.Contains(before[t], u) })
				}
				before[t] = slices.Clone(met[t])
			}
			for r, relation := range h.Relations {
				for _, u := range due[relation.Destination] {
					for _, position := range taken(s, h, a, seeds, r, u, a.Fanouts[hop][r]) {
						s.write(position)
						v := node{u.tree, relation.Graph.Indices[position]}
						if !slices.Contains(met[relation.Source], v) {
							met[relation.Source] = append(met[relation.Source], v)
						}
					}
					s.mark("; ")
				}
				s.mark("/ ")
			}
		}
		for _, nodes := range met {
			for _, u := range nodes {
				if a.Disjoint {
					s.write(uint64(u.tree))
				}
				s.write(uint64(u.vertex))
			}
		}
	}
}

// seedNodes are the seeds by type: each is a tree where trees are disjoint, and stands once where they are not.
func seedNodes(a *app.NeighborSampling, seeds app.SeedNodes) (met [][]node) {
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
		met = append(met, nodes)
	}
	return met
}

// taken picks among the edges of a node that are not excluded and, where time counts, not later than its tree.
func taken(s *script, h *graph.Hetero, a *app.NeighborSampling, seeds app.SeedNodes, r int, u node, fanout int) (positions []uint64) {
	g := h.Relations[r].Graph
	times := timesOf(h, r)
	var left []uint64
	first, _ := g.Row(u.vertex)
	all := weightsOf(g, u.vertex, a.Weighted != app.No && g.Weighted())
	for i := range all {
		position := first + uint64(i)
		out := seeds.Excluded != nil && slices.Contains(seeds.Excluded[r], int64(g.EdgeID(position)))
		if late := a.Temporal != "" && times != nil && times(position) > seeds.Times[u.tree]; !out && !late {
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
	if a.Temporal == app.TemporalLast && times != nil {
		some := slices.DeleteFunc(left, func(p uint64) bool { return all[p-first] == 0 })
		return some[max(0, len(some)-k):]
	}
	for _, i := range picks(s, weights, k, again) {
		positions = append(positions, left[i])
	}
	return positions
}

// timesOf gives the times of a relation's edges by position, or nil where they have none.
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
