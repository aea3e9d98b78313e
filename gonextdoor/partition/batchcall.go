package partition

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/neighbor"
	"gonextdoor/gonextdoor/engine/neighborbatch"
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

	home       *Part
	app        *app.NeighborSampling // with Weighted resolved
	batches    []*partBatch
	threads    int
	hop        int
	round      *round
	assemblies *neighbor.Sampler
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
	home *Part, m *app.NeighborSampling, batchSeeds []uint64, nodes []app.SeedNodes, threads int, j *job.Job,
) (c *BatchCall, err error) {
	if len(batchSeeds) != len(nodes) {
		return nil, refuse.Value("batch_seeds has %d elements: expected %d, one per batch", len(batchSeeds), len(nodes))
	}
	c = &BatchCall{home: home, threads: threads}
	if c.app, err = bindBatch(m, home.Whole); err != nil {
		return nil, err
	}
	if c.assemblies, err = home.chooserOf(ownedRows, false).of(home, ownedRows, false, j); err != nil {
		return nil, err
	}
	for i, seed := range batchSeeds {
		b := &partBatch{seed: seed, nodes: nodes[i]}
		if err = checkPartBatch(c.app, b.nodes); err == nil {
			b.assembly, err = c.assemblies.Assemble(output.ResultArenas{}, c.app, b.nodes, nil)
		}
		if err != nil {
			c.Discard()
			return nil, neighborbatch.OfBatch(i, len(nodes), err)
		}
		c.batches = append(c.batches, b)
	}
	return c, nil
}

// bindBatch returns m with Weighted resolved for a graph. It returns an error if the graph lacks what m needs.
func bindBatch(m *app.NeighborSampling, whole WholeGraph) (*app.NeighborSampling, error) {
	bound := *m
	for hop, fanouts := range m.Fanouts {
		if len(fanouts) != 1 {
			return nil, refuse.Value("fanouts[%d] has %d numbers: expected 1, since a partitioned graph has one relation", hop, len(fanouts))
		}
	}
	switch m.Weighted {
	case app.Yes:
		if !whole.Weighted {
			return nil, refuse.Value("weighted = True: the graph has no weights")
		}
	case app.Auto:
		bound.Weighted = app.No
		if whole.Weighted {
			bound.Weighted = app.Yes
		}
	}
	if m.Temporal != "" && !whole.Timed {
		return nil, refuse.Value("temporal = %q: the edges of the partitioned graph have no times", string(m.Temporal))
	}
	return &bound, bound.Check()
}

// checkPartBatch returns an error if a batch lacks the times of its seed nodes, or excludes an edge with an id that no edge has.
func checkPartBatch(m *app.NeighborSampling, nodes app.SeedNodes) error {
	if m.Temporal != "" && nodes.Times == nil && nodes.Count() > 0 {
		return refuse.Value("times is missing: expected one time per seed, since the vertices of a partitioned graph have no times")
	}
	for _, ids := range nodes.Excluded {
		for i, id := range ids {
			if id < 0 {
				return refuse.Index("exclude[%d] = %d: edge ids are at least 0", i, id)
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
		c.round.add(c.groupOf(b))
	}
	c.traffic.countRows(c.hop, c.round)
	questions := c.round.questions()
	c.traffic.count(questions)
	return questions, c.round.chooseHere(c.threads, j)
}

// groupOf returns the frontier of a batch as a group. A hop with fan-out 0 has no rows.
func (c *BatchCall) groupOf(b *partBatch) *group {
	fanout := c.app.Fanouts[c.hop][0]
	g := &group{RowChoice: neighbor.RowChoice{App: c.app, Fanout: fanout}, stream: app.HopStream(b.seed, 0, c.hop)}
	if fanout == 0 {
		return g
	}
	if b.nodes.Excluded != nil {
		g.Excluded = b.nodes.Excluded[0]
	}
	if c.app.Labor() {
		g.Ends = c.app.EndStream(b.seed, 0, c.hop)
	}
	vertices, trees, _ := b.assembly.Frontier()
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
		q := r.asked[i]
		return neighborbatch.OfBatch(i, len(c.batches), c.batches[i].assembly.Expand(q.edges, q.from))
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
