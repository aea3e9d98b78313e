package gpu_test

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/gputest"
	"gonextdoor/gonextdoor/engine/gpu/internal/neighbor"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// hostEndTunings divide the work of batches whose end points the host reads in different ways.
var hostEndTunings = map[string]struct {
	tuning gpu.Tuning
	others int
}{
	"all on the host":  {gpu.Tuning{NearEdges: -1}, 0},
	"some on the GPU":  {gpu.Tuning{NearEdges: 90, NeighborBlocks: 5}, 2},
	"all on the GPU":   {gpu.Tuning{NearEdges: 1 << 30, NeighborBlocks: 3}, 1},
	"wide, hashed":     {gpu.Tuning{NearEdges: 1000, WidePositions: true, NeighborHashed: true, NeighborBlocks: 4}, 1},
	"tiny":             {gpu.Tuning{NearEdges: 40, NeighborBlocks: 5, NeighborCapacity: 8}, 3},
	"hubs shared":      {gpu.Tuning{NearEdges: -1, NeighborBlocks: 4, NeighborHub: 3, NeighborSlots: 2}, 1},
	"as the GPU likes": {gpu.Tuning{}, 4},
}

// byDegrees reports whether the GPU draws a batch of which the host reads the end points.
func byDegrees(c enginetest.BatchCase) bool {
	return neighbor.ReadsDegreesOnly(c.Graph, c.App, c.SeedNodes)
}

// fromHost returns a sampler whose batches have end points that the host has read.
func fromHost(d *cuda.Device, h *graph.Hetero, tuning gpu.Tuning, others int) gputest.Drawer {
	return gputest.Drawer{
		NeighborSampler: gpu.NewNeighborSampler(gpu.Engine{Device: d, Tuning: tuning}, h), Others: others, FromHost: true,
	}
}

func TestMiniBatchesWithEndPointsOfTheHost(t *testing.T) {
	d := device(t)
	share, random := deviceShare(t, 37), deviceShare(t, 7)
	for _, name := range slices.Sorted(maps.Keys(hostEndTunings)) {
		variant := hostEndTunings[name]
		t.Run(name, func(t *testing.T) {
			newSampler := func(h *graph.Hetero) (engine.NeighborSampler, func(), error) {
				n := fromHost(d, h, variant.tuning, variant.others)
				return n, n.Close, nil
			}
			enginetest.RunThoseBatches(t, newSampler, func(c enginetest.BatchCase) bool { return byDegrees(c) && share.Takes() })
			enginetest.RunRandomBatches(t, newSampler, 12, func(c enginetest.BatchCase) bool { return byDegrees(c) && random.Takes() })
		})
	}
}

// The corpus has batches of each option that the host reads end points for, and of each that it does not.
func TestWhichBatchesReadDegreesOnly(t *testing.T) {
	found := map[string][2]int{}
	for _, c := range enginetest.BatchCases() {
		if err := c.App.Bind(c.Graph); err != nil {
			continue
		}
		for name, has := range map[string]bool{
			"plain": true, "replace": c.App.Replace, "disjoint": c.App.Disjoint, "csc": c.App.Layout == app.CSC, "new": c.App.Expand == app.ExpandNew,
			"labor": c.App.Labor(), "temporal": c.App.Temporal != "", "excluded": c.SeedNodes.Excluded != nil, "relations": len(c.Graph.Relations) > 1,
			"weighted": c.App.Weighted == app.Yes,
		} {
			if has {
				n := found[name]
				if byDegrees(c) {
					n[0]++
				} else {
					n[1]++
				}
				found[name] = n
			}
		}
	}
	for name, never := range map[string]bool{
		"plain": false, "replace": false, "disjoint": false, "csc": false, "new": false, "excluded": false, "relations": false,
		"labor": true, "weighted": true,
	} {
		if n := found[name]; (n[0] == 0) != never {
			t.Errorf("%s: %d batches by degrees, %d others", name, n[0], n[1])
		}
	}
}

// Batches that depend on more than degrees are left to others, and nothing is uploaded.
func TestBatchesThatReadMoreThanDegrees(t *testing.T) {
	d := device(t)
	c := batchOf(some(t), app.Yes)
	timed, _ := byTime(batchOf(some(t), app.No))
	for _, c := range []enginetest.BatchCase{c, timed} {
		n := gpu.NewNeighborSampler(gpu.Engine{Device: d}, c.Graph)
		defer n.Close()
		if err := c.App.Bind(c.Graph); err != nil {
			t.Fatal(err)
		}
		if drawn, err := n.DrawFromHost(c.App, []gpu.Batch{{SeedNodes: c.SeedNodes}}, 1, nil); drawn != nil || err != nil {
			t.Errorf("%v, %v, expected nothing", drawn, err)
		}
	}
}

func TestInvalidSeedNodesWithEndPointsOfTheHost(t *testing.T) {
	d := device(t)
	c := batchOf(some(t), app.No)
	n := fromHost(d, c.Graph, gpu.Tuning{}, 0)
	if err := c.Check(n); err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]uint32{{1, 2, 1024}, {3, 8, 3}, {1 << 31}, {7, 7}} {
		s := app.SeedNodes{Vertices: [][]uint32{bad}}
		want := s.Check(c.App, c.Graph)
		_, err := n.DrawFromHost(c.App, []gpu.Batch{{SeedNodes: c.SeedNodes}, {SeedNodes: s}}, 2, nil)
		if err == nil || err.Error() != want.Error() || refuse.KindOf(err) != refuse.KindOf(want) {
			t.Errorf("seeds %v: %v, expected %v", bad, err, want)
		}
		if err := c.Check(n); err != nil {
			t.Error(err)
		}
	}
	if _, err := n.DrawFromHost(c.App, []gpu.Batch{{SeedNodes: c.SeedNodes}}, 2, &job.Job{Stop: 1}); !errors.Is(err, refuse.ErrInterrupted) {
		t.Errorf("error %v, expected ErrInterrupted", err)
	}
}

