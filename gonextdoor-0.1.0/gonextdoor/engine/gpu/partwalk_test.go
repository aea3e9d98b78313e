package gpu_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// partTunings cut graphs into parts, of which GPU memory has some at a time.
var partTunings = map[string]gpu.Tuning{
	"2 parts":             {Parts: 2, PartSlots: 2},
	"3 parts":             {Parts: 3, PartSlots: 2, LaunchSteps: 1, ChunkSteps: 3},
	"5 parts":             {Parts: 5, PartSlots: 3, LaunchSteps: 100, HostRows: 70},
	"17 parts":            {Parts: 17, PartSlots: 4, ChunkSteps: 1},
	"17 parts of 8 slots": {Parts: 17, PartSlots: 8, LaunchSteps: 10},
}

// partTreeTunings are partTunings of trees. Their launches have many rows, because each launch reads all parts.
var partTreeTunings = map[string]gpu.Tuning{
	"3 parts": {Parts: 3, PartSlots: 2},
	"9 parts": {Parts: 9, PartSlots: 4, LaunchSteps: 20000},
}

// parted returns a function that reports whether the GPU runs a case on a graph that is copied part by part: of trees, or of
// walks. Layered samples are made by the rows that they read.
func parted(trees bool) func(c enginetest.Case) bool {
	return func(c enginetest.Case) bool {
		p, err := plan.New(c.App, c.Graph, c.Width)
		return err == nil && !p.Layered && gpu.Engine{}.RunsInParts(p) && (p.Driver == app.DriverTree) == trees && runs(c)
	}
}

func TestPartConformance(t *testing.T) {
	d := device(t)
	conform(t, d, partTunings, parted(false), partShare(t, 119, 47))
	conform(t, d, partTreeTunings, parted(true), partShare(t, 59, 37))
}

// partShare is deviceShare, but the emulated driver also runs only one case in `full` if the run is not short: a call has a
// launch per part.
func partShare(t *testing.T, short, full int) *enginetest.Share {
	t.Helper()
	if cudatest.Real() || testing.Short() {
		return deviceShare(t, short)
	}
	return enginetest.DailyShare(t, full)
}

// A graph that exceeds the budget is copied part by part, without a tuning. Only degrees stay in GPU memory.
func TestGraphsLargerThanTheBudget(t *testing.T) {
	d := device(t)
	g := some(t)
	for i, c := range partCalls(t, g) {
		for _, budget := range []string{"12KB", "25KB"} {
			t.Run(fmt.Sprintf("%s %d/%s", c.plan.App.Name(), i, budget), func(t *testing.T) {
				if largeParts(c.plan) {
					budget = map[string]string{"12KB": "50KB", "25KB": "70KB"}[budget]
				}
				t.Setenv("GONEXTDOOR_DEVICE_MEMORY", budget)
				if err := resident.Drop(g); err != nil {
					t.Fatal(err)
				}
				c.check(t, gpu.Engine{Device: d})
				c.batch.Roots.From, c.batch.Roots.To = 5, 6 // one walker
				one := c
				var err error
				if one.vertices, one.edges, err = one.run(cpu.Engine{}, nil); err != nil {
					t.Fatal(err)
				}
				one.check(t, gpu.Engine{Device: d})
				c.batch.Roots.From, c.batch.Roots.To = 0, 0
				left := 0
				if readsDegrees(c.plan) {
					left = 4 * g.NumVertices()
				}
				if bytes := resident.Bytes(g); left == 0 && len(bytes) > 0 || left > 0 && int(bytes[d.ID]) != left {
					t.Errorf("the graph takes %v bytes, expected %d", bytes, left)
				}
			})
		}
	}
}

