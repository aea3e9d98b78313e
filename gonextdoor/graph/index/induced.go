package index

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// Induced finds the edges between the vertices of each group and returns their number. Group i is nodes[ends[i-1]:ends[i]],
// distinct vertices. It writes the place in nodes of each edge's source and of its end, and its id, in the order of the nodes and
// of their rows. The three arrays need room for all edges of the rows.
//
// Its definition, for each group:
//
//	for i, v := range group { for u in row v { if u is in group { write i, place of u, id } } }
func Induced(g *graph.Graph, nodes, ends, rows, cols, ids []int64) (n int, err error) {
	room := uint64(0)
	for i, v := range nodes {
		if v < 0 || v >= int64(g.NumVertices()) {
			return 0, refuse.Index("nodes[%d] = %d is out of range: vertex ids must be 0 <= id < %d", i, v, g.NumVertices())
		}
		room += g.Degree(uint32(v))
	}
	if room > uint64(len(ids)) || len(rows) != len(ids) || len(cols) != len(ids) {
		return 0, refuse.Value("room for %d edges: expected %d, all edges of the rows", len(ids), room)
	}
	lent, err := LendScratch(g)
	if err != nil {
		return 0, err
	}
	defer func() { // also if a fault of a mapped file unwinds the stack
		for _, v := range nodes {
			lent.Words[v], lent.Bits[v>>6] = 0, 0
		}
		ReturnScratch(g, lent)
	}()
	begin := int64(0)
	for _, end := range ends {
		for place := begin; place < end; place++ {
			v := nodes[place]
			lent.Words[v], lent.Bits[v>>6] = uint32(place), lent.Bits[v>>6]|1<<(v&63)
		}
		for place := begin; place < end; place++ {
			// Write each position, and advance if its end is in the group: a branch would be unpredictable.
			first, last := g.Row(uint32(nodes[place]))
			from := n
			for position := first; position < last; position++ {
				u := g.Indices[position]
				ids[n] = int64(position)
				n += int(lent.Bits[u>>6] >> (u & 63) & 1)
			}
			for at := from; at < n; at++ {
				position := uint64(ids[at])
				rows[at], cols[at], ids[at] = place, int64(lent.Words[g.Indices[position]]), int64(g.EdgeID(position))
			}
		}
		for _, v := range nodes[begin:end] {
			lent.Bits[v>>6] = 0
		}
		begin = end
	}
	return n, nil
}
