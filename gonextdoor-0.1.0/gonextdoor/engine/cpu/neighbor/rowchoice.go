package neighbor

import (
	"errors"
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/rng"
)

// RowChoice asks for edges of rows of a graph, under keys that the caller has derived. The choice of each row is that of
// app.NeighborSampling, or of a transit of apps.KHop under its key.
type RowChoice struct {
	App      *app.NeighborSampling // Replace, Weighted, Temporal and Method are read
	Fanout   int                   // -1 takes all edges
	Ends     rng.Stream            // of the random numbers of end points, for LABOR
	Rows     []uint32              // numbers of rows of the graph
	Keys     []rng.Key             // parallel to Rows
	Times    []int64               // parallel to Rows: the latest time of an edge; nil unless choices are temporal
	Windows  []int64               // parallel to Rows: how long before that an edge may be; nil: any time
	Excluded []int64               // ids of edges that are not candidates; ids that no row has are ignored
}

// RowEdges are the edges that a RowChoice chose, row after row.
type RowEdges struct {
	Counts  []uint32 // edges of each row
	Ends    []uint32 // vertices
	EdgeIDs []uint64
}

// NewPartSampler returns a sampler for a graph that has some rows of a graph of that many vertices. Its rows need not be
// numbered like the vertices to which its edges lead. It serves ChooseRows and Assemble; the graph must be valid.
func NewPartSampler(g *graph.Graph, vertices int) (*Sampler, error) {
	h := &graph.Hetero{Counts: []int{vertices}, Relations: []graph.Relation{{Graph: g}}}
	r, err := newRelation(h, 0, true)
	if err != nil {
		return nil, err
	}
	return &Sampler{graph: h, relations: []*relation{r}}, nil
}

// ChooseRows replaces out by the edges of the rows of q. Weighted choices, unless they are by LABOR or times, need the alias
// table of the graph.
func (p *Sampler) ChooseRows(q RowChoice, out *RowEdges, j *job.Job) error {
	w := p.borrow()
	err := parallel.Guard(func() error { return p.chooseRows(w, q, out, j) })
	p.giveBack(w, !errors.Is(err, parallel.ErrPanic))
	return err
}

// chooseRows is ChooseRows with a workspace.
func (p *Sampler) chooseRows(w *workspace, q RowChoice, out *RowEdges, j *job.Job) error {
	rel, n := p.relations[0], len(q.Rows)
	// 1. Prepare the choices. Times and windows are looked up by tree, so every row gets a tree.
	fanout, err := w.setChoices(rel, q.App, q.Fanout, q.Ends, j)
	if err != nil {
		return err
	}
	w.excluded[0].setIn(rel, q.Rows, q.Excluded)
	x := expansion{
		chooser: edgeChooser{
			frontier: frontier{vertices: q.Rows}, rows: &rel.rows, edgeScratch: &w.edgeScratch, excluded: &w.excluded[0],
			keys: q.Keys, fanout: fanout,
		},
		reader: readerOf(rel, w.choices.Dated),
	}
	if w.choices.Dated != nil {
		x.chooser.seeds = &app.SeedNodes{Times: q.Times, Windows: q.Windows}
		x.chooser.trees = make([]uint32, n)
		for i := range x.chooser.trees {
			x.chooser.trees[i] = uint32(i)
		}
	}
	// 2. Choose, into an arena of the workspace with the lists of one hop in CSC.
	a := arena{from: &w.rowArena}
	defer a.free()
	x.arrays.lists = edgeLists{&a, 0, 1, -1, 2}
	expected := 0
	if fanout > 0 && x.chooser.fanout <= 1<<20 {
		expected = int(fanout)*n + expandSlack
	}
	if err := a.begin([]int{expected, expected, n + 1}); err != nil {
		return err
	}
	a.lists[2].used = n + 1
	edges := 0
	if fanout > 0 {
		if edges, err = x.run(j); err != nil {
			return err
		}
		x.arrays.lists.commit(edges)
	}
	// 3. Narrow the vertices.
	out.Counts, out.Ends, out.EdgeIDs = slices.Grow(out.Counts[:0], n)[:n], slices.Grow(out.Ends[:0], edges)[:edges], out.EdgeIDs[:0]
	offsets := a.used(2)
	for i := range out.Counts {
		out.Counts[i] = 0
		if edges > 0 {
			out.Counts[i] = uint32(offsets[i+1] - offsets[i])
		}
	}
	for i, v := range a.used(1) {
		out.Ends[i] = uint32(v)
	}
	out.EdgeIDs = append(out.EdgeIDs, unsigned(a.used(0))...)
	return nil
}

// rowArena lends an arena on Go's heap, whose memory it keeps for the next choice.
type rowArena struct{ spare []int64 }

// Lend returns an arena whose values are arbitrary.
func (r *rowArena) Lend(n int) ([]int64, error) {
	words := r.spare
	if r.spare = nil; cap(words) < n {
		words = make([]int64, n)
	}
	return words[:n], nil
}

// Return keeps the memory of an arena.
func (r *rowArena) Return(words []int64) {
	if cap(words) > cap(r.spare) {
		r.spare = words
	}
}

// setIn replaces the exclusions by the edges of some rows that have the given ids. It reads the ids of all edges of these rows,
// and so needs no index by id.
func (x *exclusions) setIn(of *relation, rows []uint32, ids []int64) {
	x.positions = x.positions[:0]
	if len(ids) == 0 {
		return
	}
	sorted := slices.Clone(ids)
	slices.Sort(sorted)
	for _, row := range rows {
		first, degree := of.rows.Of(row)
		for p := first; p < first+degree; p++ {
			if _, found := slices.BinarySearch(sorted, int64(of.graph.EdgeID(p))); found {
				x.positions = append(x.positions, p)
			}
		}
	}
	if len(x.positions) == 0 {
		return
	}
	slices.Sort(x.positions)
	x.positions = slices.Compact(x.positions) // a row may be asked for several times
	x.buildGuide(uint64(of.graph.NumEdges()))
}
