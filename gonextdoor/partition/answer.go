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

// AnswerEdges answers a question, the buffer of encodeQuestion, about rows that the part owns. Several goroutines may ask.
func (p *Part) AnswerEdges(question []uint32, j *job.Job) ([]uint32, error) {
	groups, err := decodeQuestion(question)
	if err != nil {
		return nil, err
	}
	answer := append(make([]uint32, 0, 4*len(question)), answerMark, uint32(len(groups)))
	var edges neighbor.RowEdges
	for _, g := range groups {
		if err := p.rowsOf(g); err != nil {
			return nil, err
		}
		if err := p.choosers.owned.choose(p.rows, p.Whole.Vertices, g, &edges, j); err != nil {
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

// choosers choose edges from the rows of a part. Their tables are built when they are first needed.
type choosers struct{ owned, hot rowChooser }

// rowChooser chooses edges from the rows of one graph.
type rowChooser struct {
	mu      sync.Mutex
	sampler *neighbor.Sampler // nil before the first choice
}

// choose replaces out by the edges of a group whose Rows are set. The graph leads to that many vertices.
func (c *rowChooser) choose(g *graph.Graph, vertices int, of *group, out *neighbor.RowEdges, j *job.Job) error {
	s, err := c.of(g, vertices)
	if err != nil {
		return err
	}
	if m := of.App; m.Weighted == app.Yes && !m.Labor() && m.Temporal == "" {
		if err := index.BuildAlias(g, graph.Options{Job: j}); err != nil {
			return err
		}
	}
	if of.Keys == nil && !of.App.Labor() {
		of.Keys = keysOf(of)
	}
	return s.ChooseRows(of.RowChoice, out, j)
}

// of returns the sampler of the graph, and makes it at the first call.
func (c *rowChooser) of(g *graph.Graph, vertices int) (s *neighbor.Sampler, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sampler == nil {
		if err = g.ValidateWith(graph.Options{}); err == nil {
			c.sampler, err = neighbor.NewPartSampler(g, vertices)
		}
	}
	return c.sampler, err
}

// close frees the sampler.
func (c *rowChooser) close() {
	if c.sampler != nil {
		c.sampler.Close()
		c.sampler = nil
	}
}
