package subgraph

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/engine/persample"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// mvsSampler grows samples of an app.BatchExpander, for one thread. It follows the serial definition, with the fast forms of
// the selectors.
type mvsSampler struct {
	g       *graph.Graph
	from    index.Candidates // of the batch
	size    int              // of the batch
	fanouts []int
	picks   []uint64
	scratch selector.Scratch
}

// MVS returns a grower of the samples of an app.BatchExpander: a batch of vertices and the neighbourhood around it.
func MVS(p plan.Plan, g *graph.Graph) (persample.Grow, error) {
	a := p.App.(app.BatchExpander)
	m := &mvsSampler{g: g, from: a.Candidates(), size: a.BatchSize(), fanouts: a.HopFanouts()}
	return m.grow, nil
}

// grow appends one sample to row: the drawn batch, then its neighbourhood hop by hop.
func (m *mvsSampler) grow(key rng.Key, _ []uint32, row app.Row) app.Row {
	// 1. Draw the batch.
	row.Ends = append(row.Ends, 0)
	batch := m.batch(app.DrawKey(key))
	row = buffer.GrowRow(row, len(batch))
	for _, v := range batch {
		row = row.Add(uint32(v), graph.NoEdge)
		row.Parents = append(row.Parents, -1)
	}
	// 2. Expand the vertices of the last hop.
	first, end := 0, len(row.Vertices)
	for i := 0; end > first; i++ {
		row.Ends = append(row.Ends, int32(end))
		if i == len(m.fanouts) {
			break
		}
		stream := key.Stream(uint64(i) + 1)
		for t := first; t < end && !row.Stopped(); t++ {
			from, to := m.g.Row(row.Vertices[t])
			k := to - from
			if f := m.fanouts[i]; f != app.All {
				k = min(k, uint64(f))
			}
			m.picks, row = buffer.Grow(m.picks[:0], int(k))[:k], buffer.GrowRow(row, int(k))
			buffer.MustFit(buffer.ScratchBytes * int64(k))
			for _, position := range m.picks[:selector.PermuteAt(stream.Key(uint64(t-first)), k, to-from, from, m.picks, &m.scratch)] {
				row = row.Add(m.g.Indices[position], position)
				row.Parents = append(row.Parents, int32(t))
			}
		}
		first, end = end, len(row.Vertices)
	}
	return row
}

// batch draws the vertices of a batch without replacement: by score if there is an alias table of scores, uniformly
// otherwise.
func (m *mvsSampler) batch(key rng.Key) []uint64 {
	k := min(m.from.N, uint64(m.size))
	m.picks = buffer.Grow(m.picks[:0], int(k))[:k]
	buffer.MustFit(buffer.ScratchBytes * int64(k))
	if m.from.Alias == nil {
		return m.picks[:selector.PermuteAt(key, k, m.from.N, 0, m.picks, &m.scratch)]
	}
	return m.picks[:selector.SuccessiveAt(key, k, m.from.Alias, m.from.Biases, 0, m.picks, &m.scratch)]
}
