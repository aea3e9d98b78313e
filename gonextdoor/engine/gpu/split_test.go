package gpu_test

import (
	"slices"
	"sync"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/backend"
	"gonextdoor/gonextdoor/engine/gpu/gputest"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/engine/sharded"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// splitting places the graph of each call on GPUs before an engine runs it.
type splitting struct {
	engine.Engine
	over []int
}

func (s splitting) Matrix(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	if err := place(g, s.over); err != nil {
		return err
	}
	return s.Engine.Matrix(p, g, b, out, j)
}

func (s splitting) Ragged(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Ragged, error) {
	if err := place(g, s.over); err != nil {
		return output.Ragged{}, err
	}
	return s.Engine.Ragged(p, g, b, j)
}

func (s splitting) Layers(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Layers, error) {
	if err := place(g, s.over); err != nil {
		return output.Layers{}, err
	}
	return s.Engine.Layers(p, g, b, j)
}

// placed are the graphs of the tests that have been placed.
var placed = map[*graph.Graph]bool{}

// place splits a graph over GPUs, unless it is.
func place(g *graph.Graph, over []int) error {
	placed[g.Origin()] = true
	if p, _ := resident.PlacementOf(g); slices.Equal(p.Devices, over) {
		return nil
	}
	return resident.Place(g, resident.Placement{Devices: over, Bounds: g.RowRanges(len(over))}, graph.Options{})
}

// splitDevices returns the GPUs of the emulated driver, with pieces so small that small graphs are split.
func splitDevices(t *testing.T) (list []*cuda.Device) {
	t.Helper()
	cudatest.Emulated(t)
	device(t)
	cudatest.Set(t, "granularity", 4096)
	n, err := cuda.Count()
	if err != nil {
		t.Fatal(err)
	}
	if n < 3 {
		t.Skip("three GPUs are needed")
	}
	for id := range n {
		d, err := cuda.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, d)
	}
	return list
}

// replicas are the limits on replicas of the tests: none, some, and all.
var replicas = []string{"0", "20000", ""}

// All apps sample the same on a graph that is split over GPUs, on one of these, on several, and on one that has no row of it.
func TestConformanceOfSplitGraphs(t *testing.T) {
	devices := splitDevices(t)
	before := settledAll(t, devices)
	var list sharded.Engine
	for _, d := range devices[:2] {
		one, err := backend.CUDA{}.Open(d.ID)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, one)
	}
	for _, limit := range replicas {
		t.Run("replicas "+limit, func(t *testing.T) {
			t.Setenv("GONEXTDOOR_DEVICE_REPLICAS", limit)
			engines := enginetest.Engines{
				"two GPUs":   func() engine.Engine { return splitting{list, []int{0, 1}} },
				"the second": func() engine.Engine { return splitting{gpu.Engine{Device: devices[1]}, []int{2, 0, 1}} },
				"another":    func() engine.Engine { return splitting{gpu.Engine{Device: devices[2]}, []int{0, 1}} },
				"in pieces": func() engine.Engine {
					return splitting{gpu.Engine{Device: devices[0], Tuning: tunings["small pieces"]}, []int{1, 0, 1, 2}}
				},
				"plain": func() engine.Engine {
					return splitting{gpu.Engine{Device: devices[1], Tuning: tunings["plain layouts"]}, []int{0, 2, 1}}
				},
			}
			engines.Run(t, func(c enginetest.Case) bool { return runs(c) && !layered(c) }, deviceShare(t, 1499))
		})
	}
	forget(t)
	if after := settledAll(t, devices); after > before {
		t.Errorf("%d blocks of memory are allocated, %d were before", after, before)
	}
}

