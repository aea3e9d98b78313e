package gpu

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// tableVariants returns the kernels of an image that look up the row of the current vertex in a table. Package
// kernels/entry generates their names.
func tableVariants(image string, weighted app.Weighted) []variant {
	name, layout := "_uniform", resident.Rows
	if weighted == app.Yes {
		name, layout = "_alias", resident.Alias
	}
	return []variant{
		{resident.Packed | layout, kernel{image: image, name: image + name + "_packed"}},
		{resident.Rows | layout, kernel{image: image, name: image + name + "_plain"}},
	}
}

// moveVariants adds kernels that read the next row from the record of the edge. They save a lookup, but the records are
// larger. They come first if the table of rows exceeds the L2 cache, and for weighted walks, whose record is one sector.
func moveVariants(image string, weighted app.Weighted, g *graph.Graph) []variant {
	name, layout := "_uniform", resident.Wide
	if weighted == app.Yes {
		name, layout = "_alias", resident.WideAlias
	}
	wide := variant{layout, kernel{image: image, name: image + name + "_wide"}}
	slim := variant{resident.Slim | resident.Packed, kernel{image: image, name: image + name + "_slim"}}
	variants := tableVariants(image, weighted)
	switch {
	case weighted == app.Yes || g.NumVertices() >= plan.WideVertices:
		return append([]variant{wide}, variants...)
	case g.NumEdges() >= plan.WideEdges:
		return append([]variant{wide, slim}, variants...)
	case g.NumEdges() >= plan.SlimEdges:
		return append([]variant{slim}, variants...)
	default:
		return append(variants[:1:1], wide, slim, variants[1])
	}
}

// walkSpec runs first-order walks of a fixed length.
func walkSpec(p plan.Plan) (launchSpec, error) {
	a, ok := p.App.(app.StaticWeights)
	if !ok {
		return launchSpec{}, noKernel(p)
	}
	return launchSpec{variants: moveVariants("walk", a.Weights(), p.Graph), exchange: &exchangeSpec{}, parts: partSpecOf("walk", a)}, nil
}

// teleportSpec runs walks that jump with a probability, to the root or to a random vertex.
func teleportSpec(p plan.Plan) (launchSpec, error) {
	teleport, ok := p.App.(app.Teleporter)
	if !ok {
		return launchSpec{}, noKernel(p)
	}
	home := uint64(0)
	if teleport.Home() {
		home = 1
	}
	return launchSpec{variants: tableVariants("teleport", teleport.Weights()), exchange: &exchangeSpec{}, parts: partSpecOf("teleport", teleport), calls: filled(func(_ *run, a *kernels.Walk) error {
		a.Threshold, a.Home = teleport.Threshold(), home
		return nil
	})}, nil
}

// metropolisSpec runs Metropolis-Hastings walks.
func metropolisSpec(plan.Plan) (launchSpec, error) {
	return launchSpec{variants: []variant{
		{resident.Packed, kernel{image: "metropolis", name: "metropolis_packed"}},
		{resident.Rows, kernel{image: "metropolis", name: "metropolis_plain"}},
	}, exchange: &exchangeSpec{}, parts: &partSpec{kernel: "metropolis", layout: resident.Rows, words: 2, degrees: true}}, nil
}

// stoppedSpec runs walks that stop with a probability after each step.
func stoppedSpec(p plan.Plan) (launchSpec, error) {
	a := p.App.(app.Stopper)
	return launchSpec{
		variants: moveVariants("stopped", a.Weights(), p.Graph), meanSteps: a.MeanSteps(), maxSteps: a.MostSteps(), interleaved: true,
		parts: partSpecOf("stopped", a),
		calls: filled(func(r *run, w *kernels.Walk) error {
			r.kernel.block = plan.StoppedBlock
			w.Threshold, w.Most = a.Threshold(), uint64(a.MostSteps())
			return nil
		}),
	}, nil
}
