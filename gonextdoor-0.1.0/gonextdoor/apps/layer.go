package apps

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
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
	StepSize int      `json:"step_size"` // edges per step, 1 to 2^28 - 1
	MaxSize  int      `json:"max_size"`  // vertices after the roots, 1 to 2^28 - 1
	Unique   bool     `json:"unique"`    // whether the vertices of a step are distinct
	Bias     app.Bias `json:"bias"`      // Uniform, ByWeight or ByDegree

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
	if size < 1 || size >= app.MaxWidth {
		return refuse.Value("%s = %d: expected at least 1 and less than 2^28", name, size)
	}
	return nil
}

// Weighs is false: choices need no alias tables.
func (a *Layer) Weighs(*graph.Graph) bool { return false }

// Tables returns the table of the unit of weights.
func (a *Layer) Tables(g *graph.Graph) []*index.Table {
	if a.Bias != app.ByWeight || !g.Weighted() {
		return nil
	}
	return []*index.Table{index.MaxScaleTable}
}

// Bind reads the unit of weights. It returns an error if Bias is ByWeight and g has no weights.
func (a *Layer) Bind(g *graph.Graph) (app.App, error) {
	bound := *a
	if a.Bias != app.ByWeight {
		return &bound, nil
	}
	if err := a.Bias.Check(g); err != nil {
		return nil, err
	}
	var err error
	bound.top, err = index.MaxScale(g, graph.Options{})
	return &bound, err
}

// bias returns the bias of the app's choices.
func (a *Layer) bias() app.CollectiveBias { return app.NewCollectiveBias(a.Bias, a.top) }

// Program returns the app as a step program. The fan-out is a hook, since the last step is cut to MaxSize.
func (a *Layer) Program() *program.StepProgram {
	p := &program.StepProgram{Scope: program.Collective, Weighted: app.No, Fanout: func(c *program.Ctx) int { return min(a.StepSize, a.MaxSize-c.Size()) }}
	if a.Unique {
		p.Unique = program.PerStep
	}
	if a.Bias != app.Uniform {
		bias := a.bias()
		p.EdgeBias = func(c *program.Ctx, edge uint64, dst uint32) uint64 { return bias.Of(c.Graph, c.Transit, edge, dst) }
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
func (a *Layer) Expect(roots int, on app.Size) app.Expected {
	e := app.Expected{Vertices: float64(a.MaxSize), Operations: 2 * float64(a.MaxSize)}
	if a.Bias != app.Uniform {
		e.Operations += 0.5 * (float64(roots)*on.Degree() + float64(max(0, a.MaxSize-a.StepSize))*on.Neighbor())
	}
	if !a.Unique {
		e.Operations /= 2
	}
	return e
}

// Sample runs the step program.
func (a *Layer) Sample(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
	return a.Program().Sample(g, key, roots, row)
}

// CollectiveSteps returns the parameters.
func (a *Layer) CollectiveSteps() app.CollectiveSteps {
	return app.CollectiveSteps{StepSize: a.StepSize, MaxSize: a.MaxSize, Unique: a.Unique, Bias: a.bias()}
}

// uniqueTransits is the number of transits whose rows a group of threads searches for the vertex of a choice, to exclude it,
// in the time of the choice.
const uniqueTransits = 1000

// Sequence counts the picks of biased choices: each depends on those before.
func (a *Layer) Sequence(int, app.Size) (app.Sequence, bool) {
	s := app.Sequence{Steps: float64((a.MaxSize + a.StepSize - 1) / a.StepSize)}
	if a.Bias != app.Uniform {
		s.Kind, s.Choices = "biased", float64(a.MaxSize)
		if a.Unique {
			s.Choices *= 1 + float64(min(a.StepSize, a.MaxSize))/uniqueTransits
		}
	}
	return s, true
}

// Draft is Bind without tables; see app.Draft.
func (a *Layer) Draft(g *graph.Graph) (app.App, error) { return a, a.Bias.Check(g) }

var _ app.CollectiveStepper = (*Layer)(nil)
