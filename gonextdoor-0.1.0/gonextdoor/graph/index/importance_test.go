package index

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

// squares returns the squared entries of the normalised adjacency matrix with loops, as exact fractions.
func squares(g *graph.Graph, n Normalization) [][]*big.Rat {
	size := g.NumVertices()
	count := make([][]int64, size)
	sum := make([]int64, size)
	for v := range size {
		count[v] = make([]int64, size)
		count[v][v]++
		for _, u := range g.Neighbors(uint32(v)) {
			count[v][u]++
		}
		for _, c := range count[v] {
			sum[v] += c
		}
	}
	all := make([][]*big.Rat, size)
	for v := range size {
		all[v] = make([]*big.Rat, size)
		for u := range size {
			by := sum[v] * sum[u]
			if n == RowNorm {
				by = sum[v] * sum[v]
			}
			all[v][u] = big.NewRat(count[v][u]*count[v][u], by)
		}
	}
	return all
}

// Importances equal the exact ones up to the stated rounding.
func TestImportanceIsTheColumnsNorm(t *testing.T) {
	for _, g := range []*graph.Graph{
		graphtest.RMAT(t, build.RMAT{Scale: 5, EdgeFactor: 4, Seed: 3}), graphtest.RMAT(t, build.RMAT{Scale: 5, EdgeFactor: 9, Symmetric: true}),
		graphtest.Loops(t, make([]float64, 40)),
	} {
		for _, n := range []Normalization{SymmetricNorm, RowNorm} {
			one, err := makeImportance(g, n, graph.Options{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			all := squares(g, n)
			norms, largest := make([]float64, g.NumVertices()), 0.0
			for u := range norms {
				sum := new(big.Rat)
				for v := range norms {
					sum.Add(sum, all[v][u])
				}
				norms[u], _ = sum.Float64()
				largest = max(largest, norms[u])
			}
			scale := float64(slices.Max(one.Biases)) / largest
			sum := uint64(0)
			for u, b := range one.Biases {
				sum += uint64(b)
				if want := norms[u] * scale; math.Abs(float64(b)-want) > 2+want*1e-7 {
					t.Errorf("normalisation %d, vertex %d: bias %d, expected %g", n, u, b, want)
				}
			}
			if sum != one.Sum || slices.Max(one.Biases) < 1<<31 {
				t.Errorf("sum %d of biases that sum to %d; the largest is %#x", one.Sum, sum, slices.Max(one.Biases))
			}
			many, err := makeImportance(g, n, graph.Options{Threads: 4})
			if err != nil || !slices.Equal(many.Biases, one.Biases) || !slices.Equal(many.Alias, one.Alias) {
				t.Errorf("normalisation %d: another table on 4 threads (%v)", n, err)
			}
			one.free()
			many.free()
		}
	}
}

// A call that is stopped leaves no memory, and the next call starts again.
func TestImportanceStops(t *testing.T) {
	g := graphtest.RMAT(t, build.RMAT{Scale: 5, EdgeFactor: 4, Seed: 3})
	before := offheap.Live()
	if _, err := ImportanceOf(g, SymmetricNorm, graph.Options{Job: &job.Job{Stop: 1}}); refuse.KindOf(err) != refuse.KindInterrupted {
		t.Errorf("stopped before it began: %v", err)
	}
	if now := offheap.Live(); now != before {
		t.Errorf("%d arrays, %d before", now, before)
	}
	if i, err := ImportanceOf(g, SymmetricNorm, graph.Options{}); err != nil || len(i.Biases) != g.NumVertices() {
		t.Errorf("%d biases, error %v", len(i.Biases), err)
	}
}

// The sum of all importances of a choice fits in 64 bits, for rows of any length.
func TestImportanceFits(t *testing.T) {
	for _, n := range []Normalization{SymmetricNorm, RowNorm} {
		for _, d := range []uint64{1, 2, 1 << 20, 1 << 33} {
			rows := uint64(1000)
			unit := n.Unit(rows, rows*d)
			share := n.Share(d, unit) // all of each row's edges lead to one vertex
			total := new(big.Int).Mul(new(big.Int).SetUint64(share), new(big.Int).SetUint64(d))
			total.Mul(total, new(big.Int).SetUint64(d*rows))
			if total.BitLen() > 63 {
				t.Errorf("normalisation %d, D = %d: %d bits", n, d, total.BitLen())
			}
		}
	}
}
