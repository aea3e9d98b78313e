package partition

import (
	"fmt"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/neighbor"
	"gonextdoor/gonextdoor/engine/neighborbatch"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// BatchCall draws mini-batches of a partitioned graph from one of its parts. Frontiers go to the parts that own them, and edges
// are returned: the end point and the id of each. The home part numbers the end points. Each batch equals that of
// app.NeighborSampling.Sample on the whole graph.
//
// The caller alternates Questions and Answers until Questions returns nil, then calls Finish. All batches share the buffers of a
// hop. A BatchCall that is not finished must be discarded.
type BatchCall struct {
	traffic Traffic

	home    *HeteroPart
	app     *app.NeighborSampling
	apps    []*app.NeighborSampling // by relation, with Weighted resolved
	batches []*partBatch
	threads int
	hop     int
	round   *round
}

// partBatch is one mini-batch of a call.
type partBatch struct {
	seed     uint64
	nodes    app.SeedNodes
	assembly *neighbor.Assembly
}

// NewBatchCall begins mini-batches with these random seeds and seed nodes. m has passed Check. threads (0: all) numbers several
// batches at the same time.
func NewBatchCall(
	home *HeteroPart, m *app.NeighborSampling, batchSeeds []uint64, nodes []app.SeedNodes, threads int,
) (c *BatchCall, err error) {
	if len(batchSeeds) != len(nodes) {
		return nil, refuse.Value("batch_seeds has %d elements: expected %d, one per batch", len(batchSeeds), len(nodes))
	}
	c = &BatchCall{home: home, app: m, threads: threads}
	if c.apps, err = bindBatch(m, home); err != nil {
		return nil, err
	}
	for i, seed := range batchSeeds {
		b := &partBatch{seed: seed, nodes: nodes[i]}
		if err = checkPartBatch(c.app, home.Graph, b.nodes); err == nil {
			b.assembly, err = home.assembler.Assemble(output.ResultArenas{}, c.app, b.nodes, nil)
		}
		if err != nil {
			c.Discard()
			return nil, neighborbatch.OfBatch(i, len(nodes), err)
		}
		c.batches = append(c.batches, b)
	}
	return c, nil
}

// bindBatch returns m for each relation, with Weighted resolved. It returns an error if the graph lacks what m needs.
func bindBatch(m *app.NeighborSampling, home *HeteroPart) (apps []*app.NeighborSampling, err error) {
	for hop, fanouts := range m.Fanouts {
		if want := len(home.Relations); len(fanouts) != want {
			return nil, refuse.Value("fanouts[%d] has %d numbers: expected %d, one per relation of the partitioned graph", hop, len(fanouts), want)
		}
	}
	timed := m.Temporal == ""
	for r, p := range home.Relations {
		bound := *m
		switch {
		case m.Weighted == app.Yes && !p.Whole.Weighted:
			return nil, refuse.Value("weighted = True: %s has no weights", home.Graph.OfRelation("the graph", r))
		case m.Weighted == app.Auto && p.Whole.Weighted:
			bound.Weighted = app.Yes
		case m.Weighted == app.Auto:
			bound.Weighted = app.No
		}
		if err := bound.Check(); err != nil {
			return nil, err
		}
		timed = timed || p.Whole.Timed
		apps = append(apps, &bound)
	}
	if !timed {
		return nil, refuse.Value("temporal = %q: the edges of the partitioned graph have no times", string(m.Temporal))
	}
	return apps, nil
}

// checkPartBatch returns an error if a batch lacks the times of its seed nodes, or excludes an edge with an id that no edge has.
func checkPartBatch(m *app.NeighborSampling, h *graph.Hetero, nodes app.SeedNodes) error {
	if m.Temporal != "" && nodes.Times == nil && nodes.Count() > 0 {
		return refuse.Value("times is missing: expected one time per seed, since the vertices of a partitioned graph have no times")
	}
	for r, ids := range nodes.Excluded {
		if len(ids) > 0 {
			if err := h.Relations[r].Graph.RefuseEdgeIDs(fmt.Sprintf("%s[0] = %d", h.OfRelation("exclude", r), ids[0])); err != nil {
				return err
			}
		}
		for i, id := range ids {
			if id < 0 {
				return refuse.Index("%s[%d] = %d: edge ids are at least 0", h.OfRelation("exclude", r), i, id)
			}
		}
	}
	return nil
}

// Questions returns the buffer for each part, empty for parts that are not asked, and makes the choices of the home part. It
// returns nil after the last hop.
func (c *BatchCall) Questions(j *job.Job) ([][]uint32, error) {
	if c.round != nil {
		return nil, refuse.Value("hop %d has not been answered", c.hop)
	}
	if c.hop == len(c.app.Fanouts) {
		return nil, nil
	}
	c.round = &round{home: c.home}
	for _, b := range c.batches {
		for r := range c.home.Relations {
			c.round.add(c.groupOf(b, r))
		}
	}
	c.traffic.countRows(c.hop, c.round)
	questions := c.round.questions()
	c.traffic.count(questions)
	return questions, c.round.chooseHere(c.threads, j)
}

// groupOf returns the frontier of a batch along relation r as a group. It has no rows if the fan-out is 0.
func (c *BatchCall) groupOf(b *partBatch, r int) *group {
	fanout := c.app.Fanouts[c.hop][r]
	g := &group{relation: r, RowChoice: neighbor.RowChoice{App: c.apps[r], Fanout: fanout}, stream: app.HopStream(b.seed, r, c.hop)}
	if fanout == 0 {
		return g
	}
	if b.nodes.Excluded != nil {
		g.Excluded = b.nodes.Excluded[r]
	}
	if c.app.Labor() {
		g.Ends = c.app.EndStream(b.seed, c.home.Graph.Relations[r].Source, c.hop)
	}
	vertices, trees, _ := b.assembly.Frontier(r)
	g.vertices = vertices
	for i, tree := range trees {
		g.Keys = append(g.Keys, g.stream.Key(uint64(tree)).Stream(0).Key(uint64(vertices[i])))
		if c.app.Temporal != "" {
			g.Times = append(g.Times, b.nodes.Times[tree])
		}
		if b.nodes.Windows != nil {
			g.Windows = append(g.Windows, b.nodes.Windows[tree])
		}
	}
	return g
}

// Answers continues with the answer of each part. Parts that were not asked are ignored.
func (c *BatchCall) Answers(buffers [][]uint32, j *job.Job) error {
	r := c.round
	if r == nil {
		return refuse.Value("answers without questions")
	}
	if err := r.answers(buffers); err != nil {
		return err
	}
	c.traffic.count(buffers)
	c.round = nil
	c.hop++
	return parallel.For(j, c.threads, len(c.batches), 1, func(i, _ int) error {
		chosen := make([]neighbor.FrontierEdges, len(c.home.Relations))
		for k := range chosen {
			q := &r.asked[i*len(chosen)+k]
			chosen[k] = neighbor.FrontierEdges{Edges: q.edges, From: q.from}
		}
		return neighborbatch.OfBatch(i, len(c.batches), c.batches[i].assembly.Expand(chosen))
	})
}

// Finish returns the mini-batches, whose arenas the caller owns.
func (c *BatchCall) Finish() (all []output.NeighborBatch, err error) {
	defer c.Discard()
	for _, b := range c.batches {
		var out output.NeighborBatch
		if out, err = b.assembly.Finish(); err != nil {
			break
		}
		all = append(all, out)
	}
	if err != nil {
		for _, out := range all {
			out.Return()
		}
		return nil, err
	}
	return all, nil
}

// Discard frees what the call holds. It does nothing after Finish.
func (c *BatchCall) Discard() {
	for _, b := range c.batches {
		b.assembly.Discard()
	}
}

// Exchanged returns what the call has exchanged so far.
func (c *BatchCall) Exchanged() Traffic { return c.traffic }
