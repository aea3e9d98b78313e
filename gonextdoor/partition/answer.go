package partition

import (
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

// choose replaces out by the edges of a group, whose Rows are set.
func (p *Part) choose(kind rowKind, of *group, out *neighbor.RowEdges, j *job.Job) error {
	c, err := p.chooser(kind, of.degrees, j)
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
	return c.rows.Blame(c.sampler.ChooseRows(of.RowChoice, out, j))
}

// chooser returns the open chooser of some rows, by the degrees of end points or by weights.
func (p *Part) chooser(kind rowKind, degrees bool, j *job.Job) (*rowChooser, error) {
	g, of, view := p.rows, &p.choosers.stored, p.viewDegrees
	if kind == hotRows {
		g = p.hot
	}
	if degrees {
		of = &p.choosers.degrees
	} else {
		view = nil
	}
	return &of[kind], of[kind].open(g, p.Whole.Vertices, view, graph.Options{Job: j})
}
