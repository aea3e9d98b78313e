package layered

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// collectiveBiases are the numbers of the biases of collective steps.
var collectiveBiases = map[app.Bias]uint64{
	app.Uniform: kernels.CollectiveUniform, app.ByWeight: kernels.CollectiveWeight, app.ByDegree: kernels.CollectiveDegree,
}

// collectiveSpec makes samples of an app.CollectiveStepper. The units of weights are uploaded at every call.
func collectiveSpec(p plan.Plan) layeredSpec {
	steps := p.App.(app.CollectiveStepper).CollectiveSteps()
	on := app.SizeOf(p.Graph)
	s := layeredSpec{
		most: mostVertices(int64(steps.MaxSize)), draws: steps.Bias.By == app.Uniform && !steps.Unique, steps: true,
	}
	switch candidates := float64(min(steps.StepSize, steps.MaxSize)) * on.Neighbor(); {
	case steps.Bias.By != app.Uniform:
		s.leaves = launch.LeavesOf(candidates)
	case steps.Unique: // few choices need them
		s.leaves = min(launch.LeavesOf(candidates), kernels.WarpSize*kernels.WarpSize)
	}
	if steps.Bias.By == app.ByWeight {
		s.layout = resident.Biases
	}
	s.fill = func(r *launch.Run, to *kernels.Layered) error {
		to.StepSize, to.Most, to.Bias = uint64(steps.StepSize), uint64(steps.MaxSize), collectiveBiases[steps.Bias.By]
		if steps.Unique {
			to.Unique = 1
		}
		if steps.Bias.By != app.ByWeight {
			return nil
		}
		to.TopScale = uint64(int64(steps.Bias.Unit()))
		return launch.Put(&r.Scratch, &to.Scales, p.Graph.Scales)
	}
	return s
}
