package graphtest

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/rng"
)

// RMAT builds an R-MAT graph off the Go heap and closes it at the end of the test.
func RMAT(t testing.TB, r build.RMAT) *graph.Graph {
	t.Helper()
	g, err := r.Graph()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

// Built builds a graph from a list of edges off the Go heap. The caller closes it.
func Built(t testing.TB, e build.Edges) *graph.Graph {
	t.Helper()
	g, err := build.FromEdges(e)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Full builds a graph of 40 vertices and 200 edges off the Go heap that has every array: edge ids (beyond 32 bits if wide
// is true), weights, labels, times and names. The caller closes it.
func Full(t testing.TB, wide bool) *graph.Graph {
	t.Helper()
	const n, m = 40, 200
	key := rng.NewStream(61, rng.Choices).Key(0)
	below := func(i, bound uint64) int64 {
		x, _ := rng.Below(key.Word(i), bound)
		return int64(x)
	}
	sources, targets, ids := make([]int64, m), make([]int64, m), make([]int64, m)
	weights, labels, times := make([]float64, m), make([]int64, m), make([]int64, m)
	for i := range uint64(m) {
		sources[i], targets[i] = below(5*i, n), below(5*i+1, n)
		weights[i], labels[i], times[i] = float64(below(5*i+2, 100)), below(5*i+3, 9)-4, below(5*i+4, 1<<40)
		ids[i] = int64(i) * 5
		if wide {
			ids[i] += 1 << 40
		}
	}
	slices.Sort(sources)
	indptr := make([]int64, n+1)
	for u := range indptr {
		first, _ := slices.BinarySearch(sources, int64(u))
		indptr[u] = int64(first)
	}
	g, err := build.FromCSR(build.CSR{
		Indptr: graph.ArrayOf(indptr), Indices: graph.ArrayOf(targets), EdgeIDs: graph.ArrayOf(ids),
		Weights: graph.ArrayOf(weights), Labels: graph.ArrayOf(labels), Times: graph.ArrayOf(times), NumVertices: build.Unknown,
	})
	if err != nil {
		t.Fatal(err)
	}
	g.Names = graph.Names{Text: []byte(strings.Repeat("ab", n)), Offsets: make([]uint64, n+1)}
	for i := range g.Names.Offsets {
		g.Names.Offsets[i] = 2 * uint64(i)
	}
	return g
}

// Loops builds a graph whose only edges are loops at vertex 0, one for each weight, off the Go heap. The caller closes it.
func Loops(t testing.TB, weights []float64) *graph.Graph {
	t.Helper()
	g, err := build.FromCSR(build.CSR{
		Indptr: graph.ArrayOf([]int64{0, int64(len(weights))}), Indices: graph.ArrayOf(make([]uint8, len(weights))),
		Weights: graph.ArrayOf(weights), NumVertices: build.Unknown,
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// HardWeights returns rows of weights that are difficult to represent in fixed point, by description.
func HardWeights() map[string][]float64 {
	rows := map[string][]float64{
		"one":                     {3},
		"equal":                   {1, 1, 1, 1},
		"zeros":                   {0, 0, 0},
		"a zero":                  {0, 5, 0},
		"rounds to 2^32":          {math.Nextafter(2, 1), 1, math.Nextafter(1, 0), 1e-5},
		"halves":                  {1 << 31, 0.5, 1.5, 2.5, 3.5},
		"least":                   {1, 0x1p-32, math.Nextafter(0x1p-32, 0)},
		"subnormal":               {5e-324, 1e-323, 0},
		"subnormal, one":          {5e-324},
		"between subnormal":       {0x1p-1022, math.Nextafter(0x1p-1022, 0), 5e-324},
		"huge":                    {1.7e308, 1, 5e-324, 0},
		"huge, alone":             {math.MaxFloat64},
		"all magnitudes":          {1e308, 1e200, 1e100, 1, 1e-100, 1e-200, 1e-300, 5e-324},
		"many small beside large": append([]float64{1e12}, slices.Repeat([]float64{1}, 999)...),
	}
	stream := rng.NewStream(21, rng.Choices)
	for i := range uint64(200) { // weights over 12 orders of magnitude
		key := stream.Key(i)
		row := make([]float64, 1+key.Word(0)%300)
		for j := range row {
			fraction := float64(key.Word(uint64(j)+1)>>11) * 0x1p-53
			row[j] = math.Pow(10, 12*fraction-6)
		}
		rows["random "+string(rune(len(rows)))] = row
	}
	return rows
}
