//go:build cgo

package growth_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/hook/hooktest"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// trusted is an app as built-in ones are: the values that its hooks return are not checked.
type trusted struct{ program.Custom }

func (a *trusted) Bind(g *graph.Graph) (app.App, error) { return a, nil }
func (a *trusted) Program() *program.StepProgram        { return &a.StepProgram }
func (a *trusted) Compiled() (c program.Compiled)       { c.State = new(hook.State); return c }

// sameLayers compares layered samples of the engine with the definition.
func sameLayers(t *testing.T, a app.App, g *graph.Graph, rows int) {
	t.Helper()
	p, err := plan.New(a, g, 1)
	if err == nil {
		err = p.BuildTables(p.Graph, graph.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	b := plan.Batch{Roots: plan.Roots{Count: rows, Width: 1, Repeat: 1}, Seed: 4, Threads: 2}
	l, err := cpu.Engine{}.Layers(p, g, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Return()
	stream := rng.NewStream(b.Seed, rng.Choices)
	for i := range rows {
		want := p.App.Sample(g, stream.Key(uint64(i)), []uint32{uint32(i)}, app.Row{ID: uint64(i)})
		if got := l.Vertices[l.Offsets[i]:l.Offsets[i+1]]; !slices.Equal(got, want.Vertices) {
			t.Fatalf("sample %d has %d vertices, expected %d, or others", i, len(got), len(want.Vertices))
		}
	}
}

func TestHooksOfAHub(t *testing.T) {
	g := graphtest.Star(100_001, true)
	k := hooktest.Kernels()
	rows := hook.Kernels{EdgeBias: k.EdgeBias, RowBias: k.RowBias}
	for _, grows := range []program.StepProgram{
		{Steps: 2, Fanouts: []int{50, 2}, Record: program.Adjacency},
		{Steps: 2, Fanouts: []int{50, 2}, Record: program.Adjacency, Scope: program.Collective, Unique: program.PerSample},
		{Steps: 3, Record: program.Induced},
	} {
		sameLayers(t, &program.Custom{StepProgram: grows, Kernels: rows, Params: []uint64{1, 2, 3}}, g, 3)
	}
}

// Biases whose sum exceeds 64 bits are selected by a scan.
func TestBiasesBeyond64Bits(t *testing.T) {
	g := graphtest.Thicket(true)
	wide := func(_ *program.Ctx, edge uint64, _ uint32) uint64 { return 1<<63 | edge<<50 }
	for _, unique := range []program.Unique{program.Repeats, program.PerStep} {
		for _, replace := range []bool{false, true} {
			a := &trusted{program.Custom{StepProgram: program.StepProgram{
				Steps: 2, Fanouts: []int{2}, Record: program.Adjacency, EdgeBias: wide, Unique: unique, Replace: replace, Weighted: app.No,
			}}}
			sameLayers(t, a, g, g.NumVertices())
		}
	}
}

// A faulty hook gives the same error whether samples are grown level by level or by the definition.
func TestFaultsOfLevels(t *testing.T) {
	g := graphtest.Thicket(true)
	bound := hooktest.Faulty()
	bound.Bound = hooktest.Kernels().Bound
	for _, kernels := range []hook.Kernels{hooktest.Faulty(), bound} {
		for _, unique := range []program.Unique{program.Repeats, program.PerSample} {
			a := &program.Custom{StepProgram: program.StepProgram{Steps: 4, Fanouts: []int{2}, Unique: unique}, Kernels: kernels, Params: []uint64{1}}
			texts := map[string]bool{}
			for _, threads := range []int{1, 2, 3} {
				for _, driver := range []app.Driver{app.DriverHooked, app.DriverPerSample} {
					p := planned(t, a, g, driver)
					b := plan.Batch{Roots: plan.Roots{Count: g.NumVertices(), Width: 1, Repeat: 40}, Threads: threads}
					m := matrixOf(p, b)
					if err := (cpu.Engine{}).Matrix(p, g, b, m, nil); err != nil {
						t.Fatal(err)
					}
					err := p.App.(app.Faulting).Fault()
					if refuse.KindOf(err) != refuse.KindZeroDivision {
						t.Fatalf("got %v", err)
					}
					texts[err.Error()] = true
				}
			}
			if len(texts) != 1 {
				t.Errorf("unique %d: %v", unique, texts)
			}
		}
	}
}

// Under a loose bound a walk makes several proposals at once. An error at one after the first accepted one does not count,
// since the definition does not compute its bias. The errors are faults of the hook, and biases above the bound.
func TestFaultsAfterTheAcceptedProposal(t *testing.T) {
	g := graphtest.Star(20_001, true)
	for _, above := range []uint64{0, 5000} {
		faults := 0
		for seed := range uint64(400) {
			texts, rows := map[string]bool{}, [][]uint32{}
			for _, driver := range []app.Driver{app.DriverHooked, app.DriverPerSample} {
				vertices, err := refusedWalks(t, g, driver, seed, above)
				texts[fmt.Sprint(err)], rows = true, append(rows, vertices)
				if err != nil && driver == app.DriverPerSample {
					faults++
				}
			}
			if len(texts) != 1 || !slices.Equal(rows[0], rows[1]) {
				t.Fatalf("seed %d, %d: %v, or other samples", seed, above, texts)
			}
		}
		if faults < 100 || faults > 300 {
			t.Errorf("%d: %d of 400 calls have an error", above, faults)
		}
	}
}

// refusedWalks returns walks by hooktest.Refusing under a bound of 1024, and their error.
func refusedWalks(t *testing.T, g *graph.Graph, driver app.Driver, seed, above uint64) ([]uint32, error) {
	kernels := hooktest.Refusing()
	kernels.Bound = hooktest.Kernels().Bound
	a := &program.Custom{StepProgram: program.StepProgram{Steps: 6}, Kernels: kernels, Params: []uint64{1, 0, 0, above}}
	p := planned(t, a, g, driver)
	b := plan.Batch{Roots: plan.Roots{Count: 6, Width: 1, Repeat: 1}, Seed: seed, Threads: 1}
	m := matrixOf(p, b)
	if err := (cpu.Engine{}).Matrix(p, g, b, m, nil); err != nil {
		t.Fatal(err)
	}
	return m.Vertices, p.App.(app.Faulting).Fault()
}

// planned returns the plan of an app for a driver, with its tables.
func planned(t *testing.T, a app.App, g *graph.Graph, driver app.Driver) plan.Plan {
	p, err := plan.New(a, g, 1)
	if err == nil {
		err = p.BuildTables(p.Graph, graph.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	p.Driver = driver
	return p
}

func matrixOf(p plan.Plan, b plan.Batch) output.Matrix {
	return output.Matrix{Vertices: make([]uint32, b.Roots.Samples()*p.Width), Width: p.Width, Roots: b.Roots.Width}
}

// A run that would never end can be stopped.
func TestEndlessRunStops(t *testing.T) {
	g := graphtest.Circle(true)
	stop := new(job.Job)
	endless := program.StepProgram{Next: func(c *program.Ctx) uint32 {
		if c.Step == 1000 {
			stop.Stop = 1
		}
		return c.Transit
	}}
	for _, record := range []program.Record{program.Nothing, program.Induced} {
		endless.Record, stop.Stop = record, 0
		p, err := plan.New(&program.Custom{StepProgram: endless}, g, 1)
		if err == nil {
			err = p.BuildTables(p.Graph, graph.Options{})
		}
		if err != nil {
			t.Fatal(err)
		}
		b := plan.Batch{Roots: plan.Roots{Count: 1, Width: 1, Repeat: 1}, Threads: 1}
		if record == program.Nothing {
			_, err = cpu.Engine{}.Ragged(p, g, b, stop)
		} else {
			_, err = cpu.Engine{}.Layers(p, g, b, stop)
		}
		if !errors.Is(err, refuse.ErrInterrupted) {
			t.Errorf("got %v", err)
		}
	}
}

// bufferedSteps is the number of steps that the fused path of a compiled Next hook buffers.
const bufferedSteps = 16

// Walks of a compiled Next hook may end at any step of the buffer, or fill it several times.
func TestFusedSteps(t *testing.T) {
	g := graphtest.Thicket(true)
	a := &program.Custom{StepProgram: program.StepProgram{Steps: 3*bufferedSteps + 5}, Kernels: hook.Kernels{Next: hooktest.Kernels().Next}}
	p, err := plan.New(a, g, 1)
	if err == nil {
		err = p.BuildTables(p.Graph, graph.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(20) {
		rows := []int{1, 2, 3, plan.HookedGroup, 2*plan.HookedGroup + 3}[seed%5]
		b := plan.Batch{Roots: plan.Roots{Count: g.NumVertices(), Width: 1, Repeat: rows}, Seed: seed, Threads: 1}
		out := output.Matrix{Vertices: make([]uint32, b.Roots.Samples()*p.Width), Width: p.Width, Roots: 1}
		if err := (cpu.Engine{}).Matrix(p, g, b, out, nil); err != nil {
			t.Fatal(err)
		}
		stream, stored := rng.NewStream(seed, rng.Choices), make([]uint32, 1)
		for i := range b.Roots.Samples() {
			want := p.App.Sample(g, stream.Key(uint64(i)), b.Roots.Of(i, stored), app.Row{ID: uint64(i)}).Vertices
			for len(want) < p.Width {
				want = append(want, graph.None)
			}
			if got := out.Vertices[i*p.Width:][:p.Width]; !slices.Equal(got, want) {
				t.Fatalf("seed %d, sample %d: got %d, expected %d", seed, i, got, want)
			}
		}
	}
}
