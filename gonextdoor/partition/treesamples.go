package partition

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// choiceOf returns how the transits of a tree choose.
func choiceOf(a app.FanoutTree) *app.NeighborSampling {
	return &app.NeighborSampling{Replace: a.Replaces(), Weighted: a.Weights()}
}

// layersOf copies samples, whose Edges are ids, to a result.
func layersOf(rows []app.Row, edges bool) (output.Layers, error) {
	n := output.Sizes{Rows: len(rows), Edges: edges}
	for _, row := range rows {
		n.Vertices += len(row.Vertices)
		n.Ends += len(row.Ends)
	}
	l, err := output.LendLayers(n)
	if err != nil {
		return l, err
	}
	vertices, ends := 0, 0
	for i, row := range rows {
		l.Offsets[i], l.EndsFrom[i] = int64(vertices), int64(ends)
		copy(l.Vertices[vertices:], row.Vertices)
		roots := int(row.Ends[0])
		for k := range row.Vertices {
			parent, id := int32(-1), int64(-1)
			if k >= roots {
				parent, id = row.Parents[k-roots], int64(row.Edges[k-roots])
			}
			l.Parents[vertices+k] = parent
			if edges {
				l.Edges[vertices+k] = id
			}
		}
		vertices, ends = vertices+len(row.Vertices), ends+copy(l.Ends[ends:], row.Ends)
	}
	l.Offsets[len(rows)], l.EndsFrom[len(rows)] = int64(vertices), int64(ends)
	return l, nil
}

// beginRows returns the samples of a batch with their roots.
func beginRows(b plan.Batch) []app.Row {
	rows, scratch := make([]app.Row, b.Roots.Samples()), make([]uint32, 1)
	for i := range rows {
		rows[i].ID = b.First + uint64(i)
		rows[i].Vertices = append(rows[i].Vertices, b.Roots.Of(i, scratch)...)
		rows[i].Ends = []int32{int32(len(rows[i].Vertices))}
	}
	return rows
}

// keyOf returns the key of row i of a batch.
func keyOf(b plan.Batch, i int) rng.Key {
	return rng.NewStream(b.Seed, rng.Choices).Key(b.First + uint64(i))
}
