package gpu_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// partedTrees are calls of all kernels of trees: a lane, 8 lanes, a warp or a block per transit, all edges, all edges with a
// bias, and walks. Steps have hubs, vertices of few edges, and transits without a vertex.
func partedTrees(t *testing.T, g *graph.Graph, share func() bool) (all []call) {
	t.Helper()
	for _, fanouts := range [][]int{{4, 3}, {2, 33}, {110, 2}, {2, 70}, {1, 1, 1}} {
		for _, a := range orders {
			if !share() {
				continue
			}
			a.Fanouts = fanouts
			all = append(all, treeCall(t, &a, g, 75))
		}
	}
	return all
}

// Trees equal those of the CPU for any number of parts and slots, launches that are cut, and budgets.
func TestTreesInParts(t *testing.T) {
	d := device(t)
	g := hub(100, true)
	defer g.Close()
	share := deviceShare(t, 3)
	for _, c := range partedTrees(t, g, share.Takes) {
		t.Run(fmt.Sprintf("%+v", c.plan.App), func(t *testing.T) {
			for _, tuning := range []gpu.Tuning{
				{Parts: 3, PartSlots: 2, Order: plan.SampleOrder}, {Parts: 9, PartSlots: 4, LaunchRows: 40, LaunchSteps: 4000},
			} {
				c.check(t, gpu.Engine{Device: d, Tuning: tuning})
			}
		})
	}
}

// A graph that exceeds the budget is copied part by part, without a tuning, and nothing of it stays in GPU memory.
func TestTreesLargerThanTheBudget(t *testing.T) {
	d := device(t)
	g := hub(100, true)
	defer g.Close()
	all := func() bool { return true }
	for i, c := range partedTrees(t, g, all)[:4] {
		for _, budget := range []string{"3KB", "40KB"} {
			if c.plan.App.(*apps.KHop).Weighted == app.Yes {
				budget = map[string]string{"3KB": "8KB", "40KB": "40KB"}[budget] // alias tables are larger
			}
			t.Run(fmt.Sprintf("%d, %s", i, budget), func(t *testing.T) {
				t.Setenv("GONEXTDOOR_DEVICE_MEMORY", budget)
				if err := resident.Drop(g); err != nil {
					t.Fatal(err)
				}
				c.check(t, gpu.Engine{Device: d})
				if bytes := resident.Bytes(g); budget != "40KB" && len(bytes) > 0 {
					t.Errorf("the graph takes %v bytes", bytes)
				}
			})
		}
	}
}

// Choices of many picks without replacement need kernels for whole graphs.
func TestLongChoicesAreRefusedInParts(t *testing.T) {
	g := hub(plan.TreePicks+100, false)
	defer g.Close()
	for fanout, want := range map[int]bool{plan.TreePicks: true, plan.TreePicks + 1: false} {
		p, err := plan.New(&apps.KHop{Fanouts: []int{fanout}, Weighted: app.No}, g, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := (gpu.Engine{}).RunsInParts(p); got != want {
			t.Errorf("fan-out %d: %v, expected %v", fanout, got, want)
		}
	}
}

// If an allocation fails, the call returns an error or the right samples, leaks nothing, and the next call is right. So does a
// stopped call.
func TestTreesInPartsThatFail(t *testing.T) {
	d := device(t)
	cudatest.Emulated(t)
	g := hub(40, true)
	defer g.Close()
	a := apps.KHop{Fanouts: []int{3, 2}, Weighted: app.Yes}
	c := treeCall(t, &a, g, 9)
	c.batch.Edges = true
	e := gpu.Engine{Device: d, Tuning: gpu.Tuning{Parts: 4, PartSlots: 2}}
	vertices, edges, err := c.run(e, nil)
	if err != nil {
		t.Fatal(err)
	}
	held, before, failed := settled(t, d), cudatest.Allocations(), 0
	for again := range 2 {
		if v, x, err := c.run(e, nil); err != nil || !slices.Equal(v, vertices) || !slices.Equal(x, edges) {
			t.Fatalf("call %d: %v, or other samples", again, err)
		}
	}
	for k := range (cudatest.Allocations() - before) / 2 {
		settled(t, d)
		cudatest.Set(t, "fail", cudatest.Allocations()+1+k)
		v, x, err := c.run(e, nil)
		switch {
		case err == nil && (!slices.Equal(v, vertices) || !slices.Equal(x, edges)):
			t.Errorf("allocation %d failed: other samples", k+1)
		case err != nil && refuse.KindOf(err) != refuse.KindDevice && refuse.KindOf(err) != refuse.KindMemory:
			t.Errorf("allocation %d failed: %v", k+1, err)
		case err != nil:
			failed++
		}
		if now := settled(t, d); now != held {
			t.Fatalf("%d pieces of memory are held, %d were before", now, held)
		}
	}
	if failed == 0 {
		t.Error("no failure was reported")
	}
	if _, _, err := c.run(e, &job.Job{Stop: 1}); !errors.Is(err, refuse.ErrInterrupted) {
		t.Errorf("error %v, expected ErrInterrupted", err)
	}
	if v, _, err := c.run(e, nil); err != nil || !slices.Equal(v, vertices) || settled(t, d) != held {
		t.Errorf("error %v, or other samples, or memory is held", err)
	}
}
