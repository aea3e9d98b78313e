package index

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// Importance holds the importance of each vertex as a bias: the squared norm of its column in the normalised adjacency matrix.
// Its unit brings the largest bias into [2^31, 2^32); biases are rounded down, but to at least 1. The alias table draws a
// vertex in proportion to its bias.
type Importance struct {
	Biases []uint32
	Alias  []AliasSlot
	Sum    uint64 // of the biases
}

var importanceKeys = [...]graph.Key[Importance]{SymmetricNorm: graph.NewKey(Importance.free), RowNorm: graph.NewKey(Importance.free)}

// ImportanceOf returns the importance of all vertices. It is built at the first call and cached per normalization.
func ImportanceOf(g *graph.Graph, n Normalization, opts graph.Options) (Importance, error) {
	return importanceKeys[n].Get(g, func() (Importance, error) { return makeImportance(g, n, opts) })
}

// makeImportance computes the table of ImportanceOf.
func makeImportance(g *graph.Graph, n Normalization, opts graph.Options) (i Importance, err error) {
	if err = g.ValidateWith(opts); err != nil {
		return i, err
	}
	// 1. The importance of all vertices, in 64 bits.
	sums, err := offheap.Make[uint64](g.NumVertices())
	if err != nil {
		return i, err
	}
	defer offheap.Free(sums)
	if err = columns(g, n, sums, opts); err != nil {
		return i, err
	}
	if i.Biases, err = offheap.Make[uint32](len(sums)); err != nil {
		return i, err
	}
	if i.Alias, err = offheap.Make[AliasSlot](len(sums)); err == nil {
		err = opts.Job.Err()
	}
	if err != nil {
		i.free()
		return Importance{}, err
	}
	// 2. Biases of 32 bits.
	length := 0
	if len(sums) > 0 {
		length = bits.Len64(slices.Max(sums))
	}
	vertices := make([]uint32, len(sums))
	for u, sum := range sums {
		if length > 32 {
			sum = max(1, sum>>(length-32))
		} else {
			sum <<= 32 - length
		}
		vertices[u], i.Biases[u] = uint32(u), uint32(sum)
		i.Sum += sum
	}
	// 3. One alias table of all vertices.
	new(aliasBuilder).build(vertices, i.Biases, i.Alias)
	return i, nil
}

// columns writes the importance of every vertex for all rows to sums. It is
//
//	for v { for each u that A(v, u) is not 0 of { sums[u] += A(v, u)^2 * Share(D(v)) } }; for u { sums[u] = Column(sums[u], D(u)) }
func columns(g *graph.Graph, n Normalization, sums []uint64, opts graph.Options) error {
	unit := n.Unit(uint64(len(sums)), uint64(len(sums)+g.NumEdges()))
	err := parallel.For(opts.Job, opts.Threads, len(sums), graph.VertexChunk, func(lo, hi int) error {
		for v := uint32(lo); v < uint32(hi); v++ {
			share := n.Share(g.Degree(v)+1, unit)
			Entries(g, v, func(u uint32, count uint64) { atomic.AddUint64(&sums[u], count*(count*share)) })
		}
		return nil
	})
	if err != nil {
		return err
	}
	return parallel.For(opts.Job, opts.Threads, len(sums), graph.VertexChunk, func(lo, hi int) error {
		for u := lo; u < hi; u++ {
			sums[u] = n.Column(sums[u], g.Degree(uint32(u))+1)
		}
		return nil
	})
}

// Entries calls f(u, A(v, u)) for each u with A(v, u) > 0: first for v, then for the others in the order of the row.
func Entries(g *graph.Graph, v uint32, f func(u uint32, count uint64)) {
	row := g.Neighbors(v)
	loops := uint64(1)
	if at, ok := slices.BinarySearch(row, v); ok {
		for ; at < len(row) && row[at] == v; at++ {
			loops++
		}
	}
	f(v, loops)
	for i := 0; i < len(row); {
		u, first := row[i], i
		for i++; i < len(row) && row[i] == u; i++ {
		}
		if u != v {
			f(u, uint64(i-first))
		}
	}
}

// free frees the arrays.
func (i Importance) free() {
	offheap.Free(i.Biases)
	offheap.Free(i.Alias)
}

// WeighVertices converts weights of vertices, which must be finite and not negative, to biases as for a row of edges. It
// returns the biases with their alias table, both on the Go heap.
func WeighVertices(weights []float64) (biases []uint32, alias []AliasSlot) {
	biases, alias = make([]uint32, len(weights)), make([]AliasSlot, len(weights))
	vertices := make([]uint32, len(weights))
	for v := range vertices {
		vertices[v] = uint32(v)
	}
	largest := 0.0
	for _, w := range weights {
		largest = max(largest, w)
	}
	graph.FixedPoint(largest, weights, biases)
	new(aliasBuilder).build(vertices, biases, alias)
	return biases, alias
}
