package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// Teleport is a walk of Length steps of which each is, with a probability, no step along an edge but a leap to another vertex;
// and always from a sink.
type Teleport struct {
	Length      int      `json:"length"`
	Probability float64  `json:"probability"`
	Weighted    Weighted `json:"weighted"`
}

// Check refuses what is no probability, a length below 0, and computed biases.
func (a *Teleport) Check() error {
	if err := checkProbability("probability", a.Probability); err != nil {
		return err
	}
	if err := a.Weighted.stored(); err != nil {
		return err
	}
	return checkLength("length", a.Length, 0)
}

// Weighs is true where the choices follow g's weights.
func (a *Teleport) Weighs(g *graph.Graph) bool { return a.Weighted.follows(g) }

func (a *Teleport) bind(g *graph.Graph) (Teleport, error) {
	w, err := a.Weighted.bind(g)
	return Teleport{a.Length, a.Probability, w}, err
}

// Selector is Alias or Uniform.
func (a *Teleport) Selector() string { return staticSelector(a.Weighted) }

// Width is Length+1.
func (a *Teleport) Width(roots int) int { return roots + a.Length }

// Threshold is Probability in units of 2^-32.
func (a *Teleport) Threshold() uint64 { return thresholdOf(a.Probability) }

// sample takes step s with the word at Slot(s, 0); its first unused fraction decides whether the walk leaps. to gives the
// vertex that a step leaps to.
func (a *Teleport) sample(g *graph.Graph, key rng.Key, root uint32, row Row, to func(s uint64) uint32) Row {
	v := root
	row.Vertices = append(row.Vertices, v)
	for s := range uint64(a.Length) {
		word := key.Word(rng.Slot(s, 0))
		fraction := rng.Second(word)
		if a.Weighted == No {
			_, fraction = rng.Below(word, g.Degree(v))
		}
		next, e := choose(g, v, word, a.Weighted)
		if next == graph.None || uint64(fraction) < a.Threshold() {
			next, e = to(s), graph.NoEdge
		}
		row = row.Add(next, e)
		v = next
	}
	return row
}

// checkProbability refuses what is not from 0 to 1.
func checkProbability(name string, value float64) error {
	if !(value >= 0 && value <= 1) {
		return refuse.Value("%s = %v: expected a probability from 0 to 1", name, value)
	}
	return nil
}

// Jump is a walk that leaps, with a probability and from sinks, to a vertex drawn from all of the graph, all alike (C-SAW,
// Pandey et al., SC'20; with weights of 0 and 1 the random surfer of PageRank, Page et al. 1999).
type Jump struct{ Teleport }

// Name is "Jump".
func (a *Jump) Name() string { return "Jump" }

// Bind decides whether the walk is weighted.
func (a *Jump) Bind(g *graph.Graph) (App, error) {
	bound, err := a.bind(g)
	return &Jump{bound}, err
}

// Sample jumps at step s by the word at Slot(s, 1).
func (a *Jump) Sample(g *graph.Graph, key rng.Key, roots []uint32, row Row) Row {
	return a.sample(g, key, roots[0], row, func(s uint64) uint32 {
		return JumpTo(g, key, s)
	})
}

// JumpTo gives the vertex that step s of a sample jumps to.
func JumpTo(g *graph.Graph, key rng.Key, s uint64) uint32 {
	v, _ := rng.Below(key.Word(rng.Slot(s, 1)), uint64(g.NumVertices()))
	return uint32(v)
}

// Restart is a walk that leaps back to its root, with a probability and from sinks (C-SAW, Pandey et al., SC'20; random
// walks with restart, Tong et al., ICDM'06).
type Restart struct{ Teleport }

// Name is "Restart".
func (a *Restart) Name() string { return "Restart" }

// Bind decides whether the walk is weighted.
func (a *Restart) Bind(g *graph.Graph) (App, error) {
	bound, err := a.bind(g)
	return &Restart{bound}, err
}

// Sample leaps to its root.
func (a *Restart) Sample(g *graph.Graph, key rng.Key, roots []uint32, row Row) Row {
	return a.sample(g, key, roots[0], row, func(uint64) uint32 { return roots[0] })
}
