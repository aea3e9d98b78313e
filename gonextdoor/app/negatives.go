package app

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"sort"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// NegativeDrawer is an app that draws vertices without an edge from a source.
type NegativeDrawer interface {
	App
	// NegativeDraws returns the description. The app must be bound.
	NegativeDraws() *NegativeDraws
}

// NegativeDraws describes pairs (u, v) without an edge from u to v: v is drawn among candidates, and u is the root of the sample or
// is drawn too. Try t of a sample proposes v with the word at Slot(0, t), and u with the word at Slot(1, t). The first of
// selector.MaxTries proposals without an edge is the result. If there is none, the words at Slot(1, MaxTries) and Slot(0, MaxTries)
// choose among the pairs without an edge, by their exact sums: the source first, if it is drawn, then its end. Both ways have
// the same distribution, so their mixture has it too.
type NegativeDraws struct {
	Pairs   bool   // whether u is drawn
	Loops   bool   // whether v may be u
	Sources uint64 // of which u is drawn: 0 ... Sources-1
	Ends    uint64 // candidates for v: 0 ... Ends-1, unless Lists is set

	Weights, SourceWeights *Scores  // of v and of u; nil: uniform
	Sums                   []uint64 // Ends+1: the sum of the biases of Weights before each vertex; nil without Weights

	Lists *ClusterLists // of candidates, each of which is as likely; a list may have a vertex several times
	List  []uint32      // per vertex the number of its list; nil: all vertices have list 0

	// RowSums has per source the sum of its mass and those before. nil: at least half of all pairs have no edge, so that not one of
	// 2^128 samples needs it.
	RowSums []uint64
	shift   int // bits by which the unit of Mass exceeds a product of biases
}

// Candidates returns the list of candidates of u; nil if these are all vertices below Ends.
func (d *NegativeDraws) Candidates(u uint32) []uint32 {
	switch {
	case d.Lists == nil:
		return nil
	case d.List == nil:
		return d.Lists.Of(0)
	}
	return d.Lists.Of(uint64(d.List[u]))
}

// Try returns the source and the end that a try proposes for a sample. The root is u unless Pairs is set. If u has no candidate, v is
// graph.None.
func (d *NegativeDraws) Try(key rng.Key, t uint64, root uint32) (u, v uint32) {
	if u = root; d.Pairs {
		u = drawVertex(key.Word(rng.Slot(1, t)), d.Sources, d.SourceWeights)
	}
	word := key.Word(rng.Slot(0, t))
	if d.Lists == nil {
		return u, drawVertex(word, d.Ends, d.Weights)
	}
	list := d.Candidates(u)
	if len(list) == 0 {
		return u, graph.None
	}
	i, _ := rng.Below(word, uint64(len(list)))
	return u, list[i]
}

// drawVertex returns a vertex below n, in proportion to scores unless these are nil.
func drawVertex(word, n uint64, by *Scores) uint32 {
	if by != nil {
		return uint32(selector.Alias(word, by.alias))
	}
	v, _ := rng.Below(word, n)
	return uint32(v)
}

// Excluded reports whether a pair is no negative.
func (d *NegativeDraws) Excluded(g *graph.Graph, u, v uint32) bool {
	return u == v && !d.Loops || g.HasEdge(u, v)
}

// Bias returns the bias of candidate i of u: 0 if it is no negative.
func (d *NegativeDraws) Bias(g *graph.Graph, u uint32, list []uint32, i int) uint64 {
	v := uint32(i)
	if list != nil {
		v = list[i]
	}
	switch {
	case d.Excluded(g, u, v):
		return 0
	case d.Weights != nil:
		return uint64(d.Weights.biases[v])
	}
	return 1
}

// Scan returns the end that a word chooses among the negatives of u, or graph.None if u has none. It is the definition of Rest.
func (d *NegativeDraws) Scan(g *graph.Graph, u uint32, word uint64) uint32 {
	list, n := d.Candidates(u), int(d.Ends)
	if d.Lists != nil {
		n = len(list)
	}
	i := selector.Scan(word, n, func(i int) uint64 { return d.Bias(g, u, list, i) })
	switch {
	case i < 0:
		return graph.None
	case list != nil:
		return list[i]
	}
	return uint32(i)
}

// Mass returns the weight of u among the sources of pairs: its bias times the sum of the biases of its negatives. It is rounded down to
// a unit in which the sums of all sources fit in 63 bits, but no positive weight becomes 0.
func (d *NegativeDraws) Mass(g *graph.Graph, u uint32) uint64 {
	bias := uint64(1)
	if d.SourceWeights != nil {
		bias = uint64(d.SourceWeights.biases[u])
	}
	hi, lo := bits.Mul64(bias, d.left(g, u))
	if hi|lo == 0 {
		return 0
	}
	return max(1, hi<<(64-d.shift)|lo>>d.shift)
}

// sum returns the sum of the biases of the vertices below v.
func (d *NegativeDraws) sum(v uint64) uint64 {
	if d.Sums != nil {
		return d.Sums[v]
	}
	return v
}

