package resident_test

import (
	"sync"
	"testing"
	"time"

	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// With any budget, each GPU sees the right arrays, or gets a DeviceError. The budget is never exceeded, and it is used. The
// smallest budgets leave no memory for replicas, so that most arrays are read from other GPUs.
func TestBudgetsOfSplitLayouts(t *testing.T) {
	gpus := emulatedGPUs(t)
	g := random(3000, 30000, 1)
	defer g.Close()
	labelled(g)
	place(t, g, 0, 1)
	gpus[0].check(t, g)
	whole := resident.Bytes(g)[0] // everything is replicated
	if other := resident.Bytes(g)[1]; other != whole {
		t.Errorf("GPU 0 has %d bytes, GPU 1 has %d, expected all on both", whole, other)
	}
	refused, full := 0, 0
	step := whole / 6
	if testing.Short() {
		step = whole / 3
	}
	for budget := whole / 4; budget < whole+step; budget += step {
		budgeted(t, budget)
		place(t, g, 0, 1)
		err := gpus[1].held(t, g, everything, func(kernels.Graph) {})
		if err != nil {
			refused++
			if refuse.KindOf(err) != refuse.KindDevice || budget > whole*2/3 {
				t.Errorf("%d of %d bytes: %v", budget, whole, err)
			}
			continue
		}
		for id, bytes := range resident.Bytes(g) {
			if bytes > budget {
				t.Errorf("GPU %d has %d bytes, more than the budget of %d", id, bytes, budget)
			}
			if budget < whole && bytes < budget-budget/5 {
				t.Errorf("GPU %d has %d bytes of replicas and pieces, but the budget is %d", id, bytes, budget)
			}
			if bytes == whole {
				full++
			}
		}
		gpus[0].check(t, g)
		gpus[1].check(t, g)
	}
	if refused == 0 || full == 0 {
		t.Errorf("%d budgets were too small, %d were enough for everything", refused, full)
	}
}

// Replicas of layouts that the call holds make place for other layouts that it needs.
func TestReplicasMakePlace(t *testing.T) {
	gpus := emulatedGPUs(t)
	g := random(3000, 30000, 1)
	defer g.Close()
	labelled(g)
	place(t, g, 0, 1)
	gpus[0].check(t, g)
	whole := resident.Bytes(g)[0]
	budgeted(t, whole*3/4)
	place(t, g, 0, 1)
	for _, d := range gpus[:2] {
		err := d.held(t, g, resident.Rows, func(at kernels.Graph) { // all of it is replicated
			for one := resident.Rows; one <= resident.LabelWeights; one <<= 1 {
				if everything&one == 0 {
					continue
				}
				if err := d.held(t, g, one, func(kernels.Graph) {}); err != nil {
					t.Errorf("%v: %v", one, err)
				}
			}
			checkRowsOnly(t, g, at, d)
		})
		if err != nil {
			t.Error(err)
		}
		d.check(t, g)
	}
}

// checkRowsOnly compares indptr and indices.
func checkRowsOnly(t *testing.T, g *graph.Graph, at kernels.Graph, d device) {
	t.Helper()
	indices := read[uint32](t, d.Device, d.stream, at.Indices, g.NumEdges())
	for i, v := range g.Indices {
		if indices[i] != v {
			t.Fatalf("GPU %d sees end point %d of edge %d, expected %d", d.ID, indices[i], i, v)
		}
	}
}

// A call whose layouts need the memory of replicas waits for other calls that use them.
func TestReplicasInUseAreWaitedFor(t *testing.T) {
	gpus := emulatedGPUs(t)
	g := random(3000, 30000, 1)
	defer g.Close()
	rows := int64(8*3001 + 4*30001)
	budgeted(t, rows*3/2)
	place(t, g, 0, 1)
	began, held := time.Now(), make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		err := gpus[0].held(t, g, resident.Rows, func(kernels.Graph) {
			close(held)
			time.Sleep(200 * time.Millisecond)
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-held
	err := gpus[0].held(t, g, resident.Biases|resident.Slim, func(kernels.Graph) {})
	if took := time.Since(began); err != nil || took < 150*time.Millisecond {
		t.Errorf("after %v: %v", took, err)
	}
	wait.Wait()
	// A stopped job ends the wait.
	j := &job.Job{Stop: 1}
	_ = gpus[1].Do(func() error {
		_, _, err := resident.Of(g, gpus[1].Device).Hold(everything, gpus[1].stream, graph.Options{Job: j})
		if refuse.KindOf(err) != refuse.KindInterrupted && refuse.KindOf(err) != refuse.KindDevice {
			t.Errorf("a stopped call returned %v", err)
		}
		return nil
	})
}
