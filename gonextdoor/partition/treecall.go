package partition

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// TreeCall samples trees of a partitioned graph from one of its parts: KHop, MultiIndependent, Neighbor and ForestFire. The
// transits of a step go to the parts that own them, and edges are returned. The samples equal those of the app on the whole graph.
//
// The caller alternates Questions and Answers until Questions returns nil. The result of an app whose samples have one width is
// then in the matrix that was passed to NewTreeCall. Layers returns that of others.
type TreeCall struct {
	traffic Traffic

	home  *Part
	grow  grower
	round *round
	steps int // rounds so far
	done  bool

	degrees bool // choices are by the degrees of end points
}

// grower grows the samples of a call.
type grower interface {
	// ask returns the rows that choose next, in groups; none if all samples are complete.
	ask() []*group
	// take grows the samples by the edges of the groups.
	take(asked []inquiry) error
}

// NewTreeCall begins the samples of a batch. a has passed Check. out is the result if samples have one width (app.ShapeOf); its
// vertices, and edge ids if they are requested, belong to the caller.
func NewTreeCall(home *Part, a app.App, b plan.Batch, out output.Matrix, j *job.Job) (*TreeCall, error) {
	if err := refuseRoots(a, b.Roots.Width); err != nil {
		return nil, err
	}
	if b.Edges {
		if err := home.Graph().RefuseEdgeIDs("edges = True"); err != nil {
			return nil, err
		}
	}
	bound, degrees, err := bindTree(home, a, j)
	if err != nil {
		return nil, err
	}
	c := &TreeCall{home: home, degrees: degrees}
	switch x := bound.(type) {
	case *apps.ForestFire:
		c.grow = newFires(home, x, b)
	case app.FrontierTree:
		if x.FrontierLimit() > 0 {
			c.grow = newFrontiers(x, b)
			break
		}
		c.grow = newTrees(x, b, out)
	case app.FanoutTree:
		c.grow = newTrees(x, b, out)
	default:
		return nil, refuse.Value("app = %s: its samples are walks; expected an app whose samples are trees", a.Name())
	}
	return c, nil
}

// bindTree binds an app as it runs on the whole graph, and reports whether its choices are by the degrees of end points.
func bindTree(home *Part, a app.App, j *job.Job) (bound app.App, degrees bool, err error) {
	if v, ok := a.(app.Viewer); ok && v.ViewsDegrees() {
		c, err := home.chooser(ownedRows, true, j)
		if err != nil {
			return nil, false, err
		}
		bound, err = a.Bind(c.rows)
		return bound, true, err
	}
	if _, ok := a.(*apps.ForestFire); ok {
		if err := home.LoadDegrees(); err != nil {
			return nil, false, err
		}
	}
	g, err := app.View(a, home.rows, graph.Options{Job: j})
	if err != nil {
		return nil, false, err
	}
	bound, err = a.Bind(g)
	return bound, false, err
}

// Questions returns the buffer for each part, empty for parts that are not asked, and makes the choices of the home part. It
// returns nil when all samples are complete.
func (c *TreeCall) Questions(j *job.Job) ([][]uint32, error) {
	if c.round != nil {
		return nil, refuse.Value("step %d has not been answered", c.steps)
	}
	if c.done {
		return nil, nil
	}
	groups := c.grow.ask()
	if c.done = len(groups) == 0; c.done {
		return nil, nil
	}
	c.round = &round{home: c.home.alone}
	for _, g := range groups {
		g.degrees = c.degrees
		c.round.add(g)
	}
	c.traffic.countRows(c.steps, c.round)
	questions := c.round.questions()
	c.traffic.count(questions)
	return questions, c.round.chooseHere(1, j)
}

// Answers continues with the answer of each part. Parts that were not asked are ignored.
func (c *TreeCall) Answers(buffers [][]uint32, _ *job.Job) error {
	if c.round == nil {
		return refuse.Value("answers without questions")
	}
	if err := c.round.answers(buffers); err != nil {
		return err
	}
	c.traffic.count(buffers)
	asked := c.round.asked
	c.round = nil
	c.steps++
	return c.grow.take(asked)
}

// Layers returns the samples of an app whose samples have no fixed width, lent from offheap.Results. edges requests edge ids.
func (c *TreeCall) Layers(edges bool) (output.Layers, error) {
	l, ok := c.grow.(interface{ rows() []app.Row })
	if !ok || !c.done {
		return output.Layers{}, refuse.Value("the samples are not complete, or have one width")
	}
	return layersOf(l.rows(), edges)
}

// Exchanged returns what the call has exchanged so far.
func (c *TreeCall) Exchanged() Traffic { return c.traffic }

// Discard does nothing: the call holds no memory outside of Go's heap.
func (c *TreeCall) Discard() {}