// Under each budget the batches are right. Below that of the begins of the rows, they are left to the CPU. What is uploaded obeys
// the budget.
func TestEndPointsOnTheGPUFollowTheBudget(t *testing.T) {
	d, g := device(t), some(t)
	c := batchOf(g, app.No)
	n := fromHost(d, c.Graph, gpu.Tuning{}, 1)
	begins := 8 * (g.NumVertices() + 1)
	for _, budget := range []int{begins - 1, begins, begins + 100, begins + 2*g.NumEdges(), begins + 4*g.NumEdges(), begins + 1<<30, begins + 400} {
		t.Setenv("GONEXTDOOR_DEVICE_MEMORY", strconv.Itoa(budget+16))
		err := c.Check(n)
		if left := errors.Is(err, gputest.ErrLeft); left != (budget < begins) || err != nil && !left {
			t.Errorf("%d bytes: %v", budget, err)
		}
		held := resident.Bytes(g)[d.ID]
		if want := min(budget, begins+4*g.NumEdges()); held > int64(budget+16) || budget >= begins && held < int64(want-32) {
			t.Errorf("%d bytes: %d are held", budget, held)
		}
	}
}

// If memory is taken by others, fewer end points are on the GPU, and at last the batches are left to the CPU.
func TestEndPointsOfTheHostInLittleMemory(t *testing.T) {
	d := device(t)
	cudatest.Emulated(t)
	c := batchOf(some(t), app.No)
	held := settled(t, d)
	left, done := 0, 0
	for limit := uint64(8 << 10); limit < 1<<20; limit += limit / 2 {
		cudatest.Set(t, "memory", limit)
		switch err := c.Check(fromHost(d, c.Graph, gpu.Tuning{}, 0)); {
		case err == nil:
			done++
		case errors.Is(err, gputest.ErrLeft):
			left++
		default:
			t.Errorf("in %d bytes: %v", limit, err)
		}
		cudatest.Set(t, "memory", 64<<20)
		if err := resident.Drop(c.Graph.Relations[0].Graph); err != nil {
			t.Error(err)
		}
		if now := settled(t, d); now > held {
			t.Fatalf("in %d bytes: %d pieces of memory are held, %d were before", limit, now, held)
		}
	}
	if left == 0 || done == 0 {
		t.Errorf("%d were left, %d were drawn", left, done)
	}
}

// If an allocation fails, the call returns an error or the right batch, leaks nothing, and the next call is right.
func TestEndPointsOfTheHostWhereEveryAllocationFailsOnce(t *testing.T) {
	d := device(t)
	cudatest.Emulated(t)
	c, share := batchOf(some(t), app.No), enginetest.NewShare(t, 4)
	for _, tuning := range []gpu.Tuning{{}, {NeighborCapacity: 8, NearEdges: 50}} {
		n := fromHost(d, c.Graph, tuning, 1)
		if err := c.Check(n); err != nil {
			t.Fatal(err)
		}
		held, before := settled(t, d), cudatest.Allocations()
		if err := c.Check(n); err != nil {
			t.Fatal(err)
		}
		for k := range cudatest.Allocations() - before {
			if !share.Takes() {
				continue
			}
			settled(t, d)
			cudatest.Set(t, "fail", cudatest.Allocations()+1+k)
			err := c.Check(n)
			if err != nil && !errors.Is(err, gputest.ErrLeft) && refuse.KindOf(err) != refuse.KindDevice && refuse.KindOf(err) != refuse.KindMemory {
				t.Errorf("allocation %d failed: %v", k+1, err)
			}
			if err := c.Check(n); err != nil {
				t.Error(err)
			}
			if now := settled(t, d); now > held {
				t.Fatalf("%d pieces of memory are held, %d were before", now, held)
			}
		}
	}
}

// If others hold the GPU's memory, the graph is not uploaded, and other layouts stay.
func TestAnUploadThatIsBoundToFailEvictsNothing(t *testing.T) {
	d := device(t)
	cudatest.Emulated(t)
	c := batchOf(some(t), app.No)
	g := c.Graph.Relations[0].Graph
	n := fromHost(d, c.Graph, gpu.Tuning{NearEdges: 100}, 0)
	if err := c.Check(n); err != nil {
		t.Fatal(err)
	}
	settled(t, d)
	before := resident.Bytes(g)[d.ID]
	err := d.Do(func() error {
		free, _, err := d.FreeMemory()
		if err != nil {
			return err
		}
		m, err := d.Alloc(free-before, cuda.Stream{})
		if err != nil {
			return err
		}
		defer func() {
			if err := d.Free(m, cuda.Stream{}); err != nil {
				t.Error(err)
			}
		}()
		if _, err := n.Begin(c.App, []gpu.Batch{{SeedNodes: c.SeedNodes}}, nil); !errors.Is(err, resident.ErrRoom) {
			t.Errorf("error %v, expected ErrRoom", err)
		}
		return nil
	})
	if now := resident.Bytes(g)[d.ID]; err != nil || now != before || before == 0 {
		t.Errorf("%d bytes are held, %d were before: %v", now, before, err)
	}
}
