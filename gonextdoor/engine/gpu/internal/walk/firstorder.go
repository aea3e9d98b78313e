// Package walk has the drivers of walks: a thread, or a group of threads, makes the steps of a walker.
package walk

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/internal/parts"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// TableVariants returns the kernels of an image that look up the row of the current vertex in a table. Package
// kernels/entry generates their names.
func TableVariants(image string, weighted app.Weighted) []launch.Variant {
	name, layout := "_uniform", resident.Rows
	switch weighted {
	case app.Yes:
		name, layout = "_alias", resident.Alias
	case app.Computed:
		name, layout = "_search", resident.Biases|resident.Segments
	}
	return []launch.Variant{
		{Layout: resident.Packed | layout, Kernel: launch.Kernel{Name: image + name + "_packed"}},
		{Layout: resident.Rows | layout, Kernel: launch.Kernel{Name: image + name + "_plain"}},
	}
}

// moveVariants adds kernels that read the next row from the record of the edge. They save a lookup, but the records are
// larger. They come first if the table of rows exceeds the L2 cache, and for weighted walks, whose record is one sector.
func moveVariants(image string, weighted app.Weighted, g *graph.Graph) []launch.Variant {
	name, layout := "_uniform", resident.Wide
	if weighted == app.Yes {
		name, layout = "_alias", resident.WideAlias
	}
	wide := launch.Variant{Layout: layout, Kernel: launch.Kernel{Name: image + name + "_wide"}}
	slim := launch.Variant{Layout: resident.Slim | resident.Packed, Kernel: launch.Kernel{Name: image + name + "_slim"}}
	variants := TableVariants(image, weighted)
	switch {
	case weighted == app.Computed: // by the sums of the row
		return variants
	case weighted == app.Yes || g.NumVertices() >= plan.WideVertices:
		return append([]launch.Variant{wide}, variants...)
	case g.NumEdges() >= plan.WideEdges:
		return append([]launch.Variant{wide, slim}, variants...)
	case g.NumEdges() >= plan.SlimEdges:
		return append([]launch.Variant{slim}, variants...)
	default:
		return append(variants[:1:1], wide, slim, variants[1])
	}
}

// FirstOrder runs first-order walks of a fixed length.
func FirstOrder(p plan.Plan) (launch.Spec, error) {
	a, ok := p.App.(app.StaticWeights)
	if !ok {
		return launch.Spec{}, launch.NoKernel(p)
	}
	return launch.Spec{Variants: moveVariants("walk", a.Weights(), p.Graph), Exchange: &launch.Exchange{}, Beyond: parts.SpecOf("walk", a)}, nil
}

// Teleport runs walks that jump with a probability, to the root or to a random vertex.
func Teleport(p plan.Plan) (launch.Spec, error) {
	teleport, ok := p.App.(app.Teleporter)
	if !ok {
		return launch.Spec{}, launch.NoKernel(p)
	}
	home := uint64(0)
	if teleport.Home() {
		home = 1
	}
	return launch.Spec{Variants: TableVariants("teleport", teleport.Weights()), Exchange: &launch.Exchange{}, Beyond: parts.SpecOf("teleport", teleport), Calls: launch.Filled(func(_ *launch.Run, a *kernels.Walk) error {
		a.Threshold, a.Home = teleport.Threshold(), home
		return nil
	})}, nil
}

// Metropolis runs Metropolis-Hastings walks.
func Metropolis(plan.Plan) (launch.Spec, error) {
	return launch.Spec{Variants: []launch.Variant{
		{Layout: resident.Packed, Kernel: launch.Kernel{Name: "metropolis_packed"}},
		{Layout: resident.Rows, Kernel: launch.Kernel{Name: "metropolis_plain"}},
	}, Exchange: &launch.Exchange{}, Beyond: &parts.Spec{Kernel: "metropolis", Layout: resident.Rows, Words: 2, Degrees: true}}, nil
}

// Stopped runs walks that stop with a probability after each step.
func Stopped(p plan.Plan) (launch.Spec, error) {
	a := p.App.(app.Stopper)
	return launch.Spec{
		Variants: moveVariants("stopped", a.Weights(), p.Graph), MeanSteps: a.MeanSteps(), MaxSteps: a.MostSteps(), Interleaved: true,
		Beyond: parts.SpecOf("stopped", a),
		Calls: launch.Filled(func(r *launch.Run, w *kernels.Walk) error {
			r.Kernel.Block = plan.StoppedBlock
			w.Threshold, w.Most = a.Threshold(), uint64(a.MostSteps())
			return nil
		}),
	}, nil
}
