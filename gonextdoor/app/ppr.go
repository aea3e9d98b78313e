package app

import (
	"math"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// PPR walks until it stops, with probability Stop after each step (Page et al. 1999; Fogaras et al. 2005). A walk also ends
// at a sink, and after MaxLength steps where that is not 0. It always takes its first step: its visits are not personalised
// PageRank, which PageRank estimates.
type PPR struct {
	Stop      float64  `json:"stop"`
	MaxLength int      `json:"max_length"`
	Weighted  Weighted `json:"weighted"`
}

// Name is "PPR".
func (a *PPR) Name() string { return "PPR" }

// Check refuses a stop probability outside (0, 1] and a negative length.
func (a *PPR) Check() error {
	if !(a.Stop > 0 && a.Stop <= 1) {
		return refuse.Value("stop = %v: expected a probability above 0 and at most 1", a.Stop)
	}
	return checkLength("max_length", a.MaxLength, 0)
}

// Weighs is true where the choices follow g's weights.
func (a *PPR) Weighs(g *graph.Graph) bool { return a.Weighted.follows(g) }

// Bind decides whether the walk is weighted.
func (a *PPR) Bind(g *graph.Graph) (App, error) {
	w, err := a.Weighted.bind(g)
	return &PPR{a.Stop, a.MaxLength, w}, err
}

// Selector is Alias, Uniform or, of computed biases, that of growth.
func (a *PPR) Selector() string {
	if a.Weighted == Computed {
		return a.program().Selector()
	}
	return staticSelector(a.Weighted)
}

// Computes says whether biases are computed; the walk is a StepProgram then.
func (a *PPR) Computes() bool { return a.Weighted == Computed }

// growth is the walk by computed biases. Its fractions are used up by the tries, so a word of its own says whether it
// stopped behind the step before.
func (a *PPR) program() *StepProgram {
	threshold := a.Threshold()
	return &StepProgram{EdgeBias: weight, Bound: aboveWeights, Stop: func(c *Ctx) bool {
		return c.Step > 0 && (c.Step == a.MaxLength || c.Chance(0) < threshold)
	}}
}

// Width is 0: samples differ in length.
func (a *PPR) Width(int) int { return 0 }

// Expect returns the mean length of a walk, which also ends at a sink.
func (a *PPR) Expect(_ int, on Size) Expected { return same(on.Steps(a.longest(), a.Stop)) }

// longest returns the largest number of steps of a walk, infinite if there is no limit.
func (a *PPR) longest() float64 {
	if a.MaxLength == 0 {
		return math.Inf(1)
	}
	return float64(a.MaxLength)
}

// MeanSteps returns the mean number of steps of a walk on a graph without sinks.
func (a *PPR) MeanSteps() float64 {
	mean := 1 / a.Stop
	if a.MaxLength > 0 {
		mean = min(mean, float64(a.MaxLength))
	}
	return mean
}

// Threshold is Stop in units of 2^-32: a walk stops when its fraction lies below. No positive Stop becomes 0.
func (a *PPR) Threshold() uint64 { return thresholdOf(a.Stop) }

// thresholdOf gives a probability in units of 2^-32. None that is positive becomes 0.
func thresholdOf(probability float64) uint64 {
	if probability == 0 {
		return 0
	}
	return max(1, uint64(math.RoundToEven(probability*(1<<32))))
}

// Sample takes step s with the word at Slot(s, 0); its first unused fraction decides whether the walk stops.
func (a *PPR) Sample(g *graph.Graph, key rng.Key, roots []uint32, row Row) Row {
	if a.Weighted == Computed {
		return a.program().Sample(g, key, roots, row)
	}
	v, e := roots[0], graph.NoEdge
	row.Vertices = append(row.Vertices, v)
	for s := 0; a.MaxLength == 0 || s < a.MaxLength; s++ {
		word := key.Word(rng.Slot(uint64(s), 0))
		fraction := rng.Second(word)
		if a.Weighted == No {
			_, fraction = rng.Below(word, g.Degree(v))
		}
		if v, e = choose(g, v, word, a.Weighted); v == graph.None {
			break
		}
		row = row.Add(v, e)
		if uint64(fraction) < a.Threshold() {
			break
		}
	}
	return row
}
