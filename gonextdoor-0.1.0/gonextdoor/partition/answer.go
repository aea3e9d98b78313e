package partition

import (
	"sync"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/neighbor"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// AnswerEdges is HeteroPart.AnswerEdges for a graph of one type.
func (p *Part) AnswerEdges(question []uint32, j *job.Job) ([]uint32, error) {
	return p.alone.AnswerEdges(question, j)
}

// AnswerEdges answers a question, the buffer of encodeQuestion, about rows that the part owns. Several goroutines may ask.
func (h *HeteroPart) AnswerEdges(question []uint32, j *job.Job) ([]uint32, error) {
	groups, err := decodeQuestion(question)
	if err != nil {
		return nil, err
	}
	answer := []uint32{answerMark, uint32(len(groups))}
	var edges neighbor.RowEdges
	for _, g := range groups {
		if g.relation >= len(h.Relations) {
			return nil, refuse.Format("part %d is asked for relation %d, but has %d: the parts are not of one partition",
				h.Number(), g.relation, len(h.Relations))
		}
		p := h.Relations[g.relation]
		if g.App.Weighted == app.Yes && !g.degrees && !p.Whole.Weighted {
			return nil, refuse.Format("part %d is asked for edges by weight, but its edges have no weights: the parts are not of one partition",
				p.Number)
		}
		if err := p.rowsOf(g); err != nil {
			return nil, err
		}
		if err := p.choose(ownedRows, g, &edges, j); err != nil {
			return nil, err
		}
		answer = appendAnswer(answer, &edges, p.rows.EdgeIDs64 != nil)
	}
	return answer, nil
}

// rowsOf sets the rows of a group of a question.
func (p *Part) rowsOf(g *group) error {
	g.Rows = make([]uint32, len(g.vertices))
	for i, v := range g.vertices {
		row, ok := uint32(0), int(v) < p.Whole.Vertices
		if ok {
			row, ok = p.owned.row(v)
		}
		if !ok {
			return refuse.Format("part %d is asked for vertex %d, which it does not own: the parts are not of one partition", p.Number, v)
		}
		g.Rows[i] = row
	}
	return nil
}

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

// choose replaces out by the edges of a group, whose Rows are set.
func (p *Part) choose(kind rowKind, of *group, out *neighbor.RowEdges, j *job.Job) error {
	c := p.chooserOf(kind, of.degrees)
	s, err := c.of(p, kind, of.degrees, j)
	if err != nil {
		return err
	}
	if m := of.App; m.Weighted == app.Yes && !m.Labor() && (m.Temporal == "" || c.rows.Times == nil) {
		if err := index.BuildAlias(c.rows, graph.Options{Job: j}); err != nil {
			return err
		}
	}
	if of.Keys == nil && !of.App.Labor() {
		of.Keys = keysOf(of)
	}
	return c.rows.Blame(s.ChooseRows(of.RowChoice, out, j))
}

// chooserOf returns the chooser of some rows, by the degrees of end points or by weights.
func (p *Part) chooserOf(kind rowKind, degrees bool) *rowChooser {
	if degrees {
		return &p.choosers.degrees[kind]
	}
	return &p.choosers.stored[kind]
}

// of returns the sampler of the rows, and makes it at the first call.
func (c *rowChooser) of(p *Part, kind rowKind, degrees bool, j *job.Job) (*neighbor.Sampler, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sampler != nil {
		return c.sampler, nil
	}
	g, opts := p.rows, graph.Options{Job: j}
	if kind == hotRows {
		g = p.hot
	}
	if err := g.ValidateWith(opts); err != nil {
		return nil, err
	}
	if degrees {
		view, err := p.viewDegrees(g, opts)
		if err != nil {
			return nil, err
		}
		g = view
	}
	s, err := neighbor.NewPartSampler(g, p.Whole.Vertices)
	if err != nil {
		if degrees {
			g.Close()
		}
		return nil, err
	}
	c.sampler, c.rows, c.view = s, g, degrees
	return s, nil
}

// viewDegrees returns the view of rows whose weights are the degrees of end points.
func (p *Part) viewDegrees(g *graph.Graph, opts graph.Options) (*graph.Graph, error) {
	if err := p.LoadDegrees(); err != nil {
		return nil, err
	}
	return index.ByDegreeOf(g, p.Degree, opts)
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
