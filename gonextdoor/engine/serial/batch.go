package serial

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
)

// Batches draws mini-batches of a graph by their serial definition.
type Batches struct{ Graph *graph.Hetero }

// Sample draws a mini-batch, with ids for positions. m is bound to the graph. The result is lent from offheap.Results,
// and nothing is on an error.
func (b Batches) Sample(m *app.MiniBatch, seed uint64, s app.Seeds, _ int, j *job.Job) (out output.NeighborBatch, err error) {
	if err = s.Check(m, b.Graph); err != nil {
		return out, err
	}
	if err = j.Err(); err != nil {
		return out, err
	}
	err = parallel.Do(1, func(int) error {
		out, err = b.laid(m, m.Sample(b.Graph, seed, s))
		return err
	})
	return out, err
}

// laid lays a neighbourhood out in an arena.
func (b Batches) laid(m *app.MiniBatch, n app.Neighborhood) (out output.NeighborBatch, err error) {
	words := 0
	for _, nodes := range n.Nodes {
		words += 2 * len(nodes)
	}
	for _, hop := range n.Hops {
		for _, x := range hop {
			words += len(x.Indptr) + 3*len(x.Indices)
		}
	}
	if out.Arena, err = output.LendArena(words); err != nil {
		return out, err
	}
	a := &arena{left: out.Arena}
	out.New = n.New
	for t, nodes := range n.Nodes {
		out.Nodes = append(out.Nodes, laid(a, nodes))
		if n.Trees != nil {
			out.Trees = append(out.Trees, laid(a, n.Trees[t]))
		}
	}
	if m.Layout == app.COO {
		out.Pairs = b.pairs(a, n)
		return out, nil
	}
	for _, hop := range n.Hops {
		var hops []output.Hop
		for r, x := range hop {
			hops = append(hops, output.Hop{
				First: x.First, Destinations: x.Destinations,
				Indptr: laid(a, x.Indptr), Indices: laid(a, x.Indices), EdgeIDs: b.ids(a, r, x.Positions),
			})
		}
		out.Hops = append(out.Hops, hops)
	}
	return out, nil
}

func (b Batches) pairs(a *arena, n app.Neighborhood) (all []output.Pairs) {
	for r := range b.Graph.Relations {
		var sources, destinations []int64
		var positions []uint64
		var counts []int
		for _, hop := range n.Hops {
			x := hop[r]
			sources, positions = append(sources, x.Indices...), append(positions, x.Positions...)
			for i := range x.Destinations {
				for range x.Indptr[i+1] - x.Indptr[i] {
					destinations = append(destinations, int64(x.First+i))
				}
			}
			counts = append(counts, len(x.Indices))
		}
		all = append(all, output.Pairs{
			Sources: laid(a, sources), Destinations: laid(a, destinations), EdgeIDs: b.ids(a, r, positions), Counts: counts,
		})
	}
	return all
}

func (b Batches) ids(a *arena, r int, positions []uint64) []int64 {
	ids := laid(a, positions)
	for i, p := range positions {
		ids[i] = int64(b.Graph.Relations[r].Graph.EdgeID(p))
	}
	return ids
}

// arena is what is left of a block.
type arena struct{ left []int64 }

// laid copies numbers to the arena.
func laid[T uint32 | int64 | uint64](a *arena, from []T) []int64 {
	to := a.left[:len(from):len(from)]
	a.left = a.left[len(from):]
	for i, x := range from {
		to[i] = int64(x)
	}
	return to
}
