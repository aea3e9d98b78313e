package gpu

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// collectiveBiases are the numbers of the biases of collective steps: CollectiveBy of kernels/app/collectivesteps.cuh.
var collectiveBiases = map[app.Bias]uint64{app.Uniform: 0, app.ByWeight: 1, app.ByDegree: 2}

// collectiveSpec makes samples of an app.CollectiveStepper. The units of weights are uploaded at every call.
func collectiveSpec(p plan.Plan) layeredSpec {
	steps := p.App.(app.CollectiveStepper).CollectiveSteps()
	on := app.SizeOf(p.Graph)
	s := layeredSpec{
		most: mostVertices(int64(steps.MaxSize)), draws: steps.Bias.By == app.Uniform && !steps.Unique, steps: true,
	}
	switch candidates := float64(min(steps.StepSize, steps.MaxSize)) * on.Neighbor(); {
	case steps.Bias.By != app.Uniform:
		s.leaves = leavesOf(candidates)
	case steps.Unique: // few choices need them
		s.leaves = min(leavesOf(candidates), warp*warp)
	}
	if steps.Bias.By == app.ByWeight {
		s.layout = resident.Biases
	}
	s.fill = func(r *run, to *kernels.Layered) error {
		to.StepSize, to.Most, to.Bias = uint64(steps.StepSize), uint64(steps.MaxSize), collectiveBiases[steps.Bias.By]
		if steps.Unique {
			to.Unique = 1
		}
		if steps.Bias.By != app.ByWeight {
			return nil
		}
		to.TopScale = uint64(int64(steps.Bias.Unit()))
		return put(&r.scratch, &to.Scales, p.Graph.Scales)
	}
	return s
}

// Sizes of kernels/selector/leafsums.cuh.
const (
	leafSize   = warp // candidates of a leaf, at least
	mostLeaves = warp * warp * warp
)

// leavesOf returns the number of leaves for the sums of that many biases. It may be infinite.
func leavesOf(candidates float64) int64 {
	return int64(max(warp, min(candidates/leafSize, mostLeaves)))
}

// leafSumWords returns the length of the memory for that many leaves, as leaf_sum_words does.
func leafSumWords(leaves int64) int64 {
	if leaves == 0 {
		return 0
	}
	return 2 * (leaves + (leaves+warp-1)/warp + warp)
}

// leaves returns the number of leaves of a workspace.
func (l *layeredRun) leaves() int64 {
	if t := l.engine.Tuning.LayeredCapacity; t > 0 {
		return min(l.spec.leaves, warp*int64(t))
	}
	return l.spec.leaves
}
