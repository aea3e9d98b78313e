package apptest

import (
	"fmt"
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/internal/stattest"
	"gonextdoor/gonextdoor/rng"
)

// BatchSampler draws one mini-batch: NeighborSampling.Sample, or a mutant of it.
type BatchSampler func(h *graph.Hetero, seed uint64, s app.SeedNodes) app.NeighborBatch

// BatchCheck compares mini-batches with their exact distribution.
type BatchCheck struct {
	Name      string
	App       *app.NeighborSampling // bound to the graph
	Graph     *graph.Hetero
	SeedNodes app.SeedNodes
	Draws     int

	exact stattest.Distribution
	// turned: only check that every vertex makes the same picks in the reversed batch.
	turned bool
}

// Run draws with the sampler and compares. A panic counts as an outcome of probability 0.
func (c BatchCheck) Run(sample BatchSampler) (r stattest.Result) {
	defer func() {
		if p := recover(); p != nil {
			r = stattest.Result{Draws: c.Draws, Impossible: fmt.Sprint("panic: ", p)}
		}
	}()
	if c.turned {
		return c.runTurned(sample)
	}
	seeds := rng.NewStream(7, rng.Seeds).Key(0)
	return stattest.Compare(c.exact, c.Draws, func(i int, out []byte) []byte {
		n := sample(c.Graph, seeds.Word(uint64(i)), c.SeedNodes)
		if fault := c.fault(n); fault != "" {
			return append(out, fault...)
		}
		for _, hop := range n.Hops {
			for _, x := range hop {
				for d := range x.Destinations {
					for _, e := range x.Positions[x.Indptr[d]:x.Indptr[d+1]] {
						out = appendPosition(out, e)
					}
					out = append(out, "; "...)
				}
				out = append(out, "/ "...)
			}
		}
		for t, nodes := range n.Nodes {
			for i, v := range nodes {
				if n.Trees != nil {
					out = appendPosition(out, uint64(n.Trees[t][i]))
				}
				out = appendPosition(out, uint64(v))
			}
		}
		return out
	})
}

// fault describes a contradiction between local ids, counts, offsets, trees and edges, or returns "".
func (c BatchCheck) fault(n app.NeighborBatch) string {
	if len(n.Hops) != len(c.App.Fanouts) || (n.Trees != nil) != c.App.Disjoint {
		return fmt.Sprintf("%d hops, trees %v", len(n.Hops), n.Trees)
	}
	known := make([]int, len(n.Nodes))
	begin := make([]int, len(n.Nodes))
	for t, vertices := range c.SeedNodes.Vertices {
		if known[t] = len(vertices); !c.App.Disjoint {
			known[t] = len(slices.Compact(slices.Sorted(slices.Values(vertices))))
		}
		if len(n.New[t]) != len(n.Hops)+1 || n.New[t][0] != known[t] {
			return fmt.Sprintf("type %d: new nodes %v, but the batch has %d", t, n.New[t], known[t])
		}
	}
	for i, hop := range n.Hops {
		next := slices.Clone(known)
		for t := range next {
			next[t] += n.New[t][i+1]
		}
		for r, x := range hop {
			if fault := c.hopFault(n, r, x, begin, known, next); fault != "" {
				return fmt.Sprintf("hop %d, relation %d: %s", i, r, fault)
			}
		}
		if c.App.Expand == app.ExpandNew {
			begin = known
		}
		known = next
	}
	for t, nodes := range n.Nodes {
		if len(nodes) != known[t] {
			return fmt.Sprintf("%d nodes of type %d, where %d were met", len(nodes), t, known[t])
		}
	}
	return ""
}

func (c BatchCheck) hopFault(n app.NeighborBatch, r int, x app.Hop, begin, known, next []int) string {
	rel, edges := c.Graph.Relations[r], int64(len(x.Positions))
	switch d := rel.Destination; {
	case x.First != begin[d] || x.First+x.Destinations != known[d]:
		return fmt.Sprintf("destinations %d to %d, where %d to %d are due", x.First, x.First+x.Destinations, begin[d], known[d])
	case len(x.Indptr) != x.Destinations+1 || x.Indptr[0] != 0 || x.Indptr[x.Destinations] != edges:
		return fmt.Sprintf("offsets %v for %d destinations and %d edges", x.Indptr, x.Destinations, edges)
	case len(x.Indices) != len(x.Positions):
		return fmt.Sprintf("%d indices, %d edges", len(x.Indices), edges)
	}
	for i := range x.Destinations {
		d := x.First + i
		for k := x.Indptr[i]; k < x.Indptr[i+1]; k++ {
			first, end := rel.Graph.Row(n.Nodes[rel.Destination][d])
			e, v := x.Positions[k], x.Indices[k]
			switch {
			case e < first || e >= end || int(v) >= next[rel.Source] || n.Nodes[rel.Source][v] != rel.Graph.Indices[e]:
				return fmt.Sprintf("edge %d from local %d to local %d", e, d, v)
			case n.Trees != nil && n.Trees[rel.Destination][d] != n.Trees[rel.Source][v]:
				return fmt.Sprintf("edge %d from tree %d to tree %d", e, n.Trees[rel.Destination][d], n.Trees[rel.Source][v])
			}
		}
	}
	return ""
}

func (c BatchCheck) runTurned(sample BatchSampler) stattest.Result {
	r := stattest.Result{Draws: c.Draws, Cells: 1, Detects: 1}
	batch, turned := c.SeedNodes.Vertices[0], slices.Clone(c.SeedNodes.Vertices[0])
	slices.Reverse(turned)
	again := c.SeedNodes
	again.Vertices = [][]uint32{turned}
	for seed := range uint64(c.Draws) {
		mine := sample(c.Graph, seed, c.SeedNodes).Hops[0][0]
		its := sample(c.Graph, seed, again).Hops[0][0]
		for i, v := range batch {
			j := len(turned) - 1 - i
			a, b := mine.Positions[mine.Indptr[i]:mine.Indptr[i+1]], its.Positions[its.Indptr[j]:its.Indptr[j+1]]
			if !slices.Equal(a, b) {
				r.Impossible = fmt.Sprintf("vertex %d picks %d at index %d and %d at index %d", v, a, i, b, j)
			}
		}
	}
	return r
}
