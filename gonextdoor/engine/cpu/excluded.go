package cpu

import (
	"slices"
	"sort"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// excluded are the edges that a mini-batch leaves out, by the rows that have any.
type excluded struct {
	positions []uint64 // ascending
	rows      *buckets
	vertices  []uint32
	spans     []span // of each row, in positions
}

// set reads edge ids. All positions of an id are left out: a symmetric graph has its edges twice.
func (x *excluded) set(g *graph.Graph, ids []int64) error {
	x.positions, x.spans = x.positions[:0], x.spans[:0]
	if len(ids) == 0 {
		return nil
	}
	inverse, err := g.Inverse()
	if err != nil {
		return err
	}
	for i, id := range ids {
		if uint64(id) >= inverse.IDs() {
			return refuse.Index("exclude[%d] = %d: the graph's edge ids are below %d", i, id, inverse.IDs())
		}
		x.positions = inverse.Append(x.positions, uint64(id))
	}
	slices.Sort(x.positions)
	x.positions = slices.Compact(x.positions)
	if x.rows == nil {
		x.rows = newBuckets()
	}
	x.rows.reset(x.vertices)
	x.vertices = x.vertices[:0]
	for first := 0; first < len(x.positions); {
		p := x.positions[first]
		u := sort.Search(g.NumVertices(), func(u int) bool { return g.Indptr[u+1] > p })
		end := first + 1
		for end < len(x.positions) && x.positions[end] < g.Indptr[u+1] {
			end++
		}
		x.vertices = x.rows.number([]int64{int64(u)}, x.vertices)
		x.spans = append(x.spans, span{first, end})
		first = end
	}
	return nil
}

func (x *excluded) empty() bool { return len(x.spans) == 0 }

// of gives the positions in u's row that are left out.
func (x *excluded) of(u uint32) []uint64 {
	if x.empty() {
		return nil
	}
	bucket := x.rows.of[x.rows.find(u)]
	if bucket == 0 {
		return nil
	}
	s := x.spans[uint32(bucket)-1]
	return x.positions[s.first:s.end]
}

// takeWithout is take for a row of which some positions are left out.
func (c *choices) takeWithout(key rng.Key, fanout uint64, u uint32, left []uint64, dst []uint64) (n int) {
	first, end := c.g.Row(u)
	if c.slots == nil {
		n = c.take(key, fanout, 0, end-first-uint64(len(left)), dst)
		for i, rank := range dst[:n] {
			skipped := sort.Search(len(left), func(j int) bool { return left[j]-first-uint64(j) > rank })
			dst[i] = first + rank + uint64(skipped)
		}
		return n
	}
	set := make(map[uint64]bool, len(left))
	for _, p := range left {
		set[p] = true
	}
	kept := c.g.Without(u, set) // with an alias table of its own: a draw from the row's would follow another law
	if c.way == successive {
		n = selector.SuccessiveAt(key, fanout, kept.Alias, kept.Biases, 0, dst, &c.scratch)
	} else if len(kept.Alias) > 0 {
		for ; n < int(fanout); n++ {
			dst[n] = uint64(selector.Alias(key.Word(uint64(n)), kept.Alias))
		}
	}
	for i, rank := range dst[:n] {
		dst[i] = kept.Position(rank)
	}
	return n
}
