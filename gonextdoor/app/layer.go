package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// Layer grows all transits of a sample together: each step chooses StepSize edges of their combined neighbourhood, whose
// end points are the next transits, until the sample has MaxSize vertices behind its roots or nothing is left to choose
// (Gao, Wang & Ji, KDD'18; layer sampling of NextDoor, EuroSys'21, and C-SAW, SC'20).
type Layer struct {
	StepSize int  `json:"step_size"`
	MaxSize  int  `json:"max_size"`
	Unique   bool `json:"unique"` // a step has every vertex once
	Bias     Bias `json:"bias"`

	top int16 // index.MaxScale, after Bind by weight
}

// Name is "Layer".
func (a *Layer) Name() string { return "Layer" }

// Check refuses sizes below 1 or beyond 2^28.
func (a *Layer) Check() error {
	if err := checkSize("step_size", a.StepSize); err != nil {
		return err
	}
	return checkSize("max_size", a.MaxSize)
}

func checkSize(name string, size int) error {
	if size < 1 || size >= maxWidth {
		return refuse.Value("%s = %d: expected at least 1 and less than 2^28", name, size)
	}
	return nil
}

// Weighs is false: choices need no alias tables.
func (a *Layer) Weighs(*graph.Graph) bool { return false }

// Tables is the unit that weights are brought to.
func (a *Layer) Tables(g *graph.Graph) []*index.Table {
	if a.Bias != ByWeight || !g.Weighted() {
		return nil
	}
	return []*index.Table{index.MaxScaleTable}
}

// Bind refuses a bias by weights that the graph does not have.
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

// unitBits is by how many bits the unit of a collective choice is finer than that of the graph's steepest row.
const unitBits = 8

// EdgeBias gives the bias of an edge from v: the degree of its end point; or its weight, as an integer in one unit for all
// rows, 2^-40 of the graph's largest weight or finer, rounded down, no positive weight to 0.
func (a *Layer) EdgeBias(g *graph.Graph, v uint32, edge uint64, dst uint32) uint64 {
	switch a.Bias {
	case ByDegree:
		return g.Degree(dst)
	case ByWeight:
		bias := uint64(g.Biases[edge])
		return max(min(bias, 1), bias<<unitBits>>uint(int(a.top)-int(g.Scales[v])))
	}
	return 1
}

// Program gives the app as the one step.
func (a *Layer) Program() *StepProgram {
	grows := &StepProgram{Scope: Collective, Weighted: No, Fanout: func(c *Ctx) int { return min(a.StepSize, a.MaxSize-c.Size()) }}
	if a.Unique {
		grows.Unique = PerStep
	}
	if a.Bias != Uniform {
		grows.EdgeBias = func(c *Ctx, edge uint64, dst uint32) uint64 { return a.EdgeBias(c.Graph, c.Transit, edge, dst) }
	}
	return grows
}

// Selector is that of the StepProgram.
func (a *Layer) Selector() string { return a.Program().Selector() }

// Width is 0: samples differ in size.
func (a *Layer) Width(int) int { return 0 }

// Layered is true.
func (a *Layer) Layered(int) bool { return true }

// Records is false.
func (a *Layer) Records() bool { return false }

// Expect returns a whole sample; a bias is read of each edge of a step's transits.
func (a *Layer) Expect(roots int, on Size) Expected {
	e := Expected{float64(a.MaxSize), 2 * float64(a.MaxSize)}
	if a.Bias != Uniform {
		e.Operations += float64(roots)*on.Degree() + float64(max(0, a.MaxSize-a.StepSize))*on.Neighbor()
	}
	return e
}

// Sample is the StepProgram's.
func (a *Layer) Sample(g *graph.Graph, key rng.Key, roots []uint32, row Row) Row {
	return a.Program().Sample(g, key, roots, row)
}