func TestGraphsThatFitNotEvenInParts(t *testing.T) {
	d := device(t)
	const n = 9000
	ring := &graph.Graph{Indptr: make([]uint64, n+1), Indices: make([]uint32, n)}
	for u := range n {
		ring.Indptr[u+1], ring.Indices[u] = uint64(u+1), uint32((u+1)%n)
	}
	for _, c := range []struct {
		name   string
		graph  *graph.Graph
		budget string
		wants  string
	}{
		{"a hub", graphtest.Star(700, true), "4KB", "the row of vertex 0 has 700 edges"},
		{"many parts", ring, "1100B", "not even in 254 parts"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("GONEXTDOOR_DEVICE_MEMORY", c.budget)
			p, err := plan.New(&apps.DeepWalk{Length: 3}, c.graph, 1)
			if err != nil {
				t.Fatal(err)
			}
			b := plan.Batch{Roots: plan.Roots{Count: c.graph.NumVertices(), Width: 1, Repeat: 1}}
			_, err = (gpu.Engine{Device: d}).Run(p, p.Graph, b, nil)
			if refuse.KindOf(err) != refuse.KindDevice || !strings.Contains(fmt.Sprint(err), c.wants) {
				t.Errorf("error %v, expected one with %q", err, c.wants)
			}
		})
	}
}

// An app without kernels for parts is refused if the graph exceeds the budget.
func TestAppsWithoutParts(t *testing.T) {
	d := device(t)
	g := some(t)
	t.Setenv("GONEXTDOOR_DEVICE_MEMORY", "20KB")
	for _, a := range []app.App{&apps.Node2Vec{P: 2, Q: 1, Length: 3, Weighted: app.Computed}} {
		p, err := plan.New(a, g, 1)
		if err != nil {
			t.Fatal(err)
		}
		b := plan.Batch{Roots: plan.Roots{Count: g.NumVertices(), Width: 1, Repeat: 1}}
		if _, err := (gpu.Engine{Device: d}).Run(p, p.Graph, b, nil); refuse.KindOf(err) != refuse.KindDevice || !strings.Contains(fmt.Sprint(err), "does not run on a part of a graph") {
			t.Errorf("%s: error %v", a.Name(), err)
		}
	}
}

// An allocation of the GPU or of pinned memory that fails, whichever it is, leaves nothing, and the next call is right.
func TestPartsAfterEveryFailedAllocation(t *testing.T) {
	d := device(t)
	cudatest.Emulated(t)
	g := some(t)
	e := gpu.Engine{Device: d, Tuning: gpu.Tuning{Parts: 4, PartSlots: 2}}
	all := partCalls(t, g)
	for _, c := range []call{all[1], all[2], all[7], all[9], all[15], all[16], all[18]} {
		c.batch.Roots.From, c.batch.Roots.To = 0, 60 // most of the time is that of the walkers
		var err error
		if c.vertices, c.edges, err = c.run(cpu.Engine{}, nil); err != nil {
			t.Fatal(err)
		}
		c.check(t, e)
		held, before := settled(t, d), cudatest.Allocations()
		c.check(t, e)
		for k := range cudatest.Allocations() - before {
			cudatest.Set(t, "fail", cudatest.Allocations()+1+k)
			_, _, err := c.run(e, nil)
			if kind := refuse.KindOf(err); err != nil && kind != refuse.KindDevice && kind != refuse.KindMemory {
				t.Errorf("allocation %d failed: %v", k+1, err)
			}
			if now := settled(t, d); now > held {
				t.Fatalf("%d pieces of memory are held, %d were before", now, held)
			}
		}
		c.check(t, e)
	}
}

func TestPartsAreStopped(t *testing.T) {
	d := device(t)
	g := some(t)
	e := gpu.Engine{Device: d, Tuning: gpu.Tuning{Parts: 9, PartSlots: 2, LaunchSteps: 1}}
	for _, c := range partCalls(t, g)[:3] {
		c.check(t, e)
		held := settled(t, d)
		for _, wait := range []time.Duration{0, 3 * time.Millisecond} {
			j := new(job.Job)
			go func() {
				time.Sleep(wait)
				atomic.StoreInt64(&j.Stop, 1)
			}()
			many := c.batch
			many.Roots.Repeat = 200
			if cudatest.Real() {
				many.Roots.Repeat = 20_000 // 200 take less than 3 ms
			}
			r, err := e.Run(c.plan, c.plan.Graph, many, j)
			if err == nil {
				t.Errorf("%s: not stopped", c.plan.App.Name())
				_ = r.Free()
			} else if refuse.KindOf(err) != refuse.KindInterrupted {
				t.Error(err)
			}
		}
		if now := settled(t, d); now > held {
			t.Errorf("%d pieces of memory are held, %d were before", now, held)
		}
		c.check(t, e)
	}
}

