package apptest

import (
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph/graphtest"
)

// customChecks returns the checks of users' apps. Checks of StepProgram are in growth_checks.go.
func customChecks() []Check {
	g := graphtest.Thicket(true)
	biased := &program.Custom{StepProgram: program.StepProgram{
		Steps:    3,
		EdgeBias: func(c *program.Ctx, edge uint64, _ uint32) uint64 { return uint64(c.Graph.Biases[edge] >> 8) },
	}}
	return []Check{of("biased by the weights' upper bits", biased, g, []uint32{0}, func(s *script) {
		v := uint32(0)
		for range 3 {
			weights := weightsOf(g, v, true)
			for i, w := range weights {
				weights[i] = float64(uint32(w) >> 8)
			}
			v = follow(s, g, v, weights)
		}
	})}
}
