package apptest

import (
	"fmt"
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/stattest"
)

// BatchSampler draws one mini-batch: MiniBatch.Sample, or a broken one in its place.
type BatchSampler func(g *graph.Graph, seed uint64, batch []uint32, excluded map[uint64]bool) ([]uint32, []app.Hop)

// BatchCheck compares mini-batches with their exact law.
type BatchCheck struct {
	Name     string
	App      *app.MiniBatch // bound to the graph
	Graph    *graph.Graph
	Batch    []uint32
	Excluded map[uint64]bool
	Draws    int

	law stattest.Law
	// turned: only ask whether every vertex picks the same in a batch that is turned round.
	turned bool
}

// Run draws with the sampler and compares. A panic counts as an impossible outcome.
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
	return stattest.Compare(c.law, c.Draws, func(i int, out []byte) []byte {
		vertices, hops := sample(c.Graph, seeds.Word(uint64(i)), c.Batch, c.Excluded)
		if fault := c.fault(vertices, hops); fault != "" {
			return append(out, fault...)
		}
		for _, h := range hops {
			for d := range h.Destinations {
				for _, e := range h.Positions[h.Indptr[d]:h.Indptr[d+1]] {
					out = appendPosition(out, e)
				}
				out = append(out, "; "...)
			}
			out = append(out, "/ "...)
		}
		for _, v := range vertices {
			out = appendPosition(out, uint64(v))
		}
		return out
	})
}

// fault says where local ids, offsets and edges contradict each other.
func (c BatchCheck) fault(vertices []uint32, hops []app.Hop) string {
	if len(hops) != len(c.App.Fanouts) {
		return fmt.Sprintf("%d hops", len(hops))
	}
	destinations := 0
	for _, v := range slices.Compact(slices.Sorted(slices.Values(c.Batch))) {
		if slices.Contains(vertices, v) {
			destinations++
		}
	}
	for i, h := range hops {
		edges := int64(len(h.Positions))
		switch {
		case h.Destinations != destinations:
			return fmt.Sprintf("hop %d has %d destinations, where %d vertices were met", i, h.Destinations, destinations)
		case len(h.Indptr) != h.Destinations+1 || h.Indptr[0] != 0 || h.Indptr[h.Destinations] != edges:
			return fmt.Sprintf("hop %d: offsets %v for %d destinations and %d edges", i, h.Indptr, h.Destinations, edges)
		case len(h.Indices) != len(h.Positions) || h.Sources < h.Destinations || h.Sources > len(vertices):
			return fmt.Sprintf("hop %d: %d indices, %d edges, %d sources", i, len(h.Indices), edges, h.Sources)
		}
		for d := range h.Destinations {
			for k := h.Indptr[d]; k < h.Indptr[d+1]; k++ {
				first, end := c.Graph.Row(vertices[d])
				if e := h.Positions[k]; e < first || e >= end || int(h.Indices[k]) >= h.Sources ||
					vertices[h.Indices[k]] != c.Graph.Indices[e] {
					return fmt.Sprintf("hop %d: edge %d from local %d to local %d", i, e, d, h.Indices[k])
				}
			}
		}
		destinations = h.Sources
	}
	if destinations != len(vertices) {
		return fmt.Sprintf("%d vertices, %d of them sources", len(vertices), destinations)
	}
	return ""
}

func (c BatchCheck) runTurned(sample BatchSampler) stattest.Result {
	r := stattest.Result{Draws: c.Draws, Cells: 1, Detects: 1}
	turned := slices.Clone(c.Batch)
	slices.Reverse(turned)
	for seed := range uint64(c.Draws) {
		_, hops := sample(c.Graph, seed, c.Batch, c.Excluded)
		_, other := sample(c.Graph, seed, turned, c.Excluded)
		for i, v := range c.Batch {
			mine := hops[0].Positions[hops[0].Indptr[i]:hops[0].Indptr[i+1]]
			j := len(turned) - 1 - i
			if its := other[0].Positions[other[0].Indptr[j]:other[0].Indptr[j+1]]; !slices.Equal(mine, its) {
				r.Impossible = fmt.Sprintf("vertex %d picks %d at place %d and %d at place %d", v, mine, i, its, j)
			}
		}
	}
	return r
}
