package gpu

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// secondOrderWork proposes, and asks for the edge to the vertex before where that decides: by the bitmap of edges, where
// there is room for one, before a row is searched.
func secondOrderWork(p plan.Plan) (work, error) {
	a := p.App.(*app.Node2Vec)
	order := a.SecondOrder()
	tables := tableWays("second", a.Weighted)
	var ways []way
	for _, asked := range []resident.Layout{resident.Bloom, 0} {
		for _, w := range tables {
			if a.Weighted == app.Yes {
				w.layout |= resident.Biases // for the scan of a row whose tries were all refused
			}
			w.layout |= asked
			ways = append(ways, w)
		}
	}
	if order.Near == order.Away {
		ways = ways[len(tables):]
	}
	return work{ways: ways, fill: func(_ *run, w *kernels.Walk) error {
		w.Back, w.Near, w.Away = order.Back, order.Near, order.Away
		return nil
	}}, nil
}
