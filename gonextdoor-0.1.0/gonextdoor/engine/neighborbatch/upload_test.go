package neighborbatch_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/gpu/backend"
	"gonextdoor/gonextdoor/engine/gpu/gputest"
	"gonextdoor/gonextdoor/engine/neighborbatch"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// gpus opens GPUs, real or emulated.
func gpus(t testing.TB, count int) (all []engine.Device) {
	t.Helper()
	cudatest.Driver(t)
	if err := cuda.Status(); err != nil {
		if cudatest.Real() {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	for id := range count {
		d, err := backend.CUDA{}.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

// onDevices draws a batch on devices between others, for the conformance suite. It counts the calls by who drew.
type onDevices struct {
	*neighborbatch.Sampler
	devices      []engine.Device
	others       int // batches before the requested one, without its last seed nodes
	onCPU, onGPU int
}

func (o *onDevices) Sample(m *app.NeighborSampling, seed uint64, s app.SeedNodes, _ int, j *job.Job) (out output.NeighborBatch, err error) {
	seeds, nodes := []uint64{seed}, []app.SeedNodes{s}
	for i := range o.others {
		other := app.SeedNodes{Excluded: s.Excluded}
		for _, vertices := range s.Vertices {
			other.Vertices = append(other.Vertices, vertices[:min(len(vertices), i)])
		}
		if s.Times != nil {
			other.Times = append([]int64{}, s.Times[:other.Count()]...)
		}
		seeds, nodes = append(seeds, seed+uint64(i)+1), append(nodes, other)
	}
	all, err := o.DrawOnDevices(func() ([]engine.Device, error) { return o.devices, nil }, m, seeds, nodes, 0, j)
	if err != nil {
		return out, err
	}
	found := 0
	for _, b := range all {
		for i, number := range b.Numbers {
			if found++; number == 0 {
				out, err = host(b, i)
			}
		}
		if b.OnCPU {
			o.onCPU++
		} else {
			o.onGPU++
		}
		err = errors.Join(err, b.Release())
	}
	if found != len(seeds) {
		err = errors.Join(err, fmt.Errorf("%d batches, expected %d", found, len(seeds)))
	}
	return out, err
}

// host copies batch i of a launch to host memory.
func host(b neighborbatch.LaunchBatches, i int) (out output.NeighborBatch, err error) {
	arena := make([]int64, b.Words())
	if err := b.CopyOut(0, len(arena), unsafe.Pointer(unsafe.SliceData(arena)), nil); err != nil {
		return out, err
	}
	return gputest.OnHost(b.Batches()[i], arena)
}

// All kinds of mini-batches equal their definition for any budget: the CPU draws them, the GPU, or either.
func TestBatchesOfGraphsLargerThanTheBudget(t *testing.T) {
	devices := gpus(t, 1)
	for _, budget := range []struct {
		bytes, others, every int
	}{{1, 0, 1}, {1, 3, 3}, {1300, 1, 59}, {2500, 0, 59}} {
		t.Run(fmt.Sprintf("%d bytes, %d others", budget.bytes, budget.others), func(t *testing.T) {
			t.Setenv("GONEXTDOOR_DEVICE_MEMORY", fmt.Sprint(budget.bytes))
			share, all := enginetest.NewShare(t, budget.every), []*onDevices{}
			enginetest.RunThoseBatches(t, func(h *graph.Hetero) (engine.NeighborSampler, func(), error) {
				o := &onDevices{Sampler: neighborbatch.New(h), devices: devices, others: budget.others}
				all = append(all, o)
				return o, o.Close, nil
			}, func(enginetest.BatchCase) bool { return share.Takes() })
			cpu, gpu := 0, 0
			for _, o := range all {
				cpu, gpu = cpu+o.onCPU, gpu+o.onGPU
			}
			if cpu == 0 || budget.bytes == 1 && gpu > 0 || budget.bytes > 1 && gpu == 0 && !testing.Short() {
				t.Errorf("the CPU drew %d results, the GPU %d", cpu, gpu)
			}
		})
	}
}

// once returns a case whose graph needs about 1 KB of GPU memory.
func once(t *testing.T) enginetest.BatchCase {
	m := &app.NeighborSampling{Fanouts: [][]int{{4}, {3}}, Weighted: app.No, Expand: app.ExpandAll}
	return enginetest.BatchCase{App: m, Graph: graph.Homogeneous(wheel(t, 40)), Seed: 11, SeedNodes: app.SeedNodes{Vertices: [][]uint32{{5, 0, 21}}}}
}

// The same sampler follows the budget from call to call, and larger batches than before grow its memory.
func TestTheBudgetDecidesWhoDraws(t *testing.T) {
	c := once(t)
	o := &onDevices{Sampler: neighborbatch.New(c.Graph), devices: gpus(t, 1)}
	defer o.Close()
	for i, budget := range []string{"100", "1MB", "100", "1MB"} {
		t.Setenv("GONEXTDOOR_DEVICE_MEMORY", budget)
		o.onCPU, o.onGPU = 0, 0
		for n := 2; n <= 39; n += 12 {
			c.SeedNodes.Vertices[0] = c.SeedNodes.Vertices[0][:0]
			for v := range n {
				c.SeedNodes.Vertices[0] = append(c.SeedNodes.Vertices[0], uint32(v))
			}
			if err := c.Check(o); err != nil {
				t.Errorf("budget %s: %v", budget, err)
			}
		}
		if err := (backend.CUDA{}).ReleaseGraph(c.Graph.Relations[0].Graph); err != nil {
			t.Error(err)
		}
		if (o.onCPU > 0) != (i%2 == 0) || (o.onGPU > 0) != (i%2 == 1) {
			t.Errorf("budget %s: the CPU drew %d results, the GPU %d", budget, o.onCPU, o.onGPU)
		}
	}
}

// If only the begins of the rows fit, the GPU chooses and the host reads end points, for several launches at a time.
func TestSeveralLaunchesReadFromTheHost(t *testing.T) {
	c := once(t)
	for _, devices := range []int{1, 2} {
		if devices > 1 && cudatest.Real() {
			continue
		}
		o := &onDevices{Sampler: neighborbatch.New(c.Graph), devices: gpus(t, devices), others: 2*plan.HostEndBatches + 2}
		t.Setenv("GONEXTDOOR_DEVICE_MEMORY", "400")
		for i := range 2 {
			if err := c.Check(o); err != nil {
				t.Error(err)
			}
			if want := 3 * (i + 1); o.onCPU != 0 || o.onGPU < want || o.onGPU > want+i+1 {
				t.Errorf("%d devices: the CPU drew %d results, the GPU %d, expected %d or one more per call", devices, o.onCPU, o.onGPU, want)
			}
		}
		o.Close()
	}
}

// Several devices get their batches in turn.
func TestSeveralDevicesGetUploadedBatches(t *testing.T) {
	cudatest.Emulated(t)
	t.Setenv("GONEXTDOOR_DEVICE_MEMORY", "100")
	c := once(t)
	o := &onDevices{Sampler: neighborbatch.New(c.Graph), devices: gpus(t, 2), others: 5}
	defer o.Close()
	if err := c.Check(o); err != nil {
		t.Error(err)
	}
	if o.onCPU != 6 {
		t.Errorf("%d batches, expected 6", o.onCPU)
	}
}

// An invalid seed node is reported with the number of its batch, as by the GPU, and nothing stays allocated.
func TestUploadedBatchesAreRefusedTogether(t *testing.T) {
	c := once(t)
	s := neighborbatch.New(c.Graph)
	defer s.Close()
	devices := gpus(t, 1)
	open := func() ([]engine.Device, error) { return devices, nil }
	nodes := []app.SeedNodes{c.SeedNodes, {Vertices: [][]uint32{{7, 7}}}, c.SeedNodes}
	for _, budget := range []string{"100", "1MB"} {
		t.Setenv("GONEXTDOOR_DEVICE_MEMORY", budget)
		lent := offheap.Results.Out()
		all, err := s.DrawOnDevices(open, c.App, []uint64{1, 2, 3}, nodes, 0, nil)
		if refuse.KindOf(err) != refuse.KindValue || !strings.HasPrefix(err.Error(), "batch 1: seed_nodes[1] = 7") {
			t.Errorf("budget %s: error %v, expected a refusal", budget, err)
		}
		if len(all) != 0 || offheap.Results.Out() != lent {
			t.Errorf("budget %s: %d results, %d lent, expected 0 and %d", budget, len(all), offheap.Results.Out(), lent)
		}
	}
	if err := c.Check(&onDevices{Sampler: s, devices: devices}); err != nil {
		t.Error(err)
	}
}

// A stopped job ends the call.
func TestUploadedBatchesStop(t *testing.T) {
	t.Setenv("GONEXTDOOR_DEVICE_MEMORY", "100")
	c := once(t)
	s := neighborbatch.New(c.Graph)
	defer s.Close()
	devices := gpus(t, 1)
	j := &job.Job{Stop: 1}
	_, err := s.DrawOnDevices(func() ([]engine.Device, error) { return devices, nil }, c.App, []uint64{1, 2}, []app.SeedNodes{c.SeedNodes, c.SeedNodes}, 0, j)
	if !errors.Is(err, refuse.ErrInterrupted) {
		t.Errorf("error %v, expected ErrInterrupted", err)
	}
}

// If an allocation fails, the call returns an error or the right batches, leaks nothing, and the next call is right.
func TestUploadedBatchesWhereEveryAllocationFailsOnce(t *testing.T) {
	cudatest.Emulated(t)
	t.Setenv("GONEXTDOOR_DEVICE_MEMORY", "100")
	devices := gpus(t, 1)
	d, err := cuda.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	settled := func() uint64 {
		if err := d.Do(d.Trim); err != nil {
			t.Fatal(err)
		}
		return cudatest.Regions()
	}
	c := once(t)
	o := &onDevices{Sampler: neighborbatch.New(c.Graph), devices: devices, others: 2}
	defer o.Close()
	if err := c.Check(o); err != nil {
		t.Fatal(err)
	}
	held, before, lent, failed := settled(), cudatest.Allocations(), offheap.Results.Out(), 0
	if err := c.Check(o); err != nil {
		t.Fatal(err)
	}
	for k := range cudatest.Allocations() - before {
		settled()
		cudatest.Set(t, "fail", cudatest.Allocations()+1+k)
		if err := c.Check(o); err != nil {
			if failed++; refuse.KindOf(err) != refuse.KindDevice && refuse.KindOf(err) != refuse.KindMemory {
				t.Errorf("allocation %d failed: %v", k+1, err)
			}
		}
		if err := c.Check(o); err != nil {
			t.Error(err)
		}
		if now, out := settled(), offheap.Results.Out(); now != held || out != lent {
			t.Fatalf("%d pieces of memory are held and %d results lent, %d and %d were before", now, out, held, lent)
		}
	}
	t.Logf("%d calls failed", failed)
}

// With any amount of GPU memory, a call returns an error or the right batches.
func TestUploadedBatchesInLittleMemory(t *testing.T) {
	cudatest.Emulated(t)
	t.Setenv("GONEXTDOOR_DEVICE_MEMORY", "100")
	c, refused, done := once(t), 0, 0
	o := &onDevices{Sampler: neighborbatch.New(c.Graph), devices: gpus(t, 1), others: 1}
	defer o.Close()
	for limit := uint64(256); limit < 1<<20; limit *= 2 {
		cudatest.Set(t, "memory", limit)
		switch err := c.Check(o); {
		case err == nil:
			done++
		case refuse.KindOf(err) == refuse.KindDevice:
			refused++
		default:
			t.Errorf("in %d bytes: %v", limit, err)
		}
	}
	if refused == 0 || done == 0 {
		t.Errorf("%d were refused, %d were not", refused, done)
	}
}
