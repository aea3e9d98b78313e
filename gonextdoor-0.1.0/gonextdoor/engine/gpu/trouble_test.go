package gpu_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// call is one call of an engine, and the result of the CPU engine.
type call struct {
	plan     plan.Plan
	batch    plan.Batch
	vertices []uint32
	edges    []int64
}

// some returns a graph with hubs, sinks and rows of all lengths. It is closed at the end of the test.
func some(t *testing.T) *graph.Graph {
	t.Helper()
	g, err := build.RMAT{Scale: 10, EdgeFactor: 6, Low: 1, High: 5, Seed: 3}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

// calls returns calls of several drivers.
func calls(t *testing.T, g *graph.Graph) (all []call) {
	t.Helper()
	for i, a := range []app.App{
		&apps.DeepWalk{Length: 20, Weighted: app.Yes},
		&apps.DeepWalk{Length: 20, Weighted: app.No},
		&apps.PPR{Stop: 0.1, Weighted: app.Yes},
		&apps.KHop{Fanouts: []int{3, 2}, Weighted: app.Yes},
	} {
		p, err := plan.New(a, g, 1)
		if err != nil {
			t.Fatal(err)
		}
		c := call{plan: p, batch: plan.Batch{
			Roots: plan.Roots{Count: g.NumVertices(), Width: 1, Repeat: 2}, Seed: uint64(i), Threads: 2, Edges: i != 1,
		}}
		if c.vertices, c.edges, err = c.run(cpu.Engine{}, nil); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// run makes the samples of the call with an engine.
func (c call) run(e engine.Engine, j *job.Job) ([]uint32, []int64, error) {
	if c.plan.Width == 0 {
		r, err := e.Ragged(c.plan, c.plan.Graph, c.batch, j)
		if err != nil {
			return nil, nil, err
		}
		defer r.Return()
		return slices.Clone(r.Vertices), slices.Clone(r.Edges), nil
	}
	n := c.batch.Roots.Samples()
	out := output.Matrix{Vertices: make([]uint32, n*c.plan.Width), Width: c.plan.Width, Roots: c.batch.Roots.Width}
	if c.batch.Edges {
		out.Edges = make([]int64, n*(c.plan.Width-out.Roots))
	}
	err := e.Matrix(c.plan, c.plan.Graph, c.batch, out, j)
	return out.Vertices, out.Edges, err
}

// check compares the samples of an engine with those of the CPU.
func (c call) check(t *testing.T, e engine.Engine) {
	t.Helper()
	vertices, edges, err := c.run(e, nil)
	if err != nil {
		t.Error(err)
	} else if !slices.Equal(vertices, c.vertices) || !slices.Equal(edges, c.edges) {
		t.Errorf("%s: the samples differ from those of the CPU", c.plan.App.Name())
	}
}

// settled waits for the device and returns the number of allocated blocks of its memory.
func settled(t *testing.T, d *cuda.Device) uint64 {
	t.Helper()
	if err := d.Do(d.Trim); err != nil {
		t.Fatal(err)
	}
	return cudatest.Regions()
}

// With any amount of memory, a call returns either a DeviceError and leaks nothing, or the right samples. Once there is
// enough memory, it returns the right samples.
func TestLittleMemory(t *testing.T) {
	d := device(t)
	cudatest.Emulated(t)
	held := settled(t, d)
	g := some(t)
	enough, refused, done := uint64(64<<20), 0, 0
	for _, c := range calls(t, g) {
		for limit := uint64(4 << 10); limit < 4<<20; limit += limit / 3 {
			cudatest.Set(t, "memory", limit)
			vertices, edges, err := c.run(gpu.Engine{Device: d}, nil)
			switch {
			case err == nil:
				done++
				if !slices.Equal(vertices, c.vertices) || !slices.Equal(edges, c.edges) {
					t.Errorf("%s in %d bytes: the samples differ from those of the CPU", c.plan.App.Name(), limit)
				}
			case refuse.KindOf(err) != refuse.KindDevice:
				t.Errorf("%s in %d bytes: %v, expected a DeviceError", c.plan.App.Name(), limit, err)
			default:
				refused++
			}
			if err := resident.Drop(g); err != nil {
				t.Error(err)
			}
			if now := settled(t, d); now > held { // less if graphs of other tests were evicted
				t.Fatalf("%s in %d bytes: %d pieces of memory are held, %d were before (%v)", c.plan.App.Name(), limit, now, held, err)
			}
			cudatest.Set(t, "memory", enough)
		}
		c.check(t, gpu.Engine{Device: d})
	}
	if refused == 0 || done == 0 {
		t.Errorf("%d calls were refused, %d were not", refused, done)
	}
}

// An allocation that fails, whichever it is, leads to an error or to the right samples, and the next call succeeds.
func TestEveryAllocationFailsOnce(t *testing.T) {
	d := device(t)
	cudatest.Emulated(t)
	g := some(t)
	for _, c := range calls(t, g) {
		if err := resident.Drop(g); err != nil {
			t.Fatal(err)
		}
		held, before := settled(t, d), cudatest.Allocations()
		c.check(t, gpu.Engine{Device: d})
		for k := range cudatest.Allocations() - before {
			if err := resident.Drop(g); err != nil {
				t.Fatal(err)
			}
			if now := settled(t, d); now != held {
				t.Fatalf("%d pieces of memory are held, %d were before", now, held)
			}
			cudatest.Set(t, "fail", cudatest.Allocations()+1+k)
			_, _, err := c.run(gpu.Engine{Device: d}, nil)
			if kind := refuse.KindOf(err); err != nil && kind != refuse.KindDevice && kind != refuse.KindMemory {
				t.Errorf("allocation %d failed: %v", k+1, err)
			}
			c.check(t, gpu.Engine{Device: d})
		}
	}
}

func TestOrdersOfThreads(t *testing.T) {
	d := device(t)
	cudatest.Emulated(t)
	for _, c := range calls(t, some(t)) {
		for seed := range uint64(4) {
			cudatest.Set(t, "seed", seed)
			c.check(t, gpu.Engine{Device: d, Tuning: gpu.Tuning{LaunchRows: 500, LaunchSteps: 1, ChunkSteps: 5}})
		}
	}
}

func TestThreadsAndStreams(t *testing.T) {
	d := device(t)
	g := some(t)
	all := calls(t, g)
	var wait sync.WaitGroup
	for i := range 6 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			e := gpu.Engine{Device: d}
			if i%2 == 1 {
				var s cuda.Stream
				err := d.Do(func() (err error) {
					s, err = d.NewStream()
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
				e.Stream = &s
			}
			for k := range 6 {
				all[(i+k)%len(all)].check(t, e)
				if i == 0 {
					if err := resident.Drop(g); err != nil {
						t.Error(err)
					}
				}
			}
		}()
	}
	wait.Wait()
}

func TestDevicesGiveTheSame(t *testing.T) {
	device(t)
	n, err := cuda.Count()
	if err != nil {
		t.Fatal(err)
	}
	if n < 2 {
		t.Skip("one device")
	}
	all := calls(t, some(t))
	for id := range n {
		d, err := cuda.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			c.check(t, gpu.Engine{Device: d})
		}
	}
}

func TestLongRunsAreStopped(t *testing.T) {
	d := device(t)
	for _, c := range calls(t, some(t)) {
		c.batch.Roots.Repeat = 4000
		for _, hold := range []time.Duration{0, 50 * time.Millisecond} {
			j := new(job.Job)
			go func() {
				time.Sleep(hold)
				atomic.StoreInt64(&j.Stop, 1)
			}()
			r, err := (gpu.Engine{Device: d, Tuning: gpu.Tuning{LaunchSteps: 1000, LaunchRows: 1000}}).Run(c.plan, c.plan.Graph, c.batch, j)
			if err == nil {
				t.Errorf("%s: not stopped", c.plan.App.Name())
				_ = r.Free()
			} else if refuse.KindOf(err) != refuse.KindInterrupted {
				t.Error(err)
			}
		}
		c.batch.Roots.Repeat = 2
		c.check(t, gpu.Engine{Device: d})
	}
}
