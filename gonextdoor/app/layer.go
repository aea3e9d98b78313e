package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// Layer is layer sampling (Gao, Wang & Ji, KDD'18; as in NextDoor, EuroSys'21, and C-SAW, SC'20). All transits of a sample
// choose together: each step takes StepSize of all their edges without replacement, edge e with probability proportional to
// its bias. The end points are the transits of the next step.
//
// A step with fewer candidates than StepSize takes all that have a bias. The sample ends when a step takes nothing, or when
// it has MaxSize vertices after its roots; the last step is cut to that size.
type Layer struct {
	StepSize int  `json:"step_size"` // edges per step, 1 to 2^28 - 1
	MaxSize  int  `json:"max_size"`  // vertices after the roots, 1 to 2^28 - 1
	Unique   bool `json:"unique"`    // whether the vertices of a step are distinct
	Bias     Bias `json:"bias"`      // Uniform, ByWeight or ByDegree

	top int16 // index.MaxScale, after Bind by weight
}

// Name is "Layer".
func (a *Layer) Name() string { return "Layer" }

// Check returns an error if a size is out of range.
func (a *Layer) Check() error {
	if err := checkSize("step_size", a.StepSize); err != nil {
		return err
	}
	return checkSize("max_size", a.MaxSize)
}

// checkSize returns an error if a size is not from 1 to 2^28 - 1.
func checkSize(name string, size int) error {
	if size < 1 || size >= maxWidth {
		return refuse.Value("%s = %d: expected at least 1 and less than 2^28", name, size)
	}
	return nil
}

// Weighs is false: choices need no alias tables.
func (a *Layer) Weighs(*graph.Graph) bool { return false }

// Tables returns the table of the unit of weights.
func (a *Layer) Tables(g *graph.Graph) []*index.Table {
	if a.Bias != ByWeight || !g.Weighted() {
		return nil
	}
	return []*index.Table{index.MaxScaleTable}
}

// Bind reads the unit of weights. It returns an error if Bias is ByWeight and g has no weights.
func (a *Layer) Bind(g *graph.Graph) (App, error) {
	bound := *a
	if a.Bias != ByWeight {
		return &bound, nil
	}
	if err := a.Bias.check(g); err != nil {
		return nil, err
	}
	var err error
	bound.top, err = index.MaxScale(g, graph.Options{})
	return &bound, err
}

// bias returns the bias of the app's choices.
func (a *Layer) bias() CollectiveBias { return CollectiveBias{a.Bias, a.top} }

// Program returns the app as a step program. The fan-out is a hook, since the last step is cut to MaxSize.
func (a *Layer) Program() *StepProgram {
	p := &StepProgram{Scope: Collective, Weighted: No, Fanout: func(c *Ctx) int { return min(a.StepSize, a.MaxSize-c.Size()) }}
	if a.Unique {
		p.Unique = PerStep
	}
	if a.Bias != Uniform {
		bias := a.bias()
		p.EdgeBias = func(c *Ctx, edge uint64, dst uint32) uint64 { return bias.Of(c.Graph, c.Transit, edge, dst) }
	}
	return p
}

// Selector is that of the step program.
func (a *Layer) Selector() string { return a.Program().Selector() }

// Width is 0: samples differ in size.
func (a *Layer) Width(int) int { return 0 }

// Layered is true.
func (a *Layer) Layered(int) bool { return true }

// Records is false.
func (a *Layer) Records() bool { return false }

// Expect returns MaxSize vertices. If choices are biased, the bias of every candidate is read, at a quarter of the
// cost of a choice. Without unique vertices all takes half as long.
func (a *Layer) Expect(roots int, on Size) Expected {
	e := Expected{float64(a.MaxSize), 2 * float64(a.MaxSize)}
	if a.Bias != Uniform {
		e.Operations += 0.5 * (float64(roots)*on.Degree() + float64(max(0, a.MaxSize-a.StepSize))*on.Neighbor())
	}
	if !a.Unique {
		e.Operations /= 2
	}
	return e
}

// Sample runs the step program.
func (a *Layer) Sample(g *graph.Graph, key rng.Key, roots []uint32, row Row) Row {
	return a.Program().Sample(g, key, roots, row)
}