// eachExcluded calls f with the vertices below Ends that are no negatives of u, in order, until f returns false.
func (d *NegativeDraws) eachExcluded(g *graph.Graph, u uint32, f func(v uint64) bool) {
	loop, last := !d.Loops && uint64(u) < d.Ends, graph.None
	for _, v := range g.Neighbors(u) {
		if v == last || uint64(v) >= d.Ends {
			continue
		}
		if loop && v >= u {
			if loop = false; v > u && !f(uint64(u)) {
				return
			}
		}
		if last = v; !f(uint64(v)) {
			return
		}
	}
	if loop {
		f(uint64(u))
	}
}

// left returns the sum of the biases of the negatives of u, without lists. O(degree).
func (d *NegativeDraws) left(g *graph.Graph, u uint32) uint64 {
	total := d.sum(d.Ends)
	d.eachExcluded(g, u, func(v uint64) bool {
		total -= d.sum(v+1) - d.sum(v)
		return true
	})
	return total
}

// Rest returns the pair of a sample of which all tries were rejected, or an end of graph.None if there is no pair: that of Scan, in
// O(degree + log vertices), or O(list * log degree).
func (d *NegativeDraws) Rest(g *graph.Graph, key rng.Key, root uint32) (u, v uint32) {
	if u = root; d.Pairs {
		if u = d.source(g, key.Word(rng.Slot(1, selector.MaxTries))); u == graph.None {
			return u, u
		}
	}
	word := key.Word(rng.Slot(0, selector.MaxTries))
	if d.Lists != nil {
		return u, d.Scan(g, u, word)
	}
	total := d.left(g, u)
	if total == 0 {
		return u, graph.None
	}
	// r is the sum of all biases before the place of v: first of negatives alone, then also of the vertices excluded before v.
	r, _ := rng.Below(word, total)
	d.eachExcluded(g, u, func(x uint64) bool {
		if r < d.sum(x) {
			return false
		}
		r += d.sum(x+1) - d.sum(x)
		return true
	})
	if d.Sums == nil {
		return u, uint32(r)
	}
	return u, uint32(above(d.Sums[1:], r))
}

// source returns the source that a word chooses by Mass, or graph.None.
func (d *NegativeDraws) source(g *graph.Graph, word uint64) uint32 {
	if d.RowSums == nil {
		return uint32(selector.Scan(word, int(d.Sources), func(u int) uint64 { return d.Mass(g, uint32(u)) }))
	}
	total := d.RowSums[len(d.RowSums)-1]
	if total == 0 {
		return graph.None
	}
	r, _ := rng.Below(word, total)
	return uint32(above(d.RowSums, r))
}

// above returns the first index at which ascending sums, of which the last exceeds r, exceed r.
func above(sums []uint64, r uint64) int {
	return sort.Search(len(sums)-1, func(i int) bool { return sums[i] > r })
}

// Complete sets Sums and, if it may be needed, RowSums. It returns whether there is a pair without an edge, as far as it knows: false
// only if there is none.
func (d *NegativeDraws) Complete(g *graph.Graph) (some bool, err error) {
	if d.Weights != nil {
		d.Sums = make([]uint64, d.Ends+1)
		for v, b := range d.Weights.biases[:d.Ends] {
			d.Sums[v+1] = d.Sums[v] + uint64(b)
		}
	}
	excluded := uint64(g.NumEdges())
	if !d.Loops {
		excluded += min(d.Sources, d.Ends)
	}
	sparse := d.Weights == nil && d.SourceWeights == nil && excluded <= d.Sources*d.Ends/2
	if !d.Pairs || sparse && d.Sources*d.Ends > 0 {
		return d.Sources > 0 && d.Ends > 0, nil
	}
	sources := d.Sources
	if d.SourceWeights != nil {
		sources = 0
		for _, b := range d.SourceWeights.biases {
			sources += uint64(b)
		}
	}
	d.shift = max(0, bits.Len64(sources)+bits.Len64(d.sum(d.Ends))-63)
	d.RowSums, err = index.RunningSums(int(d.Sources), func(u int) uint64 { return d.Mass(g, uint32(u)) }, graph.Options{})
	return err == nil && len(d.RowSums) > 0 && d.RowSums[len(d.RowSums)-1] > 0, err
}

// CandidateList returns one list of candidates.
func CandidateList(vertices []uint32) *ClusterLists {
	return &ClusterLists{[]uint32{uint32(len(vertices))}, vertices}
}

// VertexList is a list of vertices.
type VertexList struct{ Vertices []uint32 }

// UnmarshalJSON reads the description of an array of uint32, which is copied.
func (l *VertexList) UnmarshalJSON(text []byte) error {
	var given graph.Array
	if err := json.Unmarshal(text, &given); err != nil {
		return err
	}
	vertices, err := graph.Elements[uint32](given)
	l.Vertices = append([]uint32{}, vertices...)
	return err
}

// String describes the list without its vertices.
func (l *VertexList) String() string { return fmt.Sprintf("of %d vertices", len(l.Vertices)) }
