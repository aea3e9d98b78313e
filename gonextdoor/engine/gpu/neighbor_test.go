package gpu_test

import (
	"maps"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/gputest"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// batchTunings divide the work of a mini-batch in different ways. All must return the same batches. others is the number of
// other mini-batches in the launch.
var batchTunings = map[string]struct {
	tuning gpu.Tuning
	others int
}{
	"as planned":     {gpu.Tuning{}, 0},
	"many blocks":    {gpu.Tuning{NeighborBlocks: 6}, 0},
	"small capacity": {gpu.Tuning{NeighborBlocks: 2, NeighborCapacity: 8}, 0},
	"among others":   {gpu.Tuning{}, 4},
	"hashed":         {gpu.Tuning{NeighborHashed: true, NeighborBlocks: 5}, 1},
	"tiny":           {gpu.Tuning{NeighborBlocks: 5, NeighborCapacity: 8}, 1},
	"hubs shared":    {gpu.Tuning{NeighborBlocks: 4, NeighborHub: 3, NeighborSlots: 2}, 1},
	"long draws":     {gpu.Tuning{NeighborBlocks: 3, NeighborPicks: 1, NeighborHub: 5}, 2},
}

func TestMiniBatches(t *testing.T) {
	d := device(t)
	share := deviceShare(t, 119)
	for _, name := range slices.Sorted(maps.Keys(batchTunings)) {
		variant := batchTunings[name]
		t.Run(name, func(t *testing.T) {
			wanted := func(enginetest.BatchCase) bool { return share.Takes() }
			enginetest.RunThoseBatches(t, func(h *graph.Hetero) (engine.NeighborSampler, func(), error) {
				n := gpu.NewNeighborSampler(gpu.Engine{Device: d, Tuning: variant.tuning}, h)
				return gputest.Drawer{NeighborSampler: n, Others: variant.others}, n.Close, nil
			}, wanted)
		})
	}
}

// batchOf returns a mini-batch of a graph, to be compared with the serial definition.
func batchOf(g *graph.Graph, weighted app.Weighted) enginetest.BatchCase {
	m := &app.NeighborSampling{Fanouts: [][]int{{4}, {-1}, {3}}, Weighted: weighted, Expand: app.ExpandNew}
	return enginetest.BatchCase{App: m, Graph: graph.Homogeneous(g), Seed: 9, SeedNodes: app.SeedNodes{Vertices: [][]uint32{{5, 900, 77, 12}}}}
}

// byTime makes a batch temporal, with excluded edges and more draws than fit shared memory. Vertices have times.
func byTime(c enginetest.BatchCase) (enginetest.BatchCase, gpu.Tuning) {
	times := make([]int64, c.Graph.Counts[0])
	for v := range times {
		times[v] = int64(v * v % 89)
	}
	c.Graph.Times = [][]int64{times}
	c.App.Disjoint, c.App.Temporal = true, app.TemporalUniform
	c.SeedNodes.Times, c.SeedNodes.Windows = []int64{80, 50, 88, 9}, []int64{80, 30, 10, 9}
	c.SeedNodes.Excluded = [][]int64{{1, 70, 71, 300}}
	return c, gpu.Tuning{NeighborPicks: 3}
}

func TestInvalidSeedNodes(t *testing.T) {
	d, g := device(t), some(t)
	c := batchOf(g, app.No)
	n := gpu.NewNeighborSampler(gpu.Engine{Device: d}, c.Graph)
	for _, bad := range [][]uint32{{1, 2, 1024}, {3, 8, 3}, {1 << 31}, {7, 7}} {
		s := app.SeedNodes{Vertices: [][]uint32{bad}}
		want := s.Check(c.App, c.Graph)
		_, err := n.Draw(c.App, []gpu.Batch{{SeedNodes: c.SeedNodes}, {SeedNodes: s}}, nil)
		if err == nil || err.Error() != want.Error() || refuse.KindOf(err) != refuse.KindOf(want) {
			t.Errorf("seeds %v: %v, expected %v", bad, err, want)
		}
		if err := c.Check(gputest.Drawer{NeighborSampler: n}); err != nil {
			t.Error(err)
		}
	}
}

func TestMiniBatchesInLittleMemory(t *testing.T) {
	d := device(t)
	cudatest.Emulated(t)
	g := some(t)
	held := settled(t, d)
	refused, done, share := 0, 0, enginetest.NewShare(t, 3)
	for _, weighted := range []app.Weighted{app.No, app.Yes} {
		c := batchOf(g, weighted)
		for limit := uint64(16 << 10); limit < 8<<20; limit += limit / 2 {
			if !share.Takes() {
				continue
			}
			cudatest.Set(t, "memory", limit)
			switch err := c.Check(gputest.Drawer{NeighborSampler: gpu.NewNeighborSampler(gpu.Engine{Device: d}, c.Graph)}); {
			case err == nil:
				done++
			case refuse.KindOf(err) == refuse.KindDevice:
				refused++
			default:
				t.Errorf("in %d bytes: %v", limit, err)
			}
			cudatest.Set(t, "memory", 64<<20)
			if err := resident.Drop(g); err != nil {
				t.Error(err)
			}
			if now := settled(t, d); now > held {
				t.Fatalf("in %d bytes: %d pieces of memory are held, %d were before", limit, now, held)
			}
		}
	}
	if refused == 0 || done == 0 {
		t.Errorf("%d were refused, %d were not", refused, done)
	}
}

func TestMiniBatchesWhereEveryAllocationFailsOnce(t *testing.T) {
	d := device(t)
	cudatest.Emulated(t)
	c := batchOf(some(t), app.Yes)
	failEachAllocation(t, d, c, gpu.Tuning{})
	c, tuning := byTime(c)
	failEachAllocation(t, d, c, tuning)
}

// failEachAllocation draws a batch while one allocation fails, for each allocation of the draw.
func failEachAllocation(t *testing.T, d *cuda.Device, c enginetest.BatchCase, tuning gpu.Tuning) {
	n := gputest.Drawer{NeighborSampler: gpu.NewNeighborSampler(gpu.Engine{Device: d, Tuning: tuning}, c.Graph)}
	defer n.Close()
	if err := c.Check(n); err != nil {
		t.Fatal(err)
	}
	held, before := settled(t, d), cudatest.Allocations()
	if err := c.Check(n); err != nil {
		t.Fatal(err)
	}
	for k := range cudatest.Allocations() - before {
		settled(t, d)
		cudatest.Set(t, "fail", cudatest.Allocations()+1+k)
		if err := c.Check(n); err != nil && refuse.KindOf(err) != refuse.KindDevice && refuse.KindOf(err) != refuse.KindMemory {
			t.Errorf("allocation %d failed: %v", k+1, err)
		}
		if err := c.Check(n); err != nil {
			t.Error(err)
		}
		if now := settled(t, d); now != held {
			t.Fatalf("%d pieces of memory are held, %d were before", now, held)
		}
	}
}

// The capacity remembered from one draw is too small for the next one, or much too large.
func TestMiniBatchesOfOneShapeThatDiffer(t *testing.T) {
	d, g := device(t), some(t)
	c := batchOf(g, app.No)
	n := gputest.Drawer{NeighborSampler: gpu.NewNeighborSampler(gpu.Engine{Device: d}, c.Graph)}
	var few, many []uint32
	for v := range uint32(g.NumVertices()) {
		if first, end := g.Row(v); end == first && len(few) < 5 {
			few = append(few, v)
		} else if end > first+40 && len(many) < 7 {
			many = append(many, v)
		}
	}
	for i, seeds := range [][]uint32{few, many, few, many, few[:4]} {
		c.SeedNodes.Vertices = [][]uint32{seeds}
		if err := c.Check(n); err != nil {
			t.Errorf("draw %d: %v", i, err)
		}
	}
}
