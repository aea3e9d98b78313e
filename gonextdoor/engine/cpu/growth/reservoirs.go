package growth

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// reservoirs makes the unlucky choices in one pass over their rows, with words that hang under the word at slot.
func (q *chooser) reservoirs(c *columns, slot uint64) {
	q.reserves = q.reserves[:0]
	for _, i := range q.unlucky {
		q.reserves = append(q.reserves, selector.Reserve{Key: rng.Key(c.key[i]).Stream(slot).Key(0)})
	}
	if q.compiled.RowBias == 0 {
		for k, i := range q.unlucky {
			q.walkRow(c, int(i), &q.reserves[k])
		}
	} else {
		q.weighRows(c)
	}
	for k, i := range q.unlucky {
		if at := q.reserves[k].Held(); at >= 0 {
			c.edge[i] = q.g.Indptr[c.transit[i]] + uint64(at)
			c.dst[i] = q.g.Indices[c.edge[i]]
		}
	}
}

// walkRow offers the candidates of choice i, weighed one by one by a Go hook.
func (q *chooser) walkRow(c *columns, i int, r *selector.Reserve) {
	first, end := q.g.Row(c.transit[i])
	x := q.at(c, i)
	for k, dst := range q.g.Indices[first:end] {
		r.Add(k, q.grows.EdgeBias(x, first+uint64(k), dst))
	}
}

// weighRows offers the candidates of the unlucky choices, many rows weighed in one call and a long one in several.
func (q *chooser) weighRows(c *columns) {
	t := &q.tried
	t.step, t.roots, t.views = c.step, c.roots, c.views
	total := 0
	flush := func() {
		q.weighParts(t, total)
		rows := q.rows
		for _, p := range q.parts {
			q.reserves[p.choice].AddAll(int(p.offset), rows[:p.count])
			rows = rows[p.count:]
		}
		q.parts, total = q.parts[:0], 0
	}
	for k, i := range q.unlucky {
		first, end := q.g.Row(c.transit[i])
		for at := first; at < end; {
			count := min(int(end-at), plan.HookedRows-total)
			p := len(q.parts)
			t.take(p, c, int(i))
			t.words[p], t.edge[p], t.dst[p] = c.words[i], at, uint32(count)
			q.parts = append(q.parts, part{k, count, at - first})
			total += count
			at += uint64(count)
			if total == plan.HookedRows || len(q.parts) == len(t.who) {
				flush()
			}
		}
	}
	flush()
}

// weighParts has the rows of columns weighed, total edges in all.
func (q *chooser) weighParts(t *columns, total int) {
	if total == 0 {
		return
	}
	if len(q.rows) < total {
		q.rows = make([]uint32, max(total, plan.HookedRows))
	}
	stage.PrefetchIndices(unsafe.SliceData(q.g.Indices), t.edge[:len(q.parts)])
	q.call(q.compiled.RowBias, t, len(q.parts), q.rows)
}
