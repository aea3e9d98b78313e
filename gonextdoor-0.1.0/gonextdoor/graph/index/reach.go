package index

import (
	"math/bits"
	"sync/atomic"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// Reach describes how much of a row's bias its edges to one vertex can have. The bias of an edge is measured in shares: its
// bias times the number of edges of the row, divided by the sum of the row's biases. The shares of a row add up to its number
// of edges. Shares have 32 fraction bits and are rounded down.
//
// Without weights every edge has the share 1, and the largest share is the largest number of parallel edges.
type Reach struct {
	most  uint64 // upper bound of the shares of all edges to one vertex, a multiple of 64; the low 6 bits are the shift z
	share uint64 // 2^95 * edges / (sum of biases << z), rounded down; z brings the sum into [2^63, 2^64)
}

// SingleReach is the Reach of a row without weights and without parallel edges.
var SingleReach = Reach{1<<32 | 63, 1 << 32}

// Most returns an upper bound of the shares of all edges of the row to one vertex.
func (r Reach) Most() uint64 { return r.most &^ 63 }

// Of returns the share of an edge by its bias, which is 1 without weights.
func (r Reach) Of(bias uint64) uint64 {
	z := r.most & 63
	hi, lo := bits.Mul64(bias, r.share)
	return hi<<(1+z) | lo>>(63-z)
}

// ReachRow returns the Reach of a row, whose neighbours must be sorted. biases is nil for a row without weights.
func ReachRow(neighbors, biases []uint32) Reach {
	r, sum := SingleReach, uint64(0)
	if biases != nil {
		for _, b := range biases {
			sum += uint64(b)
		}
		if sum == 0 {
			return Reach{}
		}
		z := uint(bits.LeadingZeros64(sum))
		share, _ := bits.Div64(uint64(len(biases))<<31, 0, sum<<z)
		r = Reach{uint64(z), share}
	}
	most, together := uint64(0), uint64(0)
	for i, v := range neighbors {
		if i > 0 && v != neighbors[i-1] {
			together = 0
		}
		bias := uint64(1)
		if biases != nil {
			bias = uint64(biases[i])
		}
		together += r.Of(bias)
		most = max(most, together)
	}
	r.most = (most+63)&^63 | r.most&63
	return r
}

// reachKeys cache the tables of ReachOf, without and with weights.
var reachKeys = [2]graph.Key[[]Reach]{graph.NewKey(offheap.Free[Reach]), graph.NewKey(offheap.Free[Reach])}

// ReachOf returns the Reach of every row, by weights or without. It is built at the first call and cached; it takes 16 bytes
// per vertex. It is nil if every row has SingleReach: no vertex has parallel edges, and weights are not used.
func ReachOf(g *graph.Graph, weighted bool, opts graph.Options) ([]Reach, error) {
	if !weighted {
		g = g.Base()
		return reachKeys[0].Get(g, func() ([]Reach, error) {
			if parallel, err := parallelEdges(g, opts); err != nil || !parallel {
				return nil, err
			}
			return makeReach(g, nil, opts)
		})
	}
	return reachKeys[1].Get(g, func() ([]Reach, error) { return makeReach(g, g.Biases, opts) })
}

// ReachNow returns the table of ReachOf, and whether it has been built.
func ReachNow(g *graph.Graph, weighted bool) (table []Reach, built bool) {
	if !weighted {
		return reachKeys[0].Now(g.Base()), reachKeys[0].Has(g.Base())
	}
	return reachKeys[1].Now(g), reachKeys[1].Has(g)
}

// ReachAt returns the Reach of row v, from the table if it has been built.
func ReachAt(g *graph.Graph, v uint32, weighted bool) Reach {
	first, end := g.Row(v)
	if !weighted {
		if t := reachKeys[0].Now(g.Base()); t != nil {
			return t[v]
		}
		return ReachRow(g.Indices[first:end], nil)
	}
	if t := reachKeys[1].Now(g); t != nil {
		return t[v]
	}
	return ReachRow(g.Indices[first:end], g.Biases[first:end])
}

// makeReach builds the table of ReachOf. biases is nil for a table without weights.
func makeReach(g *graph.Graph, biases []uint32, opts graph.Options) ([]Reach, error) {
	table, err := offheap.Make[Reach](g.NumVertices())
	if err != nil {
		return nil, err
	}
	err = parallel.For(opts.Job, opts.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
		for v := lo; v < hi; v++ {
			first, end := g.Row(uint32(v))
			var row []uint32
			if biases != nil {
				row = biases[first:end:end]
			}
			table[v] = ReachRow(g.Indices[first:end], row)
		}
		return nil
	})
	if err != nil {
		offheap.Free(table)
		return nil, err
	}
	return table, nil
}

// parallelEdges reports whether any vertex has several edges to the same vertex.
func parallelEdges(g *graph.Graph, opts graph.Options) (bool, error) {
	var found atomic.Bool
	err := parallel.For(opts.Job, opts.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
		for v := uint32(lo); v < uint32(hi) && !found.Load(); v++ {
			row := g.Neighbors(v)
			for i := 1; i < len(row); i++ {
				if row[i] == row[i-1] {
					found.Store(true)
					return nil
				}
			}
		}
		return nil
	})
	return found.Load(), err
}
