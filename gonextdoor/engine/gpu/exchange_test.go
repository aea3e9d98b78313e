package gpu_test

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/gputest"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// several opens all GPUs, of which two are needed.
func several(t testing.TB) (all []*cuda.Device) {
	t.Helper()
	device(t)
	have, err := cuda.Count()
	if err != nil {
		t.Fatal(err)
	}
	if have < 2 {
		t.Skip("two GPUs are needed")
	}
	for id := range have {
		d, err := cuda.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

// exchangeable reports whether several GPUs make the samples of a case together.
func exchangeable(c enginetest.Case) bool {
	p, err := plan.New(c.App, c.Graph, c.Width)
	return err == nil && (gpu.Engine{}).Exchanges(p)
}

// Walks that GPUs exchange equal their definitions, whichever vertices and rows the GPUs have.
func TestExchangedWalksEqualTheirDefinitions(t *testing.T) {
	devices := several(t)
	share := deviceShare(t, 179)
	engines := enginetest.Engines{}
	for name, e := range gputest.Exchangers(devices) {
		engines[name] = func() engine.Engine { return e }
	}
	engines.Run(t, exchangeable, share)
}

// pair returns two GPUs that share the vertices and rows of some walks, and these walks.
func pair(t *testing.T) (e gputest.Exchanger, all []call) {
	t.Helper()
	devices := several(t)
	g := some(t)
	for i, a := range []app.App{
		&apps.DeepWalk{Length: 9, Weighted: app.Yes},
		&apps.Node2Vec{P: 2, Q: 0.5, Length: 7, Weighted: app.No},
	} {
		p, err := plan.New(a, g, 1)
		if err != nil {
			t.Fatal(err)
		}
		c := call{plan: p, batch: plan.Batch{
			Roots: plan.Roots{Count: g.NumVertices() - 3, Width: 1, Repeat: 2}, Seed: uint64(i), Threads: 2, Edges: true,
		}}
		if c.vertices, c.edges, err = c.run(cpu.Engine{}, nil); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return gputest.Exchangers(devices)["two GPUs"], all
}

// held waits for all GPUs and returns the number of allocated blocks of their memory.
func held(t *testing.T, e gputest.Exchanger) (blocks uint64) {
	t.Helper()
	for _, d := range e.Devices {
		blocks = settled(t, d)
	}
	return blocks
}

// A GPU that refuses a launch, whichever it is, leads to a DeviceError. Nothing is held after it, and the next call succeeds.
func TestExchangesEndIfALaunchFails(t *testing.T) {
	e, all := pair(t)
	cudatest.Emulated(t)
	const outOfMemory = 2
	for i, c := range all {
		c.check(t, e)
		before, id := held(t, e), e.Devices[i].ID
		first := cudatest.Calls("launch", id)
		c.check(t, e)
		launches := cudatest.Calls("launch", id) - first
		if least := uint64(c.plan.Width - 1); launches < least {
			t.Fatalf("%d launches: expected %d at least", launches, least)
		}
		for k := uint64(1); k <= launches; k += 1 + launches/6 {
			cudatest.Inject(t, "launch", id, k, outOfMemory)
			_, _, err := c.run(e, nil)
			if refuse.KindOf(err) != refuse.KindDevice {
				t.Errorf("launch %d failed: %v, expected a DeviceError", k, err)
			}
			if now := held(t, e); now != before {
				t.Fatalf("launch %d failed: %d pieces of memory are held, %d were before", k, now, before)
			}
		}
		c.check(t, e)
	}
}

// An allocation that fails on any GPU leads to a DeviceError, and nothing is held after it.
func TestExchangesEndIfAnAllocationFails(t *testing.T) {
	e, all := pair(t)
	cudatest.Emulated(t)
	c := all[1]
	empty := func() uint64 {
		if err := resident.Drop(c.plan.Graph); err != nil {
			t.Fatal(err)
		}
		return held(t, e)
	}
	before := empty()
	first := cudatest.Allocations()
	c.check(t, e)
	failed := 0
	for k := range cudatest.Allocations() - first {
		empty()
		cudatest.Set(t, "fail", cudatest.Allocations()+1+k)
		_, _, err := c.run(e, nil)
		if kind := refuse.KindOf(err); err != nil && kind != refuse.KindDevice && kind != refuse.KindMemory {
			t.Errorf("allocation %d failed: %v", k+1, err)
		}
		if err != nil {
			failed++
		}
		if now := empty(); now != before {
			t.Fatalf("allocation %d failed: %d pieces of memory are held, %d were before", k+1, now, before)
		}
	}
	if failed == 0 {
		t.Error("no call failed")
	}
	c.check(t, e)
}

// A job that is stopped between two steps ends the call, and nothing is held after it.
func TestExchangesAreStopped(t *testing.T) {
	e, all := pair(t)
	e.Tuning = gpu.Tuning{LaunchSteps: 1}
	for _, c := range all {
		c.check(t, e)
		before := held(t, e)
		c.batch.Roots.Repeat = 200
		for _, wait := range []time.Duration{0, 5 * time.Millisecond, 50 * time.Millisecond} {
			j := new(job.Job)
			go func() {
				time.Sleep(wait)
				atomic.StoreInt64(&j.Stop, 1)
			}()
			if _, _, err := c.run(e, j); refuse.KindOf(err) != refuse.KindInterrupted {
				t.Errorf("stopped after %v: %v", wait, err)
			}
			if now := held(t, e); cudatest.Regions() != ^uint64(0) && now != before {
				t.Fatalf("%d pieces of memory are held, %d were before", now, before)
			}
		}
		c.batch.Roots.Repeat = 2
		c.check(t, e)
	}
}

// The memory of a GPU is opened to each other GPU once.
func TestMemoryIsSharedOnce(t *testing.T) {
	e, all := pair(t)
	cudatest.Emulated(t)
	all[0].check(t, e)
	grants := cudatest.Grants()
	all[0].check(t, e)
	if now := cudatest.Grants(); grants < 2 || now != grants {
		t.Errorf("%d grants after one call, %d after two", grants, now)
	}
}

// faulty is set in the process of TestExchangesEndIfAGPUFails: a GPU that fails is lost for the process.
const faulty = "GONEXTDOOR_FAULTY_LAUNCH"

// A GPU that fails between two steps leads to a DeviceError. The other GPU holds nothing after it, and its next call succeeds.
func TestExchangesEndIfAGPUFails(t *testing.T) {
	cudatest.Emulated(t)
	device(t)
	for _, launch := range []string{"1", "2", "5", "9"} {
		child := exec.Command(os.Args[0], "-test.run=^TestFaultyExchange$", "-test.v", "-test.timeout=100s")
		child.Env = append(os.Environ(), faulty+"="+launch)
		said, err := child.CombinedOutput()
		if err != nil || !strings.Contains(string(said), "--- PASS: TestFaultyExchange") {
			t.Errorf("launch %s: %v\n%s", launch, err, said)
		}
	}
}

// TestFaultyExchange runs in the process of a launch that fails.
func TestFaultyExchange(t *testing.T) {
	launch, err := strconv.Atoi(os.Getenv(faulty))
	if err != nil {
		t.Skip("it is for a separate process")
	}
	e, all := pair(t)
	c := all[0]
	c.check(t, e)
	before := held(t, e)
	const illegalAddress = 700
	cudatest.Inject(t, "kernel", e.Devices[launch%2].ID, uint64(launch), illegalAddress)
	if _, _, err := c.run(e, nil); refuse.KindOf(err) != refuse.KindDevice || !strings.Contains(err.Error(), "ILLEGAL_ADDRESS") {
		t.Fatalf("error %v", err)
	}
	left := slices.DeleteFunc(slices.Clone(e.Devices), func(d *cuda.Device) bool { return d.Do(d.Synchronize) != nil })
	if len(left) != 1 {
		t.Fatalf("%d GPUs are left", len(left))
	}
	// The lost GPU cannot free its two arrays of the result and its table of homes. They end with the process.
	if now := settled(t, left[0]); now > before+3 {
		t.Errorf("%d pieces of memory are held, %d were before", now, before)
	}
	c.check(t, gpu.Engine{Device: left[0]})
}

// Walks are exchanged if GPUs have rows without a replica. The samples equal those of the CPU on any split graph, also on one
// whose second GPU has the first rows.
func TestExchangesOnSplitGraphs(t *testing.T) {
	devices := splitDevices(t)
	e, all := pair(t)
	for _, limit := range []string{"0", "20000", ""} {
		t.Setenv("GONEXTDOOR_DEVICE_REPLICAS", limit)
		for _, c := range all {
			g := c.plan.Graph
			if err := resident.Place(g, resident.Placement{Devices: []int{1, 0}, Bounds: g.RowRanges(2)}, graph.Options{}); err != nil {
				t.Fatal(err)
			}
			e.Devices = []*cuda.Device{devices[1], devices[0]} // the owners of the parts
			c.check(t, e)
			results, err := gpu.Exchange(e.Parts(g, c.batch.Roots.Samples()), c.plan, g, c.batch, nil)
			if err != nil {
				t.Fatal(err)
			}
			if everywhere := limit == ""; everywhere != (results == nil) {
				t.Errorf("replicas of %q bytes: exchanged %v", limit, results != nil)
			}
			for _, r := range results {
				if err := r.Free(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
