//go:build cgo

package gonextdoor_test

import (
	"encoding/json"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/hook/hooktest"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// compiled parses a user's app from the parameters that Python passes.
func compiled(t *testing.T, spec map[string]any) app.App {
	t.Helper()
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	a, err := apps.Parse("App", string(text))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestCompiledHooksRun(t *testing.T) {
	g := wheel(t, 40)
	all := hooktest.Kernels()
	one := compiled(t, map[string]any{
		"steps": 9, "kernels": hook.Kernels{EdgeBias: all.EdgeBias, RowBias: all.RowBias, Bound: all.Bound},
		"params": []uint64{1, 2, 3}, "reads": []string{"prev"},
	})
	same := &program.Custom{StepProgram: program.StepProgram{
		Steps: 9,
		EdgeBias: func(c *program.Ctx, _ uint64, dst uint32) uint64 {
			switch {
			case dst == c.Prev:
				return 1
			case c.Prev == ^uint32(0) || c.Graph.HasEdge(c.Prev, dst):
				return 2
			}
			return 3
		},
		Bound: func(*program.Ctx) uint64 { return 3 * 1024 },
	}}
	b := plan.Batch{Roots: plan.Roots{Count: 40, Width: 1, Repeat: 5}, Seed: 3, First: 9, Threads: 2, Edges: true}
	for _, threads := range []int{1, 2} {
		b.Threads = threads
		s, want := sampler(t, g, one, 1), sampler(t, g, same, 1)
		got, expected := matrix(s, b), matrix(want, b)
		if err := s.Matrix(b, got, nil); err != nil {
			t.Fatal(err)
		}
		if err := want.Matrix(b, expected, nil); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Vertices, expected.Vertices) || !slices.Equal(got.Edges, expected.Edges) {
			t.Errorf("compiled hooks and equal hooks in Go differ, on %d threads", threads)
		}
	}
}

func TestTheLowestFaultIsReportedOnAnyThreads(t *testing.T) {
	for _, bound := range []uint64{0, hooktest.Kernels().Bound} {
		kernels := hooktest.Faulty()
		kernels.Bound = bound
		checkFault(t, compiled(t, map[string]any{"steps": 9, "kernels": kernels, "params": []uint64{1}, "reads": []string{}}))
	}
}

// checkFault compares the error of runs on several threads, with 32-bit and 64-bit vertices.
func checkFault(t *testing.T, a app.App) {
	t.Helper()
	s := sampler(t, wheel(t, 400), a, 1)
	b := plan.Batch{Roots: plan.Roots{Count: 400, Width: 1, Repeat: 5}, First: 1 << 33}
	for _, b.Threads = range []int{1, 2, 5} {
		err := s.Matrix(b, matrix(s, b), nil)
		if refuse.KindOf(err) != "ZeroDivisionError" || err.Error() != "division by zero (sample 8589934595, step 2)" {
			t.Errorf("%d threads: got %v", b.Threads, err)
		}
		rows := int64(b.Roots.Samples()) * 10
		if err64 := s.Int64(b, make([]int64, rows), nil, nil); err64 == nil || err64.Error() != err.Error() {
			t.Errorf("%d threads, 64 bits: got %v", b.Threads, err64)
		}
	}
}

func TestCustomRefusesInvalidParameters(t *testing.T) {
	for _, spec := range []string{
		`{"params": [` + "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1" + `]}`,
		`{"kernels": {"edge_bias": 4096}}`, `{"reads": ["dst"]}`, `{"kernels": {"bound": 4096}}`, `{"steps": -1}`,
		`{"kernels": {"next": 4096, "edge_bias": 1, "row_bias": 1}}`, `{"fanouts": [0]}`,
		`{"uniform_word": 32}`, `{"uniform_word": -1}`,
	} {
		if _, err := apps.Parse("App", spec); refuse.KindOf(err) != refuse.KindValue {
			t.Errorf("%s: got %v, expected a refusal", spec, err)
		}
	}
}
