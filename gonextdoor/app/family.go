package app

import "slices"

// Family is the kind of samples that an app makes.
type Family int

// The families, as docs/apps.md lists them.
const (
	FamilyWalk     Family = iota // walks: every step adds one vertex, or one per root
	FamilyTree                   // trees, and what spreads from the roots: every step has its own vertices
	FamilyLayer                  // layers: the vertices of a step are chosen for the whole sample
	FamilySubgraph               // sets of vertices with the edges between them
)

// PerStep reports whether the samples of the family are read step by step: NextDoor's getFinalSamples then returns one array
// per step.
func (f Family) PerStep() bool { return f == FamilyTree || f == FamilyLayer }

// FamilyOf returns the family of an app: that of its Spec, unless the app's parameters decide it.
func FamilyOf(a App) Family {
	if c, ok := a.(*Custom); ok {
		return c.family()
	}
	return Specs[a.Name()].Family
}

// family returns the family that the data and hooks of the step make.
func (a *Custom) family() Family {
	p := a.with(nil).StepProgram
	switch {
	case p.Record == Induced:
		return FamilySubgraph
	case p.walks(1):
		return FamilyWalk
	}
	return FamilyTree
}

// Steps is a number of successive steps whose vertices have the same shape.
type Steps struct {
	Shape []int `json:"shape"` // of the vertices of one step in one sample; empty: one vertex
	Count int   `json:"count"`
}

// MaxShape is the largest number of fan-outs in a shape. Deeper steps of a tree have one dimension for all fan-outs: arrays
// of numpy had at most 32 dimensions until version 2, and two are samples and roots.
const MaxShape = 30

// StepsOf returns the shapes of the steps in a sample of a number of roots, false if samples differ in length.
func StepsOf(a App, roots int) (steps []Steps, ok bool) {
	width := ShapeOf(a, roots).Width
	if width == 0 {
		return nil, false
	}
	switch a := a.(type) {
	case *Custom:
		return a.with(nil).steps(roots), true
	case interface{ TreeFanouts() []int }:
		return treeSteps(a.TreeFanouts(), roots), true
	}
	length := a.Width(1) - 1
	if length == 0 {
		return []Steps{}, true
	}
	return []Steps{{perRoot((width - roots) / length), length}}, true
}

// steps returns the shapes of the steps of a program whose samples have one width.
func (a *StepProgram) steps(roots int) []Steps {
	if a.VertexBias != nil {
		return []Steps{{[]int{}, a.Steps}}
	}
	fanouts := make([]int, a.Steps)
	for step := range fanouts {
		fanouts[step] = a.FanoutAt(step)
	}
	if a.Scope == Individual {
		if !slices.ContainsFunc(fanouts, func(f int) bool { return f != 1 }) {
			return []Steps{{perRoot(roots), a.Steps}}
		}
		return treeSteps(fanouts, roots)
	}
	steps := make([]Steps, 0, len(a.Fanouts)+1)
	for _, f := range fanouts {
		if last := len(steps) - 1; last >= 0 && steps[last].Shape[0] == f {
			steps[last].Count++
		} else {
			steps = append(steps, Steps{[]int{f}, 1})
		}
	}
	return steps
}

// treeSteps returns the shapes of the steps of trees: roots, then the fan-outs up to the step.
func treeSteps(fanouts []int, roots int) []Steps {
	steps, level := make([]Steps, len(fanouts)), 1
	for i, f := range fanouts {
		level *= f
		shape := append(perRoot(roots), fanouts[:min(i+1, MaxShape)]...)
		if i >= MaxShape {
			shape = append(perRoot(roots), level)
		}
		steps[i] = Steps{shape, 1}
	}
	return steps
}

// perRoot returns the shape of one vertex per root.
func perRoot(roots int) []int {
	if roots == 1 {
		return []int{}
	}
	return []int{roots}
}
