package gonextdoor_test

import (
	"slices"
	"strings"
	"testing"

	"gonextdoor/gonextdoor"
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/serial"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// wheel is a hub with rim vertices that lead to the hub and to the next; the last is a sink.
func wheel(t *testing.T, rim int) *graph.Graph {
	t.Helper()
	var src, dst []int64
	for v := 1; v < rim; v++ {
		src, dst = append(src, 0, int64(v), int64(v)), append(dst, int64(v), 0, int64(v+1))
	}
	g, err := build.FromEdges(build.Edges{Sources: graph.ArrayOf(src), Targets: graph.ArrayOf(dst), NumVertices: build.Unknown})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

func sampler(t *testing.T, g *graph.Graph, a app.App, rootWidth int) *gonextdoor.Sampler {
	t.Helper()
	s, err := gonextdoor.New(g, a, rootWidth)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func matrix(s *gonextdoor.Sampler, b plan.Batch) output.Matrix {
	rows := b.Roots.Samples()
	return output.Matrix{
		Vertices: make([]uint32, rows*s.Plan.Width), Edges: make([]int64, rows*(s.Plan.Width-b.Roots.Width)),
		Width: s.Plan.Width, Roots: b.Roots.Width,
	}
}

func TestWideIsMatrixWidened(t *testing.T) {
	g := wheel(t, 40)
	for _, c := range []struct {
		app   app.App
		roots plan.Roots
	}{
		{&app.DeepWalk{Length: 3000}, plan.Roots{Count: 40, Width: 1, Repeat: 100}}, // several pieces
		{&app.DeepWalk{Length: 5}, plan.Roots{Vertices: []uint32{3, 0, 7}, Count: 3, Width: 1, Repeat: 2}},
		{&app.KHop{Fanouts: []int{2, 3}}, plan.Roots{Vertices: []uint32{3, 0, 7, 7}, Count: 2, Width: 2, Repeat: 3}},
		{&app.DeepWalk{Length: 5}, plan.Roots{Vertices: []uint32{}, Width: 1, Repeat: 1}},
	} {
		s := sampler(t, g, c.app, c.roots.Width)
		b := plan.Batch{Roots: c.roots, Seed: 5, First: 1 << 40, Threads: 2, Edges: true}
		out := matrix(s, b)
		if err := s.Matrix(b, out, nil); err != nil {
			t.Fatal(err)
		}
		vertices, edges := make([]int64, len(out.Vertices)), make([]int64, len(out.Edges))
		if err := s.Wide(b, vertices, edges, nil); err != nil {
			t.Fatal(err)
		}
		for i, v := range out.Vertices {
			if vertices[i] != int64(int32(v)) {
				t.Fatalf("%s: vertex %d is %d, expected %d", c.app.Name(), i, vertices[i], int32(v))
			}
		}
		if !slices.Equal(edges, out.Edges) {
			t.Errorf("%s: edges differ", c.app.Name())
		}
	}
}

func TestMemoryOfAnotherSizeIsRefused(t *testing.T) {
	s := sampler(t, wheel(t, 10), &app.DeepWalk{Length: 3}, 1)
	b := plan.Batch{Roots: plan.Roots{Count: 10, Width: 1, Repeat: 1}, Edges: true}
	for _, spoil := range []func(*output.Matrix){
		func(m *output.Matrix) { m.Vertices = m.Vertices[1:] },
		func(m *output.Matrix) { m.Edges = m.Edges[1:] },
		func(m *output.Matrix) { m.Width = 3 },
	} {
		out := matrix(s, b)
		spoil(&out)
		if err := s.Matrix(b, out, nil); refuse.KindOf(err) != refuse.KindValue {
			t.Errorf("got %v, expected a refusal", err)
		}
	}
	if _, err := s.Ragged(b, nil); refuse.KindOf(err) != refuse.KindValue {
		t.Errorf("ragged: got %v, expected a refusal", err)
	}
	if err := sampler(t, s.Graph, &app.PPR{Stop: 0.5}, 1).Wide(b, nil, nil, nil); refuse.KindOf(err) != refuse.KindValue {
		t.Errorf("wide: got %v, expected a refusal", err)
	}
}

func TestAStoppedJobEndsARun(t *testing.T) {
	s := sampler(t, wheel(t, 10), &app.DeepWalk{Length: 100}, 1)
	b := plan.Batch{Roots: plan.Roots{Count: 10, Width: 1, Repeat: 1000}}
	out := matrix(s, b)
	if err := s.Matrix(b, out, &job.Job{Stop: 1}); err != refuse.ErrInterrupted {
		t.Errorf("matrix: got %v", err)
	}
	if err := s.Wide(b, make([]int64, len(out.Vertices)), nil, &job.Job{Stop: 1}); err != refuse.ErrInterrupted {
		t.Errorf("wide: got %v", err)
	}
}

func TestVertices(t *testing.T) {
	g := wheel(t, 10) // 11 vertices
	long := make([]int64, 600_000)
	long[599_999], long[300_000] = -1, 11
	for _, c := range []struct {
		err  error
		text string
	}{
		{second(gonextdoor.Vertices(g, "roots", long, 2)), "roots[300000] = 11: "},
		{second(gonextdoor.Vertices(g, "roots", []int8{0, -3}, 2)), "roots[1] = -3: "},
		{second(gonextdoor.Vertices(g, "x", []uint64{1 << 63}, 2)), "x[0] = 9223372036854775808: "},
		{second(gonextdoor.Vertices(g, "x", []uint32{10, 11}, 2)), "x[1] = 11: "},
	} {
		if refuse.KindOf(c.err) != refuse.KindIndex || !strings.HasPrefix(c.err.Error(), c.text) {
			t.Errorf("got %v, expected %s...", c.err, c.text)
		}
	}
	if v, err := gonextdoor.Vertices(g, "roots", []uint16{0, 10}, 2); err != nil || !slices.Equal(v, []uint32{0, 10}) {
		t.Errorf("got %v, %v", v, err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestPad(t *testing.T) {
	offsets, values := []int64{0, 2, 2, 5}, []int32{7, 8, 1, 2, 3}
	for _, c := range []struct {
		skip, width int
		want        []int64
	}{
		{0, 3, []int64{7, 8, -1, -1, -1, -1, 1, 2, 3}},
		{0, 4, []int64{7, 8, -1, -1, -1, -1, -1, -1, 1, 2, 3, -1}},
	} {
		out := make([]int64, len(c.want))
		if err := gonextdoor.Pad(offsets, values, c.skip, c.width, out, 2); err != nil || !slices.Equal(out, c.want) {
			t.Errorf("got %v, %v, expected %v", out, err, c.want)
		}
	}
	out := make([]int32, 4)
	if err := gonextdoor.Pad([]int64{0, 2, 5}, values, 1, 2, out, 1); err != nil || !slices.Equal(out, []int32{8, -1, 2, 3}) {
		t.Errorf("got %v, %v", out, err)
	}
}

func TestCounts(t *testing.T) {
	values := make([]int32, 6*100_000)
	counts, lengths := make([]int64, 5), make([]int64, 100_000)
	want, filled := make([]int64, 5), int64(0)
	for i := range values {
		values[i] = int32(i%6) - 1
		if values[i] >= 0 {
			want[values[i]]++
			filled++
		}
	}
	for _, threads := range []int{1, 3} {
		clear(counts)
		n, err := gonextdoor.Filled(values, threads)
		if err != nil || n != filled {
			t.Errorf("%d filled, %v, expected %d", n, err, filled)
		}
		if err := gonextdoor.Visits(values, counts, threads); err != nil || !slices.Equal(counts, want) {
			t.Errorf("visits %v, %v, expected %v", counts, err, want)
		}
		err = gonextdoor.Lengths(values, 6, lengths, threads)
		if err != nil || slices.Min(lengths) != 5 || slices.Max(lengths) != 5 {
			t.Errorf("lengths from %d to %d, %v, expected 5", slices.Min(lengths), slices.Max(lengths), err)
		}
	}
}

func TestBatchesEqualTheirDefinition(t *testing.T) {
	g := wheel(t, 30)
	h := graph.Homogeneous(g)
	b := gonextdoor.NewBatches(h)
	defer b.Close()
	words := []uint64{3, 1 << 63}
	seeds := []app.Seeds{{Vertices: [][]uint32{{5, 0}}}, {Vertices: [][]uint32{{9}}}}
	for _, expand := range []app.Expand{app.Met, app.New} {
		m := &app.MiniBatch{Fanouts: [][]int{{2}, {3}}, Weighted: app.No, Expand: expand}
		all, err := b.DrawMany(m, words, seeds, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, got := range all {
			want := m.Sample(h, words[k], seeds[k])
			for i, v := range want.Nodes[0] {
				if got.Nodes[0][i] != int64(v) {
					t.Fatalf("node %d is %d, expected %d", i, got.Nodes[0][i], v)
				}
			}
			for i, hop := range want.Hops {
				if x := got.Hops[i][0]; !slices.Equal(x.Indices, hop[0].Indices) || !slices.Equal(x.Indptr, hop[0].Indptr) {
					t.Errorf("hop %d differs", i)
				}
			}
			got.Return()
		}
	}
}

// A batch that is refused takes the others with it, and leaves nothing behind.
func TestBatchesAreRefusedTogether(t *testing.T) {
	b := gonextdoor.NewBatches(graph.Homogeneous(wheel(t, 30)))
	defer b.Close()
	lent := offheap.Results.Out()
	m := &app.MiniBatch{Fanouts: [][]int{{2}}}
	_, err := b.DrawMany(m, []uint64{1, 2}, []app.Seeds{{Vertices: [][]uint32{{5, 0}}}, {Vertices: [][]uint32{{7, 7}}}}, 1, nil)
	if refuse.KindOf(err) != refuse.KindValue || !strings.HasPrefix(err.Error(), "batch 1: seeds[1] = 7") {
		t.Errorf("error %v, expected a refusal", err)
	}
	if n := offheap.Results.Out(); n != lent {
		t.Errorf("%d results are lent, %d were before", n, lent)
	}
}

func TestGeneratingIntoAFolderGivesTheSameGraph(t *testing.T) {
	r := build.RMAT{Scale: 8, EdgeFactor: 8, A: 0.57, B: 0.19, C: 0.19, Low: 1, High: 2, Symmetric: true, Seed: 4}
	whole, err := gonextdoor.Generate(r, "")
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	kept, err := gonextdoor.Generate(r, t.TempDir()+"/g")
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	if !slices.Equal(whole.Indptr, kept.Indptr) || !slices.Equal(whole.Indices, kept.Indices) || !slices.Equal(whole.Biases, kept.Biases) {
		t.Error("the graphs differ")
	}
	weights := make([]float64, kept.NumEdges())
	if err := gonextdoor.Weights(kept, weights); err != nil || slices.Min(weights) < 1 || slices.Max(weights) > 2 {
		t.Errorf("weights from %v to %v, %v", slices.Min(weights), slices.Max(weights), err)
	}
}

func TestTheFacadeRunsTheSerialEngineToo(t *testing.T) {
	s := sampler(t, wheel(t, 20), &app.DeepWalk{Length: 9}, 1)
	b := plan.Batch{Roots: plan.Roots{Count: 20, Width: 1, Repeat: 3}, Seed: 1, Threads: 1}
	want, got := matrix(s, b), matrix(s, b)
	if err := s.Matrix(b, got, nil); err != nil {
		t.Fatal(err)
	}
	s.Engine = serial.Engine{}
	if err := s.Matrix(b, want, nil); err != nil || !slices.Equal(want.Vertices, got.Vertices) {
		t.Errorf("engines differ, %v", err)
	}
}
