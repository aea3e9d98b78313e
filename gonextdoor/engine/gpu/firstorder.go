package gpu

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// tableWays are the kernels of an image that choose among rows found by the vertex. Their names follow from what they do:
// see package kernels/entry.
func tableWays(image string, weighted app.Weighted) []way {
	name, layout := "_uniform", resident.Rows
	if weighted == app.Yes {
		name, layout = "_alias", resident.Alias
	}
	return []way{
		{resident.Packed | layout, kernel{image: image, name: image + name + "_packed"}},
		{resident.Rows | layout, kernel{image: image, name: image + name + "_plain"}},
	}
}

// moveWays are those, and the kernels that find the next row beside the edge: the first choice where the table of rows is
// too large for the card's second-level cache, and for weighted walks, whose record is then one sector as the slot is.
func moveWays(image string, weighted app.Weighted, g *graph.Graph) []way {
	name, layout := "_uniform", resident.Wide
	if weighted == app.Yes {
		name, layout = "_alias", resident.WideAlias
	}
	wide := way{layout, kernel{image: image, name: image + name + "_wide"}}
	slim := way{resident.Slim | resident.Packed, kernel{image: image, name: image + name + "_slim"}}
	ways := tableWays(image, weighted)
	switch {
	case weighted == app.Yes || g.NumVertices() >= plan.WideVertices:
		return append([]way{wide}, ways...)
	case g.NumEdges() >= plan.WideEdges:
		return append([]way{wide, slim}, ways...)
	case g.NumEdges() >= plan.SlimEdges:
		return append([]way{slim}, ways...)
	default:
		return append(ways[:1:1], wide, slim, ways[1])
	}
}

func walkWork(p plan.Plan) (work, error) {
	a, ok := p.App.(*app.DeepWalk)
	if !ok {
		return work{}, refusal(p, "no kernel of it is there")
	}
	return work{ways: moveWays("walk", a.Weighted, p.Graph)}, nil
}

func leapingWork(p plan.Plan) (work, error) {
	leap, home := new(app.Teleport), uint64(0)
	switch a := p.App.(type) {
	case *app.Jump:
		leap = &a.Teleport
	case *app.Restart:
		leap, home = &a.Teleport, 1
	default:
		return work{}, refusal(p, "no kernel of it is there")
	}
	return work{ways: tableWays("teleport", leap.Weighted), calls: filled(func(_ *run, a *kernels.Walk) error {
		a.Threshold, a.Home = leap.Threshold(), home
		return nil
	})}, nil
}

func metropolisWork(plan.Plan) (work, error) {
	return work{ways: []way{
		{resident.Packed, kernel{image: "metropolis", name: "metropolis_packed"}},
		{resident.Rows, kernel{image: "metropolis", name: "metropolis_plain"}},
	}}, nil
}

// treeWork runs trees in which every vertex has one child: walkers side by side.
func treeWork(p plan.Plan) (work, error) {
	a, ok := p.App.(*app.KHop)
	if !ok {
		return work{}, refusal(p, "it grows trees")
	}
	for _, f := range a.Fanouts {
		if f != 1 {
			return work{}, refusal(p, "it grows trees")
		}
	}
	return work{ways: tableWays("multiroot", a.Weighted), side: true}, nil
}

func stoppedWork(p plan.Plan) (work, error) {
	a := p.App.(*app.PPR)
	return work{
		ways: moveWays("stopped", a.Weighted, p.Graph), mean: meanLength(a), most: a.MaxLength, woven: true,
		calls: filled(func(r *run, w *kernels.Walk) error {
			r.kernel.block = plan.StoppedBlock
			w.Threshold, w.Most = a.Threshold(), uint64(a.MaxLength)
			return nil
		}),
	}, nil
}
