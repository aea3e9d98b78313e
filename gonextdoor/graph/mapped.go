package graph

// Facts are what is known of a graph whose arrays lie elsewhere, before any of them is read.
type Facts struct {
	MaxDegree uint64
	HasSinks  bool
	Check     func() error // reads the arrays through, once, for Validate; nil: they are sound
	Close     func()       // gives the arrays back
}

// Adopt completes a graph whose arrays were made elsewhere, in a mapped file for example. One more element must be
// readable behind Indices, and be None.
func (g *Graph) Adopt(f Facts) *Graph {
	g.maxDegree, g.hasSinks, g.check = f.MaxDegree, f.HasSinks, f.Check
	g.OnClose(f.Close)
	return g
}

// OnClose has Close call f too.
func (g *Graph) OnClose(f func()) {
	if f != nil {
		g.closers = append(g.closers, f)
	}
}
