package plan

import (
	"slices"

	"gonextdoor/gonextdoor/app"
)

// Order is the order in which a GPU makes the picks of a step of a tree. For walks on a graph that is split over GPUs it says
// which GPU makes a step, see Batch.Exchanges. It never changes a result.
type Order string

// Orders of execution. The zero value lets the planner choose.
const (
	SampleOrder  Order = "sample"  // in the order of the samples
	TransitOrder Order = "transit" // in the order of the vertices that are expanded
)

// Orders returns the order of each step on a GPU, for a number of samples from roots of a width: the wanted one, or the one
// that is expected to be faster. It returns nil for apps other than trees, and for trees that are walks.
func (p Plan) Orders(samples, rootWidth int, wanted Order) []Order {
	tree, ok := p.App.(app.FanoutTree)
	if !ok || p.Driver != app.DriverTree || p.Layered {
		return nil
	}
	fanouts := tree.TreeFanouts()
	if !slices.ContainsFunc(fanouts, func(f int) bool { return f != 1 }) {
		return nil
	}
	orders := make([]Order, len(fanouts))
	transits := int64(samples) * int64(rootWidth)
	for i, f := range fanouts {
		switch long := !tree.Replaces() && f > TreePicks && f < int(p.Graph.MaxDegree()); {
		case long:
			orders[i] = SampleOrder // the only one for choices that do not fit the shared memory
		case wanted == "":
			orders[i] = p.orderOf(tree, i, min(transits, LaunchSteps/int64(f)))
		default:
			orders[i] = wanted
		}
		transits = min(transits, LaunchSteps) * int64(f)
	}
	return orders
}

// orderOf returns the faster order for a step of a tree. transits is the number of vertices that one launch expands.
//
// Sorting costs about as much as reading and writing the picks twice. It pays if the edges exceed the L2 cache, so that picks
// in sample order are accesses of device memory, and if the edges of a launch are read several times. The vertices of the
// first step are the roots, which are usually different, or in order.
func (p Plan) orderOf(tree app.FanoutTree, step int, transits int64) Order {
	fanouts := tree.TreeFanouts()
	fanout := fanouts[step]
	picks, edges := transits*int64(fanout), int64(p.Graph.NumEdges())
	weighted := tree.Weights() == app.Yes
	switch {
	case step == 0 || edges < TransitEdges || fanout < TransitFanout || picks < TransitPicks*edges:
		return SampleOrder
	case weighted && !tree.Replaces():
		return TransitOrder // the draws of a choice are long, and full warps make them
	case !weighted && tree.Replaces() && fanouts[step-1] >= TransitEqual:
		return SampleOrder // many transits of a sample are equal, and read their rows from the L1 cache
	case app.SizeOf(p.Graph).WithProfile().Profile.Neighbor >= TransitDegree:
		return TransitOrder
	default:
		return SampleOrder // the picks of a transit are in few sectors
	}
}
