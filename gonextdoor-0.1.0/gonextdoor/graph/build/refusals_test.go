package build

import (
	"math"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

func integersOf(x ...int64) graph.Array  { return graph.ArrayOf(x) }
func numbersOf(x ...float64) graph.Array { return graph.ArrayOf(x) }

// TestRefusals checks every error message word for word, since users read them.
func TestRefusals(t *testing.T) {
	edges := func(change func(*Edges)) func() (*graph.Graph, error) {
		return func() (*graph.Graph, error) {
			e := Edges{Sources: integersOf(0, 1, 2), Targets: integersOf(1, 2, 0), NumVertices: Unknown}
			change(&e)
			return FromEdges(e)
		}
	}
	csr := func(change func(*CSR)) func() (*graph.Graph, error) {
		return func() (*graph.Graph, error) {
			c := CSR{Indptr: integersOf(0, 1, 3), Indices: integersOf(1, 0, 1), NumVertices: Unknown}
			change(&c)
			return FromCSR(c)
		}
	}
	live := offheap.Live()
	for _, c := range []struct {
		kind  refuse.Kind
		want  string
		build func() (*graph.Graph, error)
	}{
		{"TypeError", "src was not given: expected an array of vertices", edges(func(e *Edges) { e.Sources = graph.Array{} })},
		{"TypeError", "dst: dtype float64, expected an integer dtype of at most 64 bits; if all values are whole numbers, pass dst.astype(np.int64)", edges(func(e *Edges) { e.Targets = numbersOf(1, 2, 3) })},
		{"TypeError", "src: dtype complex64, expected an integer dtype of at most 64 bits", edges(func(e *Edges) { e.Sources.Dtype = "complex64" })},
		{"TypeError", "weights: dtype bool, expected float32, float64 or an integer dtype", edges(func(e *Edges) { e.Weights = graph.Array{Dtype: "bool", Len: 3} })},
		{"TypeError", "labels: dtype float64, expected an integer dtype of at most 64 bits; if all values are whole numbers, pass labels.astype(np.int64)", edges(func(e *Edges) { e.Labels = numbersOf(1, 2, 3) })},
		{"TypeError", "times: dtype float64, expected an integer dtype of at most 64 bits; if all values are whole numbers, pass times.astype(np.int64)", edges(func(e *Edges) { e.Times = numbersOf(1, 2, 3) })},
		{"ValueError", "dst has 2 elements, but src has 3: expected the same number", edges(func(e *Edges) { e.Targets = integersOf(1, 2) })},
		{"ValueError", "weights has 2 elements, but src has 3: expected the same number", edges(func(e *Edges) { e.Weights = numbersOf(1, 2) })},
		{"ValueError", "labels has 4 elements, but src has 3: expected the same number", edges(func(e *Edges) { e.Labels = integersOf(1, 2, 3, 4) })},
		{"ValueError", "src[1] = -1 is out of range: vertex ids are at least 0 and below 4294967294 (the maximum number of vertices)", edges(func(e *Edges) { e.Sources = integersOf(0, -1, 2) })},
		{"ValueError", "dst[0] = 4294967294 is out of range: vertex ids are at least 0 and below 4294967294 (the maximum number of vertices)", edges(func(e *Edges) { e.Targets = integersOf(graph.MaxVertices, 2, 0) })},
		{"ValueError", "src[2] = 2 is out of range: vertex ids are at least 0 and below 2 (num_vertices)", edges(func(e *Edges) { e.NumVertices = 2; e.Targets = integersOf(1, 1, 5) })},
		{"ValueError", "dst[1] = 2 is out of range: vertex ids are at least 0 and below 2 (num_vertices)", edges(func(e *Edges) { e.NumVertices = 2 })},
		{"ValueError", "src[0] = 0 is out of range: vertex ids are at least 0 and below 0 (num_vertices)", edges(func(e *Edges) { e.NumVertices = 0 })},
		{"ValueError", "num_vertices = -2: expected from 0 to 4294967294", edges(func(e *Edges) { e.NumVertices = -2 })},
		{"ValueError", "num_vertices = 4294967295: expected from 0 to 4294967294", edges(func(e *Edges) { e.NumVertices = graph.MaxVertices + 1 })},
		{"ValueError", "weights[1] = -1: expected a finite number that is not negative", edges(func(e *Edges) { e.Weights = integersOf(1, -1, -2) })},
		{"ValueError", "weights[0] = NaN: expected a finite number that is not negative", edges(func(e *Edges) { e.Weights = numbersOf(math.NaN(), 1, 1) })},
		{"ValueError", "weights[2] = +Inf: expected a finite number that is not negative", edges(func(e *Edges) { e.Weights = numbersOf(1, 1, math.Inf(1)) })},
		{"ValueError", "labels[1] = 2147483648: expected an integer from -2147483648 to 2147483647", edges(func(e *Edges) { e.Labels = integersOf(0, 1<<31, 0) })},
		{"ValueError", "times[2] = 18446744073709551615: expected an integer from -9223372036854775808 to 9223372036854775807", edges(func(e *Edges) { e.Times = graph.ArrayOf([]uint64{0, 1, math.MaxUint64}) })},
		{"ValueError", "weights: the sum of the weights of vertex 0 exceeds 1.7976931348623157e+308", edges(func(e *Edges) { e.Sources = integersOf(0, 0, 1); e.Weights = numbersOf(1e308, 1e308, 1) })},

		{"TypeError", "indptr was not given: expected an array of integers", csr(func(c *CSR) { c.Indptr = graph.Array{} })},
		{"TypeError", "indices: dtype float64, expected an integer dtype of at most 64 bits; if all values are whole numbers, pass indices.astype(np.int64)", csr(func(c *CSR) { c.Indices = numbersOf(1, 2, 3) })},
		{"ValueError", "indptr has no elements: expected num_vertices + 1", csr(func(c *CSR) { c.Indptr = integersOf() })},
		{"ValueError", "indptr[0] = 1: expected 0", csr(func(c *CSR) { c.Indptr = integersOf(1, 2, 3) })},
		{"ValueError", "indptr[2] = 1 after indptr[1] = 2: expected offsets that do not decrease and end at 3, the length of indices", csr(func(c *CSR) { c.Indptr = integersOf(0, 2, 1, 3) })},
		{"ValueError", "indptr[1] = -1 after indptr[0] = 0: expected offsets that do not decrease and end at 3, the length of indices", csr(func(c *CSR) { c.Indptr = integersOf(0, -1, 3) })},
		{"ValueError", "indptr[2] = 2, its last element: expected 3, the length of indices", csr(func(c *CSR) { c.Indptr = integersOf(0, 1, 2) })},
		{"ValueError", "indptr[2] = 4, its last element: expected 3, the length of indices, after indptr[1] = 1", csr(func(c *CSR) { c.Indptr = integersOf(0, 1, 4) })},
		{"ValueError", "indptr[1] = 9223372036854775808 after indptr[0] = 0: expected offsets that do not decrease and end at 3, the length of indices", csr(func(c *CSR) { c.Indptr = graph.ArrayOf([]uint64{0, 1 << 63, 3}) })},
		{"ValueError", "indices[1] = 2 is out of range: vertex ids are at least 0 and below 2 (num_vertices)", csr(func(c *CSR) { c.Indices = integersOf(1, 2, 0) })},
		{"ValueError", "indices[0] = -1 is out of range: vertex ids are at least 0 and below 2 (num_vertices)", csr(func(c *CSR) { c.Indices = integersOf(-1, 2, 0) })},
		{"ValueError", "num_vertices = 1: expected from 2 (the rows of indptr) to 4294967294", csr(func(c *CSR) { c.NumVertices = 1 })},
		{"ValueError", "edge_ids[2] = -5: expected an integer from 0 to 9223372036854775807", csr(func(c *CSR) { c.EdgeIDs = integersOf(1, 2, -5) })},
		{"ValueError", "edge_ids has 2 elements, but indices has 3: expected the same number", csr(func(c *CSR) { c.EdgeIDs = integersOf(1, 2) })},
		{"ValueError", "weights[0] = -1: expected a finite number that is not negative", csr(func(c *CSR) { c.Weights = graph.ArrayOf([]float32{-1, 2, 3}) })},
		{"ValueError", "weights: the sum of the weights of vertex 1 exceeds 1.7976931348623157e+308", csr(func(c *CSR) { c.Weights = numbersOf(1, 1.7e308, 1.7e308) })},

		{"KeyboardInterrupt", "stopped by the caller", edges(func(e *Edges) { e.Job = &job.Job{Stop: 1} })},
		{"KeyboardInterrupt", "stopped by the caller", csr(func(c *CSR) { c.Job = &job.Job{Stop: 1} })},
	} {
		g, err := c.build()
		if err == nil || g != nil || err.Error() != c.want || refuse.KindOf(err) != c.kind {
			t.Errorf("%s %q\nexpected %s %q (graph %v)", refuse.KindOf(err), err, c.kind, c.want, g)
		}
	}
	if offheap.Live() != live {
		t.Errorf("%d arrays leaked", offheap.Live()-live)
	}
}

// TestFirstRefusalOnAnyThreads has faults in several pieces. The error reports the first one for any number of threads.
func TestFirstRefusalOnAnyThreads(t *testing.T) {
	const n = 10 * graph.EdgeChunk
	src, weights := make([]int32, n), make([]float32, n)
	for _, bad := range []int{3*graph.EdgeChunk + 5, 7 * graph.EdgeChunk, n - 1} {
		src[bad], weights[bad] = -1, -1
	}
	for _, threads := range []int{1, 2, 8} {
		_, err := FromEdges(Edges{Sources: graph.ArrayOf(src), Targets: graph.ArrayOf(src), NumVertices: Unknown, Threads: threads})
		if err == nil || err.Error() != "src[196613] = -1 is out of range: vertex ids are at least 0 and below 4294967294 (the maximum number of vertices)" {
			t.Errorf("%d threads: %v", threads, err)
		}
		zero := graph.ArrayOf(make([]int8, n))
		_, err = FromEdges(Edges{Sources: zero, Targets: zero, Weights: graph.ArrayOf(weights), NumVertices: Unknown, Threads: threads})
		if err == nil || err.Error() != "weights[196613] = -1: expected a finite number that is not negative" {
			t.Errorf("%d threads: %v", threads, err)
		}
	}
}

func TestJobCounts(t *testing.T) {
	ids := make([]int32, 3*graph.EdgeChunk)
	for i := range ids {
		ids[i] = int32(i * 7 % 1000)
	}
	for _, symmetric := range []bool{false, true} {
		var j job.Job
		short := Edges{Sources: graph.ArrayOf(ids), Targets: graph.ArrayOf(ids[1:]), NumVertices: Unknown, Job: &j}
		if _, err := FromEdges(short); err == nil {
			t.Fatal("lengths differ")
		}
		g, err := FromEdges(Edges{Sources: graph.ArrayOf(ids), Targets: graph.ArrayOf(ids), NumVertices: Unknown, Symmetric: symmetric, Job: &j})
		if err != nil {
			t.Fatal(err)
		}
		if j.Done != EdgeWork*int64(len(ids)) {
			t.Errorf("%d units done, expected %d", j.Done, EdgeWork*len(ids))
		}
		g.Close()
	}
}
