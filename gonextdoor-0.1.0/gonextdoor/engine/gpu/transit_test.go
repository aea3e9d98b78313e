package gpu_test

import (
	"fmt"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// orders are the apps that run in both orders.
var orders = []apps.KHop{
	{Weighted: app.No}, {Weighted: app.Yes}, {Weighted: app.No, Replace: true}, {Weighted: app.Yes, Replace: true},
}

// checkOrders compares the samples of each order with the CPU's: with one launch, and with launches that are cut within the
// rows and within the transits of a row.
func (c call) checkOrders(t *testing.T, e gpu.Engine) {
	t.Helper()
	for _, order := range []plan.Order{plan.TransitOrder, plan.SampleOrder} {
		c.batch.Order = order
		for _, tuning := range []gpu.Tuning{{}, {Variant: 1, LaunchRows: 70, LaunchSteps: 900}} {
			e.Tuning = tuning
			c.check(t, e)
		}
	}
}

// Steps have hubs, vertices of few edges, and transits without a vertex. Rows do not fill the last tile.
func TestTransitOrder(t *testing.T) {
	d := device(t)
	share := deviceShare(t, 7)
	g := hub(300, true)
	defer g.Close()
	for _, fanouts := range [][]int{{4, 3}, {2, 33}, {310, 2}, {3, 310}, {2, 257}} {
		for _, a := range orders {
			if !share.Takes() {
				continue
			}
			a.Fanouts = fanouts
			t.Run(fmt.Sprintf("%+v", a), func(t *testing.T) {
				treeCall(t, &a, g, 75).checkOrders(t, gpu.Engine{Device: d})
			})
		}
	}
}

// All samples have one transit, or none: every edge leads to vertex 1, which has edges or has none.
func TestTransitOrderOfOneTransit(t *testing.T) {
	d := device(t)
	share := deviceShare(t, 3)
	for _, ends := range []int{0, 500} {
		list := make([]graphtest.Edge, 0, 200+ends)
		for v := range uint32(200) {
			if v != 1 {
				list = append(list, graphtest.Edge{From: v, To: 1, Bias: 1})
			}
		}
		for i := range uint32(ends) {
			list = append(list, graphtest.Edge{From: 1, To: i % 200, Bias: i%3 + 1})
		}
		g := graphtest.Make(200, true, list)
		defer g.Close()
		for _, a := range orders {
			if !share.Takes() {
				continue
			}
			a.Fanouts = []int{2, 3}
			t.Run(fmt.Sprintf("%d edges, %+v", ends, a), func(t *testing.T) {
				treeCall(t, &a, g, 150).checkOrders(t, gpu.Engine{Device: d})
			})
		}
	}
}

// A launch has several tiles of transits.
func TestTransitOrderOfManyTiles(t *testing.T) {
	d := device(t)
	g := hub(2000, false)
	defer g.Close()
	a := apps.KHop{Fanouts: []int{3, 2}, Weighted: app.No, Replace: true}
	c := treeCall(t, &a, g, 4000)
	c.batch.Order = plan.TransitOrder
	c.check(t, gpu.Engine{Device: d})
}

// If the GPU has no memory for transit order, the samples are made in sample order.
func TestTransitOrderWithoutMemory(t *testing.T) {
	d := device(t)
	cudatest.Emulated(t)
	g := hub(40, true)
	defer g.Close()
	a := apps.KHop{Fanouts: []int{3, 2}, Weighted: app.Yes}
	c := treeCall(t, &a, g, 9)
	c.batch.Order = plan.TransitOrder
	e := gpu.Engine{Device: d}
	c.check(t, e)
	held, before := settled(t, d), cudatest.Allocations()
	c.check(t, e)
	made := 0
	for k := range cudatest.Allocations() - before {
		cudatest.Set(t, "fail", cudatest.Allocations()+1+k)
		vertices, edges, err := c.run(e, nil)
		switch {
		case err == nil && slices.Equal(vertices, c.vertices) && slices.Equal(edges, c.edges):
			made++
		case err == nil:
			t.Errorf("allocation %d failed: other samples", k+1)
		case refuse.KindOf(err) != refuse.KindDevice && refuse.KindOf(err) != refuse.KindMemory:
			t.Errorf("allocation %d failed: %v", k+1, err)
		}
		if now := settled(t, d); now != held {
			t.Fatalf("%d pieces of memory are held, %d were before", now, held)
		}
	}
	if made < 8 { // the arrays of transit order
		t.Errorf("%d allocations may fail, expected 8", made)
	}
}