// forget undoes all placements.
func forget(t *testing.T) {
	t.Helper()
	for g := range placed {
		if err := resident.Place(g, resident.Placement{}, graph.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	clear(placed)
}

// settledAll waits for all GPUs and returns the number of allocated blocks of their memory.
func settledAll(t *testing.T, devices []*cuda.Device) (blocks uint64) {
	t.Helper()
	for _, d := range devices {
		blocks = settled(t, d)
	}
	return blocks
}

func TestLayersOfSplitGraphs(t *testing.T) {
	devices := splitDevices(t)
	t.Setenv("GONEXTDOOR_DEVICE_REPLICAS", "0")
	engines := enginetest.Engines{
		"as planned": func() engine.Engine {
			return splitting{gpu.Engine{Device: devices[1], Tuning: layeredTunings["as planned"]}, []int{0, 1}}
		},
		"grids": func() engine.Engine {
			return splitting{gpu.Engine{Device: devices[0], Tuning: layeredTunings["grids"]}, []int{2, 1, 0}}
		},
	}
	engines.Run(t, someImportanceLayers(), deviceShare(t, 5987))
	forget(t)
}

func TestMiniBatchesOfSplitGraphs(t *testing.T) {
	devices := splitDevices(t)
	share := deviceShare(t, 719)
	for _, limit := range replicas {
		for _, name := range []string{"as planned", "many blocks", "hubs shared"} {
			t.Run(name+", replicas "+limit, func(t *testing.T) {
				t.Setenv("GONEXTDOOR_DEVICE_REPLICAS", limit)
				enginetest.RunThoseBatches(t, func(h *graph.Hetero) (engine.NeighborSampler, func(), error) {
					for _, r := range h.Relations {
						if err := place(r.Graph, []int{0, 1, 2}); err != nil {
							return nil, nil, err
						}
					}
					n := gpu.NewNeighborSampler(gpu.Engine{Device: devices[2], Tuning: batchTunings[name].tuning}, h)
					return gputest.Drawer{NeighborSampler: n, Others: batchTunings[name].others}, n.Close, nil
				}, func(enginetest.BatchCase) bool { return share.Takes() })
			})
		}
	}
	forget(t)
}

// A GPU that runs out of memory in the middle ends the call with an error or the right samples, and nothing leaks.
func TestLittleMemoryForSplitGraphs(t *testing.T) {
	devices := splitDevices(t)
	g := some(t)
	before := settledAll(t, devices)
	refused, done, share := 0, 0, enginetest.NewShare(t, 3)
	for i, c := range calls(t, g) {
		for limit := uint64(16 << 10); limit < 4<<20; limit *= 2 {
			if !share.Takes() {
				continue
			}
			if err := place(g, []int{0, 1}); err != nil {
				t.Fatal(err)
			}
			cudatest.Set(t, "memory", limit)
			vertices, edges, err := c.run(gpu.Engine{Device: devices[i%2]}, nil)
			switch {
			case err != nil:
				refused++
			case slices.Equal(vertices, c.vertices) && slices.Equal(edges, c.edges):
				done++
			default:
				t.Errorf("%s in %d bytes: the samples differ from those of the CPU", c.plan.App.Name(), limit)
			}
			if err := resident.Drop(g); err != nil {
				t.Error(err)
			}
			if now := settledAll(t, devices); now > before {
				t.Fatalf("%s in %d bytes: %d blocks of memory are allocated, %d were before (%v)", c.plan.App.Name(), limit, now, before, err)
			}
			cudatest.Set(t, "memory", 64<<20)
		}
		c.check(t, gpu.Engine{Device: devices[1]})
	}
	if refused == 0 || done == 0 {
		t.Errorf("%d calls were refused, %d were not", refused, done)
	}
}

// Threads of several GPUs run calls on a split graph at a time, while its memory is freed, and while memory is short.
func TestThreadsOfSplitGraphs(t *testing.T) {
	devices := splitDevices(t)
	g := some(t)
	all := calls(t, g)
	for _, limit := range replicas {
		t.Setenv("GONEXTDOOR_DEVICE_REPLICAS", limit)
		if err := resident.Place(g, resident.Placement{Devices: []int{0, 1}, Bounds: g.RowRanges(2)}, graph.Options{}); err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		for i := range 6 {
			wait.Go(func() {
				for k := range 4 {
					all[(i+k)%len(all)].check(t, gpu.Engine{Device: devices[i%3]})
					if i == 0 {
						if err := resident.Drop(g); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		wait.Wait()
	}
}

// Walks without traces and PageRank read split graphs too.
func TestCountsOfSplitGraphs(t *testing.T) {
	devices := splitDevices(t)
	t.Setenv("GONEXTDOOR_DEVICE_REPLICAS", "0")
	g, err := build.RMAT{Scale: 9, EdgeFactor: 8, Low: 1, High: 5, Seed: 3}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if err := place(g, []int{0, 1}); err != nil {
		t.Fatal(err)
	}
	for _, weighted := range []app.Weighted{app.No, app.Yes} {
		p, err := plan.New(&apps.DeepWalk{Length: 3, Weighted: weighted}, g, 1)
		if err != nil {
			t.Fatal(err)
		}
		b := plan.Batch{Roots: plan.Roots{Count: g.NumVertices(), Width: 1, Repeat: 1}, Seed: 5, Threads: 2}
		counts, ends := traced(t, p, b)
		gotCounts, gotEnds := make([]int64, len(counts)), make([]uint32, len(ends))
		e := gpu.Engine{Device: devices[1], Tuning: gpu.Tuning{PartitionedRows: 1000}}
		err = countVisits(e, p, g, b, gotCounts, gotEnds, nil)
		if err != nil || !slices.Equal(gotCounts, counts) || !slices.Equal(gotEnds, ends) {
			t.Errorf("weighted %v: the counts or ends differ from those of the CPU (%v)", weighted, err)
		}
	}
	share := enginetest.NewShare(t, 11) // the definitions are slow
	enginetest.ScoreRequests(t, func(t *testing.T, s plan.Scores) {
		if !share.Takes() {
			t.Skip("not in the share")
		}
		if err := place(s.Graph, []int{1, 2}); err != nil {
			t.Fatal(err)
		}
		enginetest.Scored(t, gpu.Engine{Device: devices[2]}, s)
	})
	forget(t)
}
