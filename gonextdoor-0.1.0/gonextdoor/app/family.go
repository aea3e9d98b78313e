package app

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
	case interface{ StepShapes(roots int) []Steps }:
		return a.StepShapes(roots), true
	case interface{ TreeFanouts() []int }:
		return TreeSteps(a.TreeFanouts(), roots), true
	}
	length := a.Width(1) - 1
	if length == 0 {
		return []Steps{}, true
	}
	return []Steps{{PerRoot((width - roots) / length), length}}, true
}

// TreeSteps returns the shapes of the steps of trees: roots, then the fan-outs up to the step.
func TreeSteps(fanouts []int, roots int) []Steps {
	steps, level := make([]Steps, len(fanouts)), 1
	for i, f := range fanouts {
		level *= f
		shape := append(PerRoot(roots), fanouts[:min(i+1, MaxShape)]...)
		if i >= MaxShape {
			shape = append(PerRoot(roots), level)
		}
		steps[i] = Steps{shape, 1}
	}
	return steps
}

// PerRoot returns the shape of one vertex per root.
func PerRoot(roots int) []int {
	if roots == 1 {
		return []int{}
	}
	return []int{roots}
}
