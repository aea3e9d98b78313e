package growth

import (
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
)

// following finds the candidates of choices in rows in order of time (program.StepProgram.Follows).
type following struct {
	run *programRun

	// The candidates of rejected choices that are weighed together.
	owners  []uint32 // the places of their choices among the rejected ones
	numbers []int    // their numbers within the choices
}

// newFollowing returns the candidates of up to n choices.
func newFollowing(r *programRun, n int) *following {
	return &following{run: r, owners: make([]uint32, n), numbers: make([]int, n)}
}

// candidates returns the index of the first candidate of choice i and their number. They are the edges that may follow the one
// by which its transit was reached, or all edges of a root.
func (f *following) candidates(c *columns, i int) (first, count uint64) {
	if c.reached[i] == graph.NoEdge {
		first, end := f.run.graph.Row(c.transit[i])
		return first, end - first
	}
	e := &f.run.inTime.Edges[c.reachedInTime[i]]
	return e.First, uint64(e.Count)
}

// resolve sets the positions and the end points of n candidates, whose indices in the rows in order of time are in edgeInTime.
func (f *following) resolve(t *columns, n int) {
	rows := &f.run.inTime
	stage.PrefetchSlots(buffer.Pointer(rows.Edges), t.edgeInTime[:n])
	stage.PrefetchIndices(&rows.Places[0], t.edgeInTime[:n])
	for k, at := range t.edgeInTime[:n] {
		t.edge[k], t.dst[k] = f.edge(t.transit[k], at)
	}
}

// edge returns the position and the end point of edge `at` of the rows in order of time, which is in row v.
func (f *following) edge(v uint32, at uint64) (position uint64, dst uint32) {
	rows := &f.run.inTime
	return f.run.graph.Indptr[v] + uint64(rows.Places[at]), rows.Edges[at].Target
}

// offerFollowing offers the candidates of the rejected choices to their reservoirs, as many at a time as the columns hold.
func (q *biasedChooser) offerFollowing(c *columns) {
	t, f, n := q.gathered, q.following, 0
	t.useStepOf(c)
	flush := func() {
		f.resolve(t, n)
		q.hooks.edgeBias(t, n, q.biases)
		for k, bias := range q.biases[:n] {
			q.reserves[f.owners[k]].Add(f.numbers[k], bias)
		}
		n = 0
	}
	for k, i := range q.rejected {
		for number := range q.degrees[i] {
			if n == len(q.biases) {
				flush()
			}
			t.take(n, c, int(i))
			t.words[n], t.edgeInTime[n] = c.words[i], q.firsts[i]+number
			f.owners[n], f.numbers[n] = uint32(k), int(number)
			n++
		}
	}
	if n > 0 {
		flush()
	}
}
