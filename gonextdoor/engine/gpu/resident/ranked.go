package resident

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
)

// rankedArrays are the ranks, and a record of 32 bytes for each four of them.
func rankedArrays(b *builder) ([]array, error) {
	return []array{{bytes: deviceWord * b.vertices()}, {bytes: 2 * deviceQuad * b.records()}}, nil
}

func fillRanked(b *builder, at []uintptr) error {
	order, firsts, err := byDegree(b.graph)
	defer offheap.Free(order)
	defer offheap.Free(firsts)
	if err != nil {
		return err
	}
	sorted, err := b.scratch(deviceWord * b.vertices())
	if err != nil {
		return err
	}
	begins, err := b.scratch(deviceLong * b.records())
	if err != nil {
		return err
	}
	err = b.upload(
		transfer{sorted, address(order), deviceWord * b.vertices()}, transfer{begins, address(firsts), deviceLong * b.records()},
	)
	if err != nil {
		return err
	}
	b.args.Words, b.args.Quads, b.args.Positions, b.args.Offsets = uint64(at[0]), uint64(at[1]), uint64(sorted), uint64(begins)
	return b.work("ranked", uint64(b.records()), 1)
}

func fillRankedAlias(b *builder, at []uintptr) error {
	b.args.Quads = uint64(at[0])
	return b.work("ranked_alias", uint64(b.vertices()), warp)
}

// byDegree gives the vertices by degree, the largest first and those of one degree in their order, and where the rows of
// each four of them begin if the rows lie in that order.
func byDegree(g *graph.Graph) (order []uint32, firsts []uint64, err error) {
	n := g.NumVertices()
	if order, err = offheap.Make[uint32](n); err != nil {
		return nil, nil, err
	}
	if firsts, err = offheap.Make[uint64]((n + packedRows - 1) / packedRows); err != nil {
		return order, nil, err
	}
	next, err := offheap.Make[uint32](int(g.MaxDegree()) + 2) // the rank of the next vertex of each degree
	if err != nil {
		return order, firsts, err
	}
	defer offheap.Free(next)
	for v := range uint32(n) {
		next[g.Degree(v)]++
	}
	rank, edges := uint32(0), uint64(0)
	for degree := int(g.MaxDegree()); degree >= 0; degree-- {
		count := next[degree]
		next[degree] = rank
		for end := rank + count; rank < end; rank++ {
			if rank%packedRows == 0 {
				firsts[rank/packedRows] = edges
			}
			edges += uint64(degree)
		}
	}
	for v := range uint32(n) {
		at := &next[g.Degree(v)]
		order[*at] = v
		*at++
	}
	return order, firsts, nil
}
