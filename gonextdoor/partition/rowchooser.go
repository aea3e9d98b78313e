package partition

import (
	"sync"

	"gonextdoor/gonextdoor/engine/cpu/neighbor"
	"gonextdoor/gonextdoor/graph"
)

// rowKind selects rows of a part.
type rowKind int

// The kinds of rows.
const (
	ownedRows rowKind = iota
	hotRows
	rowKinds
)

// choosers choose edges from the rows of a part. Their tables are built when they are first needed.
type choosers struct {
	stored  [rowKinds]rowChooser // by the weights of the graph
	degrees [rowKinds]rowChooser // by the degrees of end points
}

// rowChooser chooses edges from the rows of one graph.
type rowChooser struct {
	mu      sync.Mutex
	sampler *neighbor.Sampler // nil before the first choice
	rows    *graph.Graph      // of the sampler
	view    bool              // rows are a view, which the chooser closes
}

// open makes the sampler at the first call, from rows whose end points are below ends. view, unless it is nil, makes the view of the
// rows from which the chooser chooses.
func (c *rowChooser) open(
	g *graph.Graph, ends int, view func(*graph.Graph, graph.Options) (*graph.Graph, error), opts graph.Options,
) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sampler != nil {
		return nil
	}
	if err := g.ValidateWith(opts); err != nil {
		return err
	}
	if view != nil {
		if g, err = view(g, opts); err != nil {
			return err
		}
	}
	if c.sampler, err = neighbor.NewPartSampler(g, ends); err != nil {
		if view != nil {
			g.Close()
		}
		return err
	}
	c.rows, c.view = g, view != nil
	return nil
}

// close frees what the choosers have.
func (c *choosers) close() {
	for _, kinds := range []*[rowKinds]rowChooser{&c.degrees, &c.stored} {
		for i := range kinds {
			if x := &kinds[i]; x.sampler != nil {
				x.sampler.Close()
				if x.sampler = nil; x.view {
					x.rows.Close()
				}
			}
		}
	}
}
