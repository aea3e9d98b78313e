package plan_test

import (
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
)

// regular returns a graph of plan.TransitEdges edges, in which every vertex has that many edges and as many lead to it.
func regular(degree int) *graph.Graph {
	vertices := plan.TransitEdges / degree
	ends := append(make([]uint32, plan.TransitEdges, plan.TransitEdges+1), graph.None)
	g := &graph.Graph{Indptr: make([]uint64, vertices+1), Indices: ends[:plan.TransitEdges]}
	for v := range vertices {
		g.Indptr[v+1] = uint64((v + 1) * degree)
		for i := range degree {
			g.Indices[v*degree+i] = uint32(v/degree*degree + i)
		}
	}
	return g
}

func TestOrders(t *testing.T) {
	const sample, transit = plan.SampleOrder, plan.TransitOrder
	long, short := regular(plan.TransitDegree), regular(plan.TransitDegree/4)
	enough := plan.TransitPicks * plan.TransitEdges / 250
	for _, c := range []struct {
		what    string
		a       app.App
		g       *graph.Graph
		samples int
		wanted  plan.Order
		orders  []plan.Order
	}{
		{"long rows", &apps.KHop{Fanouts: []int{25, 10}, Weighted: app.No}, long, enough + 1, "", []plan.Order{sample, transit}},
		{"short rows", &apps.KHop{Fanouts: []int{25, 10}, Weighted: app.No}, short, enough + 1, "", []plan.Order{sample, sample}},
		{"few samples", &apps.KHop{Fanouts: []int{25, 10}, Weighted: app.No}, long, enough - 1, "", []plan.Order{sample, sample}},
		{"with replacement", &apps.KHop{Fanouts: []int{25, 10}, Weighted: app.No, Replace: true}, long, enough + 1, "", []plan.Order{sample, sample}},
		{"few equal transits", &apps.KHop{Fanouts: []int{5, 50}, Weighted: app.No, Replace: true}, long, enough + 1, "", []plan.Order{sample, transit}},
		{"few picks per transit", &apps.KHop{Fanouts: []int{25, 3, 25}, Weighted: app.No}, long, 1 << 40, "", []plan.Order{sample, sample, transit}},
		{"forced", &apps.KHop{Fanouts: []int{25, 10}, Weighted: app.No}, long, 1, transit, []plan.Order{transit, transit}},
		{"forced to the other", &apps.KHop{Fanouts: []int{25, 10}, Weighted: app.No}, long, enough + 1, sample, []plan.Order{sample, sample}},
		{"walks side by side", &apps.KHop{Fanouts: []int{1, 1}, Weighted: app.No}, long, enough, transit, nil},
		{"another app", &apps.DeepWalk{Length: 5, Weighted: app.No}, long, enough, transit, nil},
	} {
		p, err := plan.New(c.a, c.g, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Orders(c.samples, 1, c.wanted); !slices.Equal(got, c.orders) {
			t.Errorf("%s: %v, expected %v", c.what, got, c.orders)
		}
	}
}
