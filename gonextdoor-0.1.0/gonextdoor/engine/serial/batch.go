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

// Sample draws a mini-batch and replaces positions by edge ids. m is bound to the graph. The result is lent from
// offheap.Results; on an error nothing is lent.
func (b Batches) Sample(m *app.NeighborSampling, seed uint64, s app.SeedNodes, _ int, j *job.Job) (out output.NeighborBatch, err error) {
	if err = s.Check(m, b.Graph); err != nil {
		return out, err
	}
	if err = j.Err(); err != nil {
		return out, err
	}
	err = parallel.Do(1, func(int) error {
		out, err = b.layout(m, m.Sample(b.Graph, seed, s))
		return err
	})
	return out, err
}

// layout copies a neighbourhood to an arena.
func (b Batches) layout(m *app.NeighborSampling, n app.NeighborBatch) (out output.NeighborBatch, err error) {
	// 1. Count the words and lend the arena.
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
	// 2. Copy the nodes of each type.
	a := &arena{left: out.Arena}
	out.New = n.New
	for t, nodes := range n.Nodes {
		out.Nodes = append(out.Nodes, copied(a, nodes))
		if n.Trees != nil {
			out.Trees = append(out.Trees, copied(a, n.Trees[t]))
		}
	}
	// 3. Copy the edges, by relation or by hop.
	if m.Layout == app.COO {
		out.Pairs = b.pairs(a, n)
		return out, nil
	}
	for _, hop := range n.Hops {
		var hops []output.Hop
		for r, x := range hop {
			hops = append(hops, output.Hop{
				First: x.First, Destinations: x.Destinations,
				Indptr: copied(a, x.Indptr), Indices: copied(a, x.Indices), EdgeIDs: b.ids(a, r, x.Positions),
			})
		}
		out.Hops = append(out.Hops, hops)
	}
	return out, nil
}

// pairs copies the edges of each relation as pairs of local numbers.
func (b Batches) pairs(a *arena, n app.NeighborBatch) (all []output.Pairs) {
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
			Sources: copied(a, sources), Destinations: copied(a, destinations), EdgeIDs: b.ids(a, r, positions), Counts: counts,
		})
	}
	return all
}

// ids copies the edge ids of positions of relation r.
func (b Batches) ids(a *arena, r int, positions []uint64) []int64 {
	ids := copied(a, positions)
	for i, p := range positions {
		ids[i] = int64(b.Graph.Relations[r].Graph.EdgeID(p))
	}
	return ids
}

// arena is the unused rest of a lent arena.
type arena struct{ left []int64 }

// copied copies numbers to the arena.
func copied[T uint32 | int64 | uint64](a *arena, from []T) []int64 {
	to := a.left[:len(from):len(from)]
	a.left = a.left[len(from):]
	for i, x := range from {
		to[i] = int64(x)
	}
	return to
}