// Arrays that cannot be pinned are copied through buffers. Others stay pinned until the graph is closed.
func TestPartsOfArraysThatCannotBePinned(t *testing.T) {
	d := device(t)
	cudatest.Emulated(t)
	g := graphtest.Thicket(true)
	c := partCalls(t, g)[0]
	e := gpu.Engine{Device: d, Tuning: gpu.Tuning{Parts: 3, PartSlots: 2}}
	indices := slices.Clone(g.Indices[:g.NumEdges()+1])[:g.NumEdges()]
	pin := func(of []uint32) error {
		return d.Do(func() error { return d.Register(unsafe.Pointer(unsafe.SliceData(of)), 4*int64(len(of))) })
	}
	if err := pin(g.Indices); err != nil {
		t.Fatal(err)
	}
	c.check(t, e) // the engine cannot pin Indices
	if err := d.Do(func() error { return d.Unregister(unsafe.Pointer(unsafe.SliceData(g.Indices))) }); err != nil {
		t.Fatal(err)
	}
	g.Close()
	h := &graph.Graph{Indptr: slices.Clone(c.plan.Graph.Indptr), Indices: indices}
	p, err := plan.New(c.plan.App, h, 1)
	if err != nil {
		t.Fatal(err)
	}
	c.plan = p
	c.check(t, e) // the engine pins Indices
	if pin(indices) == nil {
		t.Error("the array was not pinned")
	}
	h.Close()
	if err := pin(indices); err != nil {
		t.Errorf("the array is still pinned: %v", err)
	}
	err = d.Do(func() error { return d.Unregister(unsafe.Pointer(unsafe.SliceData(indices))) })
	if err != nil {
		t.Error(err)
	}
	runtime.KeepAlive(indices)
}

// Several threads may copy parts of one graph at a time.
func TestPartsByThreads(t *testing.T) {
	d := device(t)
	all := partCalls(t, some(t))
	failed := make(chan error, 4)
	for i := range 4 {
		go func() {
			c := all[i]
			vertices, _, err := c.run(gpu.Engine{Device: d, Tuning: gpu.Tuning{Parts: 3 + i, PartSlots: 2}}, nil)
			if err == nil && !slices.Equal(vertices, c.vertices) {
				err = fmt.Errorf("%s: the samples differ from those of the CPU", c.plan.App.Name())
			}
			failed <- err
		}()
	}
	for range 4 {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
}

// Visits and last vertices are counted without storing samples.
func TestPartVisits(t *testing.T) {
	d := device(t)
	g := some(t)
	for i, c := range partCalls(t, g) {
		if _, second := c.plan.App.(*apps.Node2Vec); second || c.batch.Roots.Width > 1 {
			continue
		}
		t.Run(fmt.Sprintf("%s %d", c.plan.App.Name(), i), func(t *testing.T) {
			c.batch.Edges = false
			rows := c.batch.Roots.Samples()
			counts, ends := make([]int64, g.NumVertices()), make([]uint32, rows)
			if c.plan.Width > 0 {
				counts, ends = traced(t, c.plan, c.batch)
			} else {
				r, err := cpu.Engine{}.Ragged(c.plan, c.plan.Graph, c.batch, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer r.Return()
				for row := range rows {
					for _, v := range r.Vertices[r.Offsets[row]:r.Offsets[row+1]] {
						counts[v]++
						ends[row] = v
					}
				}
			}
			for _, ask := range []struct{ counts, ends bool }{{true, true}, {true, false}, {false, true}} {
				gotCounts, gotEnds := []int64(nil), []uint32(nil)
				if ask.counts {
					gotCounts = make([]int64, g.NumVertices())
				}
				if ask.ends {
					gotEnds = make([]uint32, rows)
				}
				e := gpu.Engine{Device: d, Tuning: gpu.Tuning{Parts: 6, PartSlots: 3, PartitionedRows: 700}}
				if err := countVisits(e, c.plan, c.plan.Graph, c.batch, gotCounts, gotEnds, nil); err != nil {
					t.Fatal(err)
				}
				if ask.counts && !slices.Equal(gotCounts, counts) {
					t.Errorf("visits %v, expected %v", gotCounts[:9], counts[:9])
				}
				if ask.ends && !slices.Equal(gotEnds, ends) {
					t.Errorf("last vertices %v, expected %v", gotEnds[:9], ends[:9])
				}
			}
		})
	}
}
