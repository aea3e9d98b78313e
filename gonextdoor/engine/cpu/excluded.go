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
	touched   nodes
	place     [1]int64
	spans     []span // of each row, in positions
	kept      []kept // of each row
	ids       []uint64
	undated   undated
}

// set reads edge ids. All positions of an id are left out: a symmetric graph has its edges twice.
func (x *excluded) set(of *relation, ids []int64) error {
	x.positions, x.spans = x.positions[:0], x.spans[:0]
	clear(x.kept)
	x.kept = x.kept[:0]
	if len(ids) == 0 {
		return nil
	}
	g := of.g
	inverse, err := g.Inverse()
	if err != nil {
		return err
	}
	for i, id := range ids {
		if uint64(id) >= inverse.IDs() {
			return refuse.Index("%s[%d] = %d: the graph's edge ids are below %d", of.excludes, i, id, inverse.IDs())
		}
		x.positions = inverse.Append(x.positions, uint64(id))
	}
	slices.Sort(x.positions)
	x.positions = slices.Compact(x.positions)
	if x.rows == nil {
		x.rows = newBuckets()
	}
	x.rows.reset(&x.touched)
	x.touched.vertices = x.touched.vertices[:0]
	for first := 0; first < len(x.positions); {
		p := x.positions[first]
		u := sort.Search(g.NumVertices(), func(u int) bool { return g.Indptr[u+1] > p })
		end := first + 1
		for end < len(x.positions) && x.positions[end] < g.Indptr[u+1] {
			end++
		}
		x.place[0] = int64(u)
		if err := x.rows.number(x.place[:], nil, &x.touched); err != nil {
			return err
		}
		x.spans, x.kept = append(x.spans, span{first, end}), append(x.kept, kept{})
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

// span is a part of an array.
type span struct{ first, end int }

// kept is what is left of a weighted row.
type kept struct {
	slots  []graph.AliasSlot // empty: no bias
	biases []uint32
	made   bool
}

// row gives what is left of u's row less its positions left out, which is made once a call: its alias table is one of its
// own, since draws from the whole row's that are thrown away where they fall on an edge left out would be other draws.
func (x *excluded) row(g *graph.Graph, u uint32, left []uint64) *kept {
	k := &x.kept[uint32(x.rows.of[x.rows.find(u)])-1]
	if k.made {
		return k
	}
	k.made = true
	at, end := g.Row(u)
	n := int(end-at) - len(left)
	neighbors := make([]uint32, 0, n)
	k.biases = make([]uint32, 0, n)
	for i := range len(left) + 1 {
		next := end
		if i < len(left) {
			next = left[i]
		}
		neighbors = append(neighbors, g.Indices[at:next]...)
		k.biases = append(k.biases, g.Biases[at:next]...)
		at = next + 1
	}
	k.slots = make([]graph.AliasSlot, n)
	graph.BuildAlias(neighbors, k.biases, k.slots)
	if n > 0 && k.slots[0].Vertex == graph.None {
		k.slots = nil
	}
	return k
}

// takeWithout is choices.take for a row of which some positions are left out.
func (x *excluded) takeWithout(c *choices, key rng.Key, fanout uint64, u uint32, left []uint64, dst []uint64) (n int) {
	first, end := c.g.Row(u)
	switch {
	case c.slots == nil:
		n = c.take(key, fanout, 0, end-first-uint64(len(left)), dst)
	case c.way == successive:
		k := x.row(c.g, u, left)
		n = selector.SuccessiveAt(key, fanout, k.slots, k.biases, 0, dst, &c.scratch)
	default:
		k := x.row(c.g, u, left)
		for ; len(k.slots) > 0 && n < int(fanout); n++ {
			dst[n] = uint64(selector.Alias(key.Word(uint64(n)), k.slots))
		}
	}
	for i, rank := range dst[:n] {
		skipped := sort.Search(len(left), func(j int) bool { return left[j]-first-uint64(j) > rank })
		dst[i] = first + rank + uint64(skipped)
	}
	return n
}
