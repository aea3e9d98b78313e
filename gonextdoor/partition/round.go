package partition

import (
	"slices"

	"gonextdoor/gonextdoor/engine/cpu/neighbor"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// round is one exchange of questions and answers: each inquiry is a group of rows, which is divided among the parts that have
// them. All rows that one part has go into one buffer.
type round struct {
	home  *HeteroPart // which asks. It chooses from its own rows, and from the hot ones
	asked []inquiry
}

// inquiry is a group of rows that choose in the same way, such as the frontier of a mini-batch.
type inquiry struct {
	relation int

	from   []uint32            // of each row: the number of the part that chooses, or the number of parts if the row is hot
	groups []*group            // by from; nil: no row
	edges  []neighbor.RowEdges // by from
}

// add divides the rows of a group. It copies what it needs.
func (r *round) add(g *group) {
	home, hot := r.home.Relations[g.relation], r.home.Parts()
	q := inquiry{
		relation: g.relation, from: make([]uint32, len(g.vertices)), groups: make([]*group, hot+1),
		edges: make([]neighbor.RowEdges, hot+1),
	}
	// 1. Find who has each row.
	counts, rows := make([]int, hot+1), make([]uint32, len(g.vertices))
	for i, v := range g.vertices {
		source, row := home.source(v)
		q.from[i], rows[i] = uint32(source), row
		counts[source]++
	}
	for source, n := range counts {
		if n > 0 {
			q.groups[source] = g.part(n, source == home.Number || source == hot)
		}
	}
	// 2. Copy the rows.
	for i, source := range q.from {
		q.groups[source].take(g, i, rows[i])
	}
	r.asked = append(r.asked, q)
}

// part returns a group that chooses as g does, with capacity for a number of rows. here reports whether Rows are set.
func (g *group) part(rows int, here bool) *group {
	to := &group{RowChoice: g.RowChoice, relation: g.relation, stream: g.stream, degrees: g.degrees, vertices: make([]uint32, 0, rows)}
	to.Rows, to.Keys, to.Times, to.Windows = nil, nil, nil, nil
	if here {
		to.Rows = make([]uint32, 0, rows)
	}
	if g.Keys != nil {
		to.Keys = make([]rng.Key, 0, rows)
	}
	if g.Times != nil {
		to.Times = make([]int64, 0, rows)
	}
	if g.Windows != nil {
		to.Windows = make([]int64, 0, rows)
	}
	return to
}

// take appends row i of a group.
func (g *group) take(from *group, i int, row uint32) {
	g.vertices = append(g.vertices, from.vertices[i])
	if g.Rows != nil {
		g.Rows = append(g.Rows, row)
	}
	if g.Keys != nil {
		g.Keys = append(g.Keys, from.Keys[i])
	}
	if g.Times != nil {
		g.Times = append(g.Times, from.Times[i])
	}
	if g.Windows != nil {
		g.Windows = append(g.Windows, from.Windows[i])
	}
}

// source returns who chooses from the row of a vertex: the number of a part, or the number of parts if the row is hot. row is
// set if this part has it.
func (p *Part) source(v uint32) (source int, row uint32) {
	if row, ok := p.owned.row(v); ok {
		return p.Number, row
	}
	if p.hotSet != nil {
		if row, ok := p.hotSet.row(v); ok {
			return p.Owners.Parts(), row
		}
	}
	return p.Owner(v), 0
}

// questions returns the buffer for each part, nil for a part that is not asked.
func (r *round) questions() [][]uint32 {
	buffers := make([][]uint32, r.home.Parts())
	for part := range buffers {
		if part != r.home.Number() {
			buffers[part] = encodeQuestion(r.groupsOf(part))
		}
	}
	return buffers
}

// groupsOf returns the groups of a part, in the order of the inquiries.
func (r *round) groupsOf(part int) (groups []*group) {
	for _, q := range r.asked {
		if g := q.groups[part]; g != nil {
			groups = append(groups, g)
		}
	}
	return groups
}

// chooseHere makes the choices of the rows that the home part has, on a number of threads (0: all).
func (r *round) chooseHere(threads int, j *job.Job) error {
	return parallel.For(j, threads, len(r.asked), 1, func(i, _ int) error {
		q := &r.asked[i]
		home, ends := r.home.Relations[q.relation], r.home.ends(q.relation)
		for kind, source := range [rowKinds]int{ownedRows: home.Number, hotRows: r.home.Parts()} {
			if q.groups[source] == nil {
				continue
			}
			if err := home.choose(rowKind(kind), q.groups[source], &q.edges[source], j); err != nil {
				return err
			}
			if ends == home.Whole.Vertices { // the rows have been checked
				continue
			}
			if err := checkEnds(&q.edges[source], ends); err != nil {
				return err
			}
		}
		return nil
	})
}

// answers reads the buffers of the parts that were asked.
func (r *round) answers(buffers [][]uint32) error {
	for part := range r.home.Parts() {
		groups := r.groupsOf(part)
		if part == r.home.Number() || len(groups) == 0 {
			continue
		}
		if part >= len(buffers) || len(buffers[part]) == 0 {
			return refuse.Value("the answer of part %d is missing", part)
		}
		ends := make([]int, len(groups))
		for i, g := range groups {
			ends[i] = r.home.ends(g.relation)
		}
		edges, err := decodeAnswer(buffers[part], ends)
		if err != nil {
			return err
		}
		if len(edges) != len(groups) {
			return refuse.Format("part %d answered %d of %d groups of rows", part, len(edges), len(groups))
		}
		next := 0
		for i := range r.asked {
			q := &r.asked[i]
			if q.groups[part] == nil {
				continue
			}
			if rows := len(q.groups[part].vertices); rows != len(edges[next].Counts) {
				return refuse.Format("part %d answered %d of %d rows", part, len(edges[next].Counts), rows)
			}
			q.edges[part] = edges[next]
			next++
		}
	}
	return nil
}

// eachRow calls f with the edges of each row, in the order of the inquiry.
func (q *inquiry) eachRow(f func(i int, ends []uint32, ids []uint64)) {
	rest := slices.Clone(q.edges)
	for i, source := range q.from {
		some := &rest[source]
		n := some.Counts[0]
		f(i, some.Ends[:n], some.EdgeIDs[:n])
		some.Counts, some.Ends, some.EdgeIDs = some.Counts[1:], some.Ends[n:], some.EdgeIDs[n:]
	}
}

// Traffic counts what an asking part has exchanged.
type Traffic struct {
	Rows     []int // by hop or step: rows that were chosen from
	Asked    []int // by hop or step: rows that other parts were asked for
	Messages int   // questions and answers
	Bytes    int   // of them
}

// count adds the questions of a round, or its answers.
func (t *Traffic) count(buffers [][]uint32) {
	for _, b := range buffers {
		if len(b) > 0 {
			t.Messages++
			t.Bytes += 4 * len(b)
		}
	}
}

// countRows adds the rows of a hop or step.
func (t *Traffic) countRows(step int, r *round) {
	for len(t.Rows) <= step {
		t.Rows, t.Asked = append(t.Rows, 0), append(t.Asked, 0)
	}
	for _, q := range r.asked {
		t.Rows[step] += len(q.from)
		for part, g := range q.groups[:r.home.Parts()] {
			if g != nil && part != r.home.Number() {
				t.Asked[step] += len(g.vertices)
			}
		}
	}
}
