package apps

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// Teleport has the parameters of walks with teleportation: each step jumps to another vertex with a probability, and always
// from a dead end (a vertex without an edge of positive weight). Otherwise it is a step of DeepWalk. So walks never end early.
type Teleport struct {
	Length      int          `json:"length"`      // steps, 0 to MaxLength
	Probability float64      `json:"probability"` // of a jump, 0 to 1
	Weighted    app.Weighted `json:"weighted"`    // not Computed
}

// Check returns an error if Length or Probability is out of range, or Weighted is Computed.
func (a *Teleport) Check() error {
	if err := checkProbability("probability", a.Probability); err != nil {
		return err
	}
	if err := a.Weighted.CheckStored(); err != nil {
		return err
	}
	return app.CheckLength("length", a.Length, 0)
}

// Weighs reports whether the choices follow the weights of g.
func (a *Teleport) Weighs(g *graph.Graph) bool { return a.Weighted.Follows(g) }

// bind resolves Weighted for g.
func (a *Teleport) bind(g *graph.Graph) (Teleport, error) {
	w, err := a.Weighted.Bind(g)
	return Teleport{a.Length, a.Probability, w}, err
}

// Selector is Alias or Uniform.
func (a *Teleport) Selector() string { return app.StaticSelector(a.Weighted) }

// Width is Length+1.
func (a *Teleport) Width(roots int) int { return roots + a.Length }

// Threshold is Probability in units of 2^-32.
func (a *Teleport) Threshold() uint64 { return app.ThresholdOf(a.Probability) }

// sample takes step s with the word at Slot(s, 0). The first unused fraction of the word decides whether the walk jumps. to
// returns the target of a jump at a step. A jump has no edge.
func (a *Teleport) sample(g *graph.Graph, key rng.Key, root uint32, row app.Row, to func(s uint64) uint32) app.Row {
	v := root
	row.Vertices = append(row.Vertices, v)
	for s := range uint64(a.Length) {
		word := key.Word(rng.Slot(s, 0))
		fraction := rng.Second(word)
		if a.Weighted == app.No {
			_, fraction = rng.Below(word, g.Degree(v))
		}
		next, e := app.Choose(g, v, word, a.Weighted)
		if next == graph.None || uint64(fraction) < a.Threshold() {
			next, e = to(s), graph.NoEdge
		}
		row = row.Add(next, e)
		v = next
	}
	return row
}

// checkProbability returns an error if a value is not from 0 to 1.
func checkProbability(name string, value float64) error {
	if !(value >= 0 && value <= 1) {
		return refuse.Value("%s = %v: expected a probability from 0 to 1", name, value)
	}
	return nil
}

// Jump is a walk that jumps to a vertex of the whole graph, drawn uniformly at random (C-SAW, Pandey et al., SC'20; the
// random surfer of PageRank, Page et al. 1999). Teleport defines when it jumps.
type Jump struct{ Teleport }

// Name is "Jump".
func (a *Jump) Name() string { return "Jump" }

// Bind resolves Weighted for g. It returns an error if weights are required and g has none.
func (a *Jump) Bind(g *graph.Graph) (app.App, error) {
	bound, err := a.bind(g)
	return &Jump{bound}, err
}

// Sample takes the steps of Teleport. A jump at step s takes the word at Slot(s, 1).
func (a *Jump) Sample(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
	return a.sample(g, key, roots[0], row, func(s uint64) uint32 {
		return app.JumpTo(g.NumVertices(), key, s)
	})
}

// Restart is a walk that jumps to its root (random walk with restart, Tong et al., ICDM'06; C-SAW, Pandey et al., SC'20).
// Teleport defines when it jumps.
type Restart struct{ Teleport }

// Name is "Restart".
func (a *Restart) Name() string { return "Restart" }

// Bind resolves Weighted for g. It returns an error if weights are required and g has none.
func (a *Restart) Bind(g *graph.Graph) (app.App, error) {
	bound, err := a.bind(g)
	return &Restart{bound}, err
}

// Sample takes the steps of Teleport. A jump takes no word.
func (a *Restart) Sample(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
	return a.sample(g, key, roots[0], row, func(uint64) uint32 { return roots[0] })
}

// Weights is Weighted.
func (a *Teleport) Weights() app.Weighted { return a.Weighted }

// Home is false: it jumps to any vertex.
func (a *Jump) Home() bool { return false }

// Home is true.
func (a *Restart) Home() bool { return true }

// RowLocal is true if jumps lead to the same vertices: a new vertex changes the targets.
func (a *Jump) RowLocal(grown bool) bool { return !grown }

// RowLocal is true: jumps lead to the root.
func (a *Restart) RowLocal(bool) bool { return true }

var (
	_ app.Teleporter = (*Jump)(nil)
	_ app.Teleporter = (*Restart)(nil)
)
