package gonextdoor_test

import (
	"slices"
	"strings"
	"testing"

	"gonextdoor/gonextdoor"
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/serial"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// wheel returns a graph of a hub and a rim. Each rim vertex has edges to the hub and to the next one; the last is a sink.
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

// sampler plans an app on the CPU.
func sampler(t *testing.T, g *graph.Graph, a app.App, rootWidth int) *gonextdoor.Sampler {
	t.Helper()
	s, err := gonextdoor.New(g, a, rootWidth)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// matrix allocates the result of a batch.
func matrix(s *gonextdoor.Sampler, b plan.Batch) output.Matrix {
	rows := b.Roots.Samples()
	return output.Matrix{
		Vertices: make([]uint32, rows*s.Plan.Width), Edges: make([]int64, rows*(s.Plan.Width-b.Roots.Width)),
		Width: s.Plan.Width, Roots: b.Roots.Width,
	}
}

func TestInt64IsMatrixWithMinusOneForNone(t *testing.T) {
	g := wheel(t, 40)
	for _, c := range []struct {
		app   app.App
		roots plan.Roots
	}{
		{&apps.DeepWalk{Length: 3000}, plan.Roots{Count: 40, Width: 1, Repeat: 100}}, // several pieces
		{&apps.DeepWalk{Length: 5}, plan.Roots{Vertices: []uint32{3, 0, 7}, Count: 3, Width: 1, Repeat: 2}},
		{&apps.KHop{Fanouts: []int{2, 3}}, plan.Roots{Vertices: []uint32{3, 0, 7, 7}, Count: 2, Width: 2, Repeat: 3}},
		{&apps.DeepWalk{Length: 5}, plan.Roots{Vertices: []uint32{}, Width: 1, Repeat: 1}},
	} {
		s := sampler(t, g, c.app, c.roots.Width)
		b := plan.Batch{Roots: c.roots, Seed: 5, First: 1 << 40, Threads: 2, Edges: true}
		out := matrix(s, b)
		if err := s.Matrix(b, out, nil); err != nil {
			t.Fatal(err)
		}
		vertices, edges := make([]int64, len(out.Vertices)), make([]int64, len(out.Edges))
		if err := s.Int64(b, vertices, edges, nil); err != nil {
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

func TestResultsOfAnotherSizeAreRefused(t *testing.T) {
	s := sampler(t, wheel(t, 10), &apps.DeepWalk{Length: 3}, 1)
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
	if err := sampler(t, s.Graph, &apps.PPR{Stop: 0.5}, 1).Int64(b, nil, nil, nil); refuse.KindOf(err) != refuse.KindValue {
		t.Errorf("64 bits: got %v, expected a refusal", err)
	}
}

func TestRootsOfAGPUAreRefusedByTheCPU(t *testing.T) {
	s := sampler(t, wheel(t, 5), &apps.DeepWalk{Length: 3}, 1)
	for want, roots := range map[string]plan.Roots{
		"roots: they are in the memory of a GPU": {OnDevice: 1 << 20, Count: 2, Width: 1, Repeat: 1},
		"roots: a GPU was to draw them":          {Drawn: true, Count: 2, Width: 1, Repeat: 1},
	} {
		roots.Vertices = []uint32{}
		b := plan.Batch{Roots: roots}
		counts := make([]int64, s.Graph.NumVertices())
		for name, err := range map[string]error{
			"Matrix":      s.Matrix(b, output.Matrix{Vertices: make([]uint32, 8), Width: 4, Roots: 1}, nil),
			"Int64":       s.Int64(b, make([]int64, 8), nil, nil),
			"CountVisits": s.CountVisits(b, counts, nil, nil),
		} {
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: %v, expected %q", name, err, want)
			}
		}
	}
}

func TestAStoppedJobEndsARun(t *testing.T) {
	s := sampler(t, wheel(t, 10), &apps.DeepWalk{Length: 100}, 1)
	b := plan.Batch{Roots: plan.Roots{Count: 10, Width: 1, Repeat: 1000}}
	out := matrix(s, b)
	if err := s.Matrix(b, out, &job.Job{Stop: 1}); err != refuse.ErrInterrupted {
		t.Errorf("matrix: got %v", err)
	}
	if err := s.Int64(b, make([]int64, len(out.Vertices)), nil, &job.Job{Stop: 1}); err != refuse.ErrInterrupted {
		t.Errorf("64 bits: got %v", err)
	}
}

func TestTheFacadeRunsTheSerialEngineToo(t *testing.T) {
	s := sampler(t, wheel(t, 20), &apps.DeepWalk{Length: 9}, 1)
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
