package backend_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/backend"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// hosted opens a GPU that has no memory for graphs, so that the CPU makes the samples.
func hosted(t *testing.T) engine.Device {
	t.Helper()
	cudatest.Driver(t)
	if err := cuda.Status(); err != nil {
		t.Skip(err)
	}
	t.Setenv("GONEXTDOOR_DEVICE_MEMORY", "8")
	d, err := backend.CUDA{Host: cpu.Engine{}}.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// keepEngine is an engine whose samples stay on a GPU, or in host memory until they are asked for there. They are copied from there.
type keepEngine struct {
	engine.Device
	there bool // ask for them on the GPU
}

// keep returns samples that stay on the GPU, for which the CPU must have made them.
func (k keepEngine) keep(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (engine.DeviceSamples, error) {
	s, err := k.Keep(p, g, b, 4, j)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, errors.New("no samples")
	}
	if shape := s.Shape(); !shape.FromHost && shape.Rows > 0 || shape.Rows != b.Roots.Samples() {
		return nil, errors.Join(fmt.Errorf("the shape is %+v", shape), s.Release())
	}
	if err = s.Settle(); err == nil && k.there {
		_, err = s.Address(engine.PartVertices)
	}
	if err != nil {
		return nil, errors.Join(err, s.Release())
	}
	return s, nil
}

// copyOut copies an array of width slots, if there is one.
func copyOut[T any](s engine.DeviceSamples, which engine.Part, width int, to []T, j *job.Job) error {
	if len(to) == 0 {
		return nil
	}
	return s.CopyOut(which, width, unsafe.Pointer(unsafe.SliceData(to)), 2, j)
}

func (k keepEngine) Matrix(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	s, err := k.keep(p, g, b, j)
	if err != nil {
		return err
	}
	return errors.Join(copyOut(s, engine.PartVertices, out.Width, out.Vertices, nil),
		copyOut(s, engine.PartEdges, out.Width-out.Roots, out.Edges, nil), s.Release())
}

func (k keepEngine) Ragged(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (out output.Ragged, err error) {
	s, err := k.keep(p, g, b, j)
	if err != nil {
		return out, err
	}
	if out, err = output.LendRagged(s.Shape().Rows, s.Total(), b.Edges); err != nil {
		return out, err
	}
	return out, errors.Join(raggedOut(s, out), s.Release())
}

// raggedOut copies samples that differ in length.
func raggedOut(s engine.DeviceSamples, out output.Ragged) error {
	return errors.Join(copyOut(s, engine.PartOffsets, 1, out.Offsets, nil), copyOut(s, engine.PartVertices, 1, out.Vertices, nil),
		copyOut(s, engine.PartEdges, 1, out.Edges, nil))
}

func (k keepEngine) Layers(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (out output.Layers, err error) {
	s, err := k.keep(p, g, b, j)
	if err != nil {
		return out, err
	}
	n := s.Shape()
	sizes := output.Sizes{Rows: n.Rows, Vertices: s.Total(), Ends: n.Ends, Links: max(0, n.Links), Edges: b.Edges, Record: n.Links >= 0}
	if out, err = output.LendLayers(sizes); err != nil {
		return out, err
	}
	return out, errors.Join(raggedOut(s, out.Ragged),
		copyOut(s, engine.PartParents, 1, out.Parents, nil), copyOut(s, engine.PartEndsFrom, 1, out.EndsFrom, nil),
		copyOut(s, engine.PartEnds, 1, out.Ends, nil), copyOut(s, engine.PartLinksFrom, 1, out.LinksFrom, nil),
		copyOut(s, engine.PartSources, 1, out.Sources, nil), copyOut(s, engine.PartTargets, 1, out.Targets, nil),
		copyOut(s, engine.PartLinkEdges, 1, out.LinkEdges, nil), copyOut(s, engine.PartValues, 1, out.Values, nil), s.Release())
}

// runs reports whether a GPU would run a case if its memory were large enough.
func runs(c enginetest.Case) bool {
	p, err := plan.New(c.App, c.Graph, c.Width)
	if err != nil || c.Graph.NumEdges() == 0 {
		return false
	}
	if a, ok := c.App.(program.GPUHooked); ok && !a.CPUCompiled() {
		return false
	}
	_, err = gpu.Compile(p)
	return err == nil
}

// The CPU makes the samples of every app if the graph exceeds the GPU's memory. They equal the definitions, on the GPU and on
// the host, and leave nothing after an error.
func TestTheHostMakesSamplesOfLargeGraphs(t *testing.T) {
	d := hosted(t)
	enginetest.Engines{
		"on the GPU":       func() engine.Engine { return keepEngine{d, true} },
		"kept on the host": func() engine.Engine { return keepEngine{d, false} },
		"on the host":      func() engine.Engine { return d },
	}.Run(t, runs, enginetest.DailyShare(t, 119))
}

// large returns a walk that needs the complete graph.
func large(t *testing.T) plan.Plan {
	t.Helper()
	g, err := build.RMAT{Scale: 9, EdgeFactor: 6, Low: 1, High: 5, Seed: 3}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	p, err := plan.New(&apps.Node2Vec{P: 2, Q: 1, Length: 4, Weighted: app.Computed}, g, 1)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Roots may be in GPU memory, or be drawn by the GPU. Ranges of rows begin anywhere.
func TestRootsOfSamplesThatTheHostMakes(t *testing.T) {
	d, p := hosted(t), large(t)
	vertices, err := graph.DrawRoots(p.Graph, 7, 40, 3, 20, 1)
	if err != nil {
		t.Fatal(err)
	}
	there, err := d.UploadRoots(len(vertices), func(first int, into []uint32) error {
		copy(into, vertices[first:])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := there.Free(); err != nil {
			t.Error(err)
		}
	}()
	roots := plan.Roots{Vertices: vertices, Count: 20, Width: 1, Repeat: 3}
	whole := plan.Batch{Roots: roots, Seed: 7, First: 40, Threads: 2, Edges: true}
	onDevice, drawn := whole, whole
	onDevice.Roots.Vertices, onDevice.Roots.OnDevice = []uint32{}, there.Address()
	drawn.Roots.Vertices, drawn.Roots.Drawn = []uint32{}, true
	for _, rows := range [][2]int{{0, 60}, {0, 1}, {1, 60}, {31, 33}, {59, 60}} {
		want := onHost(t, p, whole.Slice(rows[0], rows[1]), cpu.Engine{})
		for name, b := range map[string]plan.Batch{"in GPU memory": onDevice, "drawn": drawn} {
			got := onHost(t, p, b.Slice(rows[0], rows[1]), keepEngine{d, true})
			if !slices.Equal(got.Vertices, want.Vertices) || !slices.Equal(got.Edges, want.Edges) {
				t.Errorf("roots %s, rows %v: other samples than those of the CPU", name, rows)
			}
		}
	}
	got := onHost(t, p, drawn, d)
	if want := onHost(t, p, whole, cpu.Engine{}); !slices.Equal(got.Vertices, want.Vertices) {
		t.Error("all rows: other samples than those of the CPU")
	}
}

// If an allocation or a copy fails, the call returns an error or the right samples, and leaks nothing.
func TestTheHostMakesSamplesAndTheGPUFails(t *testing.T) {
	d, p := hosted(t), large(t)
	cudatest.Emulated(t)
	b := plan.Batch{Roots: plan.Roots{Count: p.Graph.NumVertices(), Width: 1, Repeat: 1}, Seed: 5, Threads: 2, Edges: true}
	want := onHost(t, p, b, keepEngine{d, true})
	held, failed := regions(t, d), 0
	for _, kind := range []string{"allocation", "copy"} {
		before := cudatest.Calls(kind, 0)
		onHost(t, p, b, keepEngine{d, true})
		for k := range cudatest.Calls(kind, 0) - before {
			cudatest.Inject(t, kind, 0, 1+k, 999)
			out := output.Matrix{Vertices: make([]uint32, len(want.Vertices)), Width: p.Width, Roots: 1, Edges: make([]int64, len(want.Edges))}
			switch err := (keepEngine{d, true}).Matrix(p, p.Graph, b, out, nil); {
			case err != nil:
				failed++
			case !slices.Equal(out.Vertices, want.Vertices) || !slices.Equal(out.Edges, want.Edges):
				t.Errorf("%s %d failed: other samples", kind, k+1)
			}
			if now := regions(t, d); now != held {
				t.Fatalf("%s %d failed: %d pieces of memory are held, %d were before", kind, k+1, now, held)
			}
		}
		cudatest.Inject(t, kind, 0, 0, 0)
	}
	if failed == 0 {
		t.Error("no failure was reported")
	}
	if got := onHost(t, p, b, keepEngine{d, true}); !slices.Equal(got.Vertices, want.Vertices) {
		t.Error("other samples after the errors")
	}
}

// regions returns the number of pieces of memory that are held on a GPU.
func regions(t *testing.T, d engine.Device) uint64 {
	t.Helper()
	one, err := cuda.Open(d.ID())
	if err == nil {
		err = one.Do(one.Trim)
	}
	if err != nil {
		t.Fatal(err)
	}
	return cudatest.Regions()
}

// A backend without a host refuses such plans, and so does every backend for hooks that are compiled for the GPU alone.
func TestWhatTheHostDoesNotMake(t *testing.T) {
	p := large(t)
	hosted(t)
	d, err := (backend.CUDA{}).Open(0)
	if err != nil {
		t.Fatal(err)
	}
	b := plan.Batch{Roots: plan.Roots{Count: 5, Width: 1, Repeat: 1}}
	if _, err = d.Keep(p, p.Graph, b, 4, nil); refuse.KindOf(err) != refuse.KindDevice || !strings.Contains(err.Error(), "reads the rows of two") {
		t.Errorf("without a host: %v", err)
	}
	if why, err := (backend.CUDA{}).Exceeds(p, 0, false); why != nil || err != nil {
		t.Errorf("without a host: %v, %v", why, err)
	}
	hooked := &program.Custom{StepProgram: program.StepProgram{Steps: 3, Fanouts: []int{1}}, Hooks: hook.Names{"stop"}}
	q, err := plan.New(hooked, p.Graph, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = hosted(t).Keep(q, q.Graph, b, 4, nil); refuse.KindOf(err) != refuse.KindDevice || !strings.Contains(err.Error(), "its hooks may read any row") {
		t.Errorf("hooks for a GPU alone: %v", err)
	}
}

// fullHost is a host without memory for results.
type fullHost struct{ backend.Host }

func (fullHost) Matrix(plan.Plan, *graph.Graph, plan.Batch, output.Matrix, *job.Job) error {
	return refuse.Memory("no memory is left")
}

func (fullHost) Layers(plan.Plan, *graph.Graph, plan.Batch, *job.Job) (output.Layers, error) {
	return output.Layers{}, refuse.Memory("no memory is left")
}

// The CPU makes few samples of a graph of which a GPU has parts at a time, unless the batch has an order or the host has no memory
// for them. The GPU makes many.
func TestTheFasterOfHostAndGPU(t *testing.T) {
	hosted(t)
	t.Setenv("GONEXTDOOR_DEVICE_MEMORY", "12KB")
	g := large(t).Graph
	for _, host := range []backend.Host{cpu.Engine{}, fullHost{cpu.Engine{}}} {
		d, err := backend.CUDA{Host: host}.Open(0)
		if err != nil {
			t.Fatal(err)
		}
		_, full := host.(fullHost)
		for _, a := range []app.App{&apps.DeepWalk{Length: 5, Weighted: app.No}, &apps.Layer{StepSize: 3, MaxSize: 9}} {
			p, err := plan.New(a, g, 1)
			if err != nil {
				t.Fatal(err)
			}
			b := plan.Batch{Roots: plan.Roots{Count: 20, Width: 1, Repeat: 1}, Seed: 5, Threads: 2}
			want := samplesOf(t, p, b, cpu.Engine{})
			for _, b.Order = range []plan.Order{"", plan.SampleOrder} {
				b.FromHost = new(atomic.Bool)
				if got := samplesOf(t, p, b, d); !slices.Equal(got, want) {
					t.Errorf("%s, order %q: other samples than those of the CPU", a.Name(), b.Order)
				}
				if d.(engine.Hosted).FromHost(p, b) != (b.Order == "") {
					t.Errorf("%s, order %q: unexpected device", a.Name(), b.Order)
				}
				byHost := b.Order == "" && !full
				if b.FromHost.Load() != byHost {
					t.Errorf("%s, order %q: the host made them: %v", a.Name(), b.Order, b.FromHost.Load())
				}
				s, err := d.Keep(p, g, b, 4, nil)
				if err != nil {
					t.Fatal(err)
				}
				if s.Shape().FromHost != byHost {
					t.Errorf("%s, order %q: the samples on the GPU are from the host: %v", a.Name(), b.Order, s.Shape().FromHost)
				}
				if err := s.Release(); err != nil {
					t.Error(err)
				}
			}
			b.Order = ""
			if !p.Layered && d.(engine.Sweeper).Sweeps(p, g, b) {
				t.Error("samples of the host read all of the graph")
			}
			if b.Roots.Repeat = 1 << 24; !p.Layered && !d.(engine.Sweeper).Sweeps(p, g, b) {
				t.Error("many samples are made by the host")
			}
		}
	}
}

// samplesOf returns the vertices of samples in host memory.
func samplesOf(t *testing.T, p plan.Plan, b plan.Batch, e engine.Engine) []uint32 {
	t.Helper()
	if !p.Layered {
		return onHost(t, p, b, e).Vertices
	}
	r, err := e.Layers(p, p.Graph, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Return()
	return slices.Clone(r.Vertices)
}
