package apptest

import (
	"slices"
	"strconv"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
)

// growth is an program.StepProgram as probabilities, written independently of its implementation.
// Probabilities replace the random words of hooks.
type growth struct {
	g          *graph.Graph
	roots      []uint32
	collective bool
	steps      int // 0: no limit
	fanout     func(s *script, step int) int
	replace    bool
	unique     program.Unique
	record     program.Record
	layered    bool
	bias       func(prev, v uint32, e uint64) float64
	pool       func(v uint32) float64
	next       func(s *script, v uint32) uint32
	update     func(s *script, v, dst uint32) uint32
	stop       func(s *script, v uint32, step int) bool
}

// spot is a vertex of the sample, with its place and the place from which it was reached.
type spot struct {
	vertex, prev uint32
	place        int
}

var nobody = spot{graph.None, graph.None, -1}

// grownSample is a sample while its outcome is written.
type grownSample struct {
	growth
	s       *script
	row     []uint32
	ends    []int
	taken   []uint32
	reached []spot // in this step
}

// fans returns the fan-out of each step. The last one serves all later steps.
func fans(fanouts ...int) func(*script, int) int {
	return func(_ *script, step int) int { return fanouts[min(step, len(fanouts)-1)] }
}

func (c growth) program(s *script) {
	r := grownSample{growth: c, s: s, row: slices.Clone(c.roots), ends: []int{len(c.roots)}}
	var now []spot
	for i, v := range c.roots {
		now = append(now, spot{v, graph.None, i})
	}
	if c.unique == program.PerSample {
		r.taken = slices.Clone(c.roots)
	}
	pool, ended := now, false
	for step := 0; c.steps == 0 || step < c.steps; step++ {
		if c.unique == program.PerStep {
			r.taken = nil
		}
		r.reached = nil
		switch {
		case c.pool != nil && ended:
			r.empty(1)
		case c.pool != nil:
			weights := make([]float64, len(pool))
			for i, p := range pool {
				weights[i] = c.pool(p.vertex)
			}
			if i := s.choose(weights); i < 0 {
				r.empty(1)
			} else {
				r.turn(step, pool[i:i+1])
				if len(r.reached) > 0 {
					pool[i] = r.reached[0]
				}
			}
			ended = len(r.reached) == 0 || r.reached[0].vertex == graph.None
		case c.collective:
			r.turn(step, slices.DeleteFunc(slices.Clone(now), func(p spot) bool { return p.vertex == graph.None }))
		default:
			for _, p := range now {
				r.turn(step, []spot{p})
			}
		}
		if now = r.reached; len(now) == 0 {
			break
		}
		r.ends = append(r.ends, len(r.row))
		if c.layered {
			s.mark("; ")
		}
		if !slices.ContainsFunc(now, func(p spot) bool { return p.vertex != graph.None }) && c.ragged() {
			break
		}
	}
	r.links()
}

// ragged reports whether missing vertices take no place.
func (c growth) ragged() bool { return c.layered || c.steps == 0 }

// turn makes one choice, of one transit or of several together.
func (r *grownSample) turn(step int, from []spot) {
	v := graph.None
	if len(from) == 1 && !r.collective {
		v = from[0].vertex
	}
	if len(from) == 0 || !r.collective && v == graph.None || r.stop != nil && r.stop(r.s, v, step) {
		r.empty(r.fanout(r.s, step))
		return
	}
	k := r.fanout(r.s, step)
	if r.next != nil {
		for range k {
			if to := r.next(r.s, v); to == graph.None {
				r.empty(1)
			} else {
				r.reach(from[0], to, graph.NoEdge)
			}
		}
		return
	}
	var owners []spot
	var edges []uint64
	var weights []float64
	for _, p := range from {
		for e := r.g.Indptr[p.vertex]; e < r.g.Indptr[p.vertex+1]; e++ {
			owners, edges = append(owners, p), append(edges, e)
			weights = append(weights, r.bias(p.prev, p.vertex, e))
		}
	}
	picked := r.several(weights, edges, k)
	for _, i := range picked {
		r.reach(owners[i], r.g.Indices[edges[i]], edges[i])
	}
	r.empty(k - len(picked))
}

