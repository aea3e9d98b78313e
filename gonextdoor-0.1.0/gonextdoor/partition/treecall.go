package partition

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/cpu/neighbor"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
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
		if _, err := home.chooserOf(ownedRows, true).of(home, ownedRows, true, j); err != nil {
			return nil, false, err
		}
		bound, err = a.Bind(home.chooserOf(ownedRows, true).rows)
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

// layersOf copies samples, whose Edges are ids, to a result.
func layersOf(rows []app.Row, edges bool) (output.Layers, error) {
	n := output.Sizes{Rows: len(rows), Edges: edges}
	for _, row := range rows {
		n.Vertices += len(row.Vertices)
		n.Ends += len(row.Ends)
	}
	l, err := output.LendLayers(n)
	if err != nil {
		return l, err
	}
	vertices, ends := 0, 0
	for i, row := range rows {
		l.Offsets[i], l.EndsFrom[i] = int64(vertices), int64(ends)
		copy(l.Vertices[vertices:], row.Vertices)
		roots := int(row.Ends[0])
		for k := range row.Vertices {
			parent, id := int32(-1), int64(-1)
			if k >= roots {
				parent, id = row.Parents[k-roots], int64(row.Edges[k-roots])
			}
			l.Parents[vertices+k] = parent
			if edges {
				l.Edges[vertices+k] = id
			}
		}
		vertices, ends = vertices+len(row.Vertices), ends+copy(l.Ends[ends:], row.Ends)
	}
	l.Offsets[len(rows)], l.EndsFrom[len(rows)] = int64(vertices), int64(ends)
	return l, nil
}

// choiceOf returns how the transits of a tree choose.
func choiceOf(a app.FanoutTree) *app.NeighborSampling {
	return &app.NeighborSampling{Replace: a.Replaces(), Weighted: a.Weights()}
}

// trees grows trees of one width in a matrix.
type trees struct {
	app    app.FanoutTree
	choice *app.NeighborSampling
	batch  plan.Batch
	out    output.Matrix
	step   int
	first  int // of the level: its first slot
	level  int // and its number of slots
	places []int
}

// newTrees begins with the roots.
func newTrees(a app.FanoutTree, b plan.Batch, out output.Matrix) *trees {
	t := &trees{app: a, choice: choiceOf(a), batch: b, out: out, level: out.Roots}
	for i := range out.Vertices {
		out.Vertices[i] = graph.None
	}
	for i := range out.Edges {
		out.Edges[i] = -1
	}
	scratch := make([]uint32, 1)
	for i := range b.Roots.Samples() {
		copy(out.Vertices[i*out.Width:], b.Roots.Of(i, scratch))
	}
	return t
}

// ask returns the transits of the next step.
func (t *trees) ask() []*group {
	fanouts := t.app.TreeFanouts()
	if t.step == len(fanouts) {
		return nil
	}
	g := &group{RowChoice: neighbor.RowChoice{App: t.choice, Fanout: fanouts[t.step]}}
	t.places = t.places[:0]
	choices := rng.NewStream(t.batch.Seed, rng.Choices)
	for i := range t.batch.Roots.Samples() {
		stream, row := choices.Key(t.batch.First+uint64(i)).Stream(uint64(t.step)), i*t.out.Width
		for slot := range t.level {
			if v := t.out.Vertices[row+t.first+slot]; v != graph.None {
				g.vertices, g.Keys = append(g.vertices, v), append(g.Keys, stream.Key(uint64(slot)))
				t.places = append(t.places, row+t.first+t.level+slot*g.Fanout)
			}
		}
	}
	return []*group{g}
}

// take writes the next level.
func (t *trees) take(asked []inquiry) error {
	asked[0].eachRow(func(i int, ends []uint32, ids []uint64) {
		place := t.places[i]
		copy(t.out.Vertices[place:], ends)
		if t.out.Edges == nil {
			return
		}
		row, slot := place/t.out.Width, place%t.out.Width
		for k, id := range ids {
			t.out.Edges[row*(t.out.Width-t.out.Roots)+slot-t.out.Roots+k] = int64(id)
		}
	})
	t.first, t.level = t.first+t.level, t.level*t.app.TreeFanouts()[t.step]
	t.step++
	return nil
}

// Exchanged returns what the call has exchanged so far.
func (c *TreeCall) Exchanged() Traffic { return c.traffic }

// Discard does nothing: the call holds no memory outside of Go's heap.
func (c *TreeCall) Discard() {}
