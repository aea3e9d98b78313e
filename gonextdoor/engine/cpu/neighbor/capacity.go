package neighbor

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/rowaccess"
)

// rooms gives the room with which an arena's lists begin: what those of the last call needed and an eighth more, unless
// this one can be seen to need less. A first call begins with none.
func (d *drawing) rooms() []int {
	most := d.bounds()
	learned := d.w.learned
	if len(learned) != len(most) {
		clear(most)
		return most
	}
	for i, n := range learned {
		most[i] = min(most[i], n+n/8+spare)
	}
	return most
}

// learn notes what the lists needed.
func (d *drawing) learn() {
	d.w.learned = d.w.learned[:0]
	for _, l := range d.arena.lists {
		d.w.learned = append(d.w.learned, l.used)
	}
}

// bounds gives for each list a number of words that it cannot pass, by the fan-outs alone.
func (d *drawing) bounds() []int {
	most := make([]int, d.plots.count())
	met, fresh := make([]int, len(d.w.met)), make([]int, len(d.w.met))
	for t := range met {
		met[t] = len(d.w.met[t].Vertices)
		fresh[t] = met[t]
	}
	for hop, fanouts := range d.m.Fanouts {
		due := met
		if d.m.Expand == app.New {
			due = fresh
		}
		next := make([]int, len(met))
		for r, f := range fanouts {
			rel := d.p.relations[r]
			edges := rowaccess.Unbounded
			if n := due[rel.destination]; f == 0 || f > 0 && n <= rowaccess.Unbounded/f {
				edges = n * f
			}
			lay := d.plots.edges(&d.arena, hop, r)
			for _, n := range lay.needs(edges) {
				most[n.list] = min(most[n.list]+edges+spare, rowaccess.Unbounded)
			}
			if lay.indptr >= 0 {
				most[lay.indptr] = due[rel.destination] + 1
			}
			next[rel.source] = min(next[rel.source]+edges, rowaccess.Unbounded)
		}
		fresh = next
		sum := make([]int, len(met))
		for t := range met {
			sum[t] = min(met[t]+fresh[t], rowaccess.Unbounded)
		}
		met = sum
	}
	for t := range met {
		for _, n := range d.nodeNeeds(nil, t, met[t]) {
			most[n.list] = n.words
		}
	}
	return most
}

// reserve makes room for a hop of a first call, which has learned nothing, and in the last one for the nodes too, which
// come behind it: a large batch that does not fit is refused before its edges are drawn, and one that does need not move
// for them.
func (d *drawing) reserve(hop int) error {
	if len(d.w.learned) == d.plots.count() {
		return nil
	}
	var needs []need
	nodes := make([]int, len(d.w.met))
	for r := range d.p.relations {
		rel, lay := d.p.relations[r], d.plots.edges(&d.arena, hop, r)
		due := d.w.met[rel.destination].Vertices[d.due[rel.destination]:d.known[rel.destination]]
		if lay.indptr >= 0 {
			needs = append(needs, need{lay.indptr, len(due) + 1})
		}
		fanout, err := d.choose(hop, r)
		if err != nil {
			return err
		}
		if fanout > 0 {
			most := d.w.choices.Most(&rel.rows, fanout, due)
			needs = append(needs, lay.needs(most+spare)...)
			nodes[rel.source] += most
		}
	}
	if hop == len(d.m.Fanouts)-1 {
		for t, n := range nodes {
			n += len(d.w.met[t].Vertices)
			if !d.m.Disjoint {
				n = min(n, d.p.h.Counts[t])
			}
			needs = d.nodeNeeds(needs, t, n)
		}
	}
	return d.arena.extend(needs...)
}