// several picks k of the edges one after another, each in proportion to its weight among those not excluded. If there are at
// most k eligible edges, it picks all of them in order.
func (r *grownSample) several(weights []float64, edges []uint64, k int) (picked []int) {
	left := slices.Clone(weights)
	drop := func(i int) {
		for j := range left {
			same := r.unique != program.Repeats && r.g.Indices[edges[i]] == r.g.Indices[edges[j]]
			if same || i == j && !(r.replace && r.unique == program.Repeats) {
				left[j] = 0
			}
		}
		r.taken = append(r.taken, r.g.Indices[edges[i]])
	}
	for i, e := range edges {
		if r.unique != program.Repeats && slices.Contains(r.taken, r.g.Indices[e]) {
			left[i] = 0
		}
	}
	if k < 0 || len(edges) <= k && !(r.replace && r.unique == program.Repeats) {
		for i := range left {
			if left[i] > 0 {
				picked = append(picked, i)
				drop(i)
			}
		}
		return picked
	}
	for range k {
		i := r.s.choose(left)
		if i < 0 {
			break
		}
		picked = append(picked, i)
		drop(i)
	}
	return picked
}

// reach records one pick and the vertex that the update returns.
func (r *grownSample) reach(from spot, dst uint32, e uint64) {
	next := dst
	if r.update != nil {
		next = r.update(r.s, from.vertex, dst)
	}
	to := next
	if to == graph.None {
		to = dst
	} else if to != dst {
		e = graph.NoEdge
	}
	parent := from.place
	if r.collective && r.next != nil {
		parent = -1
	}
	r.reached = append(r.reached, spot{next, from.vertex, len(r.row)})
	r.row = append(r.row, to)
	r.vertex(to, e, parent)
}

func (r *grownSample) empty(n int) {
	for range n {
		if !r.ragged() {
			r.reached = append(r.reached, nobody)
			r.row = append(r.row, graph.None)
			r.vertex(graph.None, graph.NoEdge, -1)
		}
	}
}

// vertex writes a vertex as growthOf does.
func (r *grownSample) vertex(v uint32, e uint64, parent int) {
	if r.layered {
		r.s.mark(strconv.Itoa(parent) + ">")
	}
	r.s.mark(strconv.Itoa(int(int32(v))) + ":")
	r.s.write(e)
}

func (r *grownSample) links() {
	var links [][3]int
	link := func(source, target int) {
		for e := r.g.Indptr[r.row[source]]; e < r.g.Indptr[r.row[source]+1]; e++ {
			if r.g.Indices[e] == r.row[target] {
				links = append(links, [3]int{source, int(e), target})
			}
		}
	}
	switch r.record {
	case program.Adjacency:
		first := 0
		for level := range len(r.ends) - 1 {
			for source := first; source < r.ends[level]; source++ {
				for target := r.ends[level]; target < r.ends[level+1]; target++ {
					link(source, target)
				}
			}
			first = r.ends[level]
		}
	case program.Induced:
		for source := range r.row {
			for target := range r.row {
				if slices.Index(r.row, r.row[source]) == source && slices.Index(r.row, r.row[target]) == target {
					link(source, target)
				}
			}
		}
	}
	slices.SortFunc(links, func(a, b [3]int) int { return slices.Compare(a[:], b[:]) })
	for _, l := range links {
		r.s.out = appendLink(r.s.out, l[0], l[1], l[2])
	}
}

func appendLink(out []byte, source, position, target int) []byte {
	for _, x := range []int{source, target, position} {
		out = append(strconv.AppendInt(append(out, '/'), int64(x), 10), ' ')
	}
	return out
}

// growthOf writes a row as program does.
func growthOf(_ *graph.Graph, row app.Row, out []byte) []byte {
	roots, layered := len(row.Vertices)-len(row.Edges), len(row.Ends) > 0
	ends := row.Ends[min(1, len(row.Ends)):]
	for i, e := range row.Edges {
		if layered {
			out = append(strconv.AppendInt(out, int64(row.Parents[i]), 10), '>')
		}
		out = append(strconv.AppendInt(out, int64(int32(row.Vertices[roots+i])), 10), ':')
		out = appendPosition(out, e)
		for len(ends) > 0 && int(ends[0]) == roots+i+1 {
			out, ends = append(out, "; "...), ends[1:]
		}
	}
	for _, l := range row.Links {
		out = appendLink(out, int(l.Source), int(l.Position), int(l.Target))
	}
	return out
}
