package program

import (
	"slices"

	"gonextdoor/gonextdoor/app"
)

// Family returns the family that the data and hooks of the step make.
func (a *Custom) Family() app.Family {
	p := a.with(nil).StepProgram
	switch {
	case p.Record == Induced:
		return app.FamilySubgraph
	case p.Walks(1):
		return app.FamilyWalk
	}
	return app.FamilyTree
}

// StepShapes returns the shapes of the steps of a sample, if all samples have one width.
func (a *Custom) StepShapes(roots int) []app.Steps { return a.with(nil).StepProgram.shapes(roots) }

// shapes returns the shapes of the steps of a program whose samples have one width.
func (a *StepProgram) shapes(roots int) []app.Steps {
	if a.VertexBias != nil {
		return []app.Steps{{Shape: []int{}, Count: a.Steps}}
	}
	fanouts := make([]int, a.Steps)
	for step := range fanouts {
		fanouts[step] = a.FanoutAt(step)
	}
	if a.Scope == Individual {
		if !slices.ContainsFunc(fanouts, func(f int) bool { return f != 1 }) {
			return []app.Steps{{Shape: app.PerRoot(roots), Count: a.Steps}}
		}
		return app.TreeSteps(fanouts, roots)
	}
	steps := make([]app.Steps, 0, len(a.Fanouts)+1)
	for _, f := range fanouts {
		if last := len(steps) - 1; last >= 0 && steps[last].Shape[0] == f {
			steps[last].Count++
		} else {
			steps = append(steps, app.Steps{Shape: []int{f}, Count: 1})
		}
	}
	return steps
}
