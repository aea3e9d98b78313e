package mutant

import (
	"math/bits"
	"slices"

	"gonextdoor/gonextdoor/app"
)

// laborFault selects a fault of LABOR; the zero value has none.
type laborFault struct {
	perEdge     bool // the random number of an end point depends on the vertex that the edge leaves
	largest     bool // the edges with the largest ratios are taken
	oneHop      bool // all hops share their numbers
	ownHops     bool // hops never share their numbers
	perRelation bool // relations do not share their numbers
	simple      bool // one of several parallel edges is taken
	flat        bool // weights are ignored
	product     bool // numbers are multiplied by weights, not divided
	capped      bool // Poisson sampling takes at most as many edges as the fan-out
	gross       bool // Poisson sampling counts excluded edges
}

// byLabor returns the edges that a node takes by LABOR.
func (d *batchDraw) byLabor(seed uint64, r, hop int, u batchNode) (chosen []uint64) {
	relation, f := d.h.Relations[r], d.labor
	g, fanout := relation.Graph, d.a.Fanouts[hop][r]
	left, _ := d.left(r, u)
	// 1. The random number of each edge.
	if f.oneHop || d.oneHop || d.a.LayerDependency && !f.ownHops {
		hop = 0
	}
	stream := app.HopStream(seed, relation.Source, hop)
	if f.perRelation {
		stream = app.HopStream(seed, r, hop)
	}
	if f.perEdge {
		stream = stream.Key(uint64(u.vertex)).Stream(0)
	}
	number := func(p uint64) (word, bias uint64) {
		if word = stream.Number(g.Indices[p]); !d.a.Weighs(g) || f.flat {
			return word, 1
		}
		return word, uint64(g.Biases[p])
	}
	// 2. Fan-outs of all edges, and Poisson sampling.
	if d.a.Method == app.MethodLaborPoisson {
		n := uint64(len(left))
		if f.gross {
			n = g.Degree(u.vertex)
		}
		for _, p := range left {
			word, _ := number(p)
			if i, _ := bits.Mul64(word, n); fanout < 0 || i < uint64(fanout) {
				chosen = append(chosen, p)
			}
		}
		if f.capped && fanout >= 0 {
			chosen = chosen[:min(fanout, len(chosen))]
		}
		return chosen
	}
	// 3. Sequential Poisson sampling: one after another the edge with the smallest ratio.
	left = slices.DeleteFunc(left, func(p uint64) bool { _, bias := number(p); return bias == 0 })
	for k := len(left); k > 0 && (fanout < 0 || len(chosen) < fanout); k-- {
		best := slices.MinFunc(left, func(p, q uint64) int {
			a, x := number(p)
			b, y := number(q)
			if f.product {
				x, y = y, x
			}
			high, low := bits.Mul64(a, y)
			otherHigh, otherLow := bits.Mul64(b, x)
			order := slices.Compare([]uint64{high, low}, []uint64{otherHigh, otherLow})
			if f.largest {
				return -order
			}
			return order
		})
		if left = slices.DeleteFunc(left, func(p uint64) bool { return p == best }); !f.simple || !reaches(g.Indices, chosen, best) {
			chosen = append(chosen, best)
		}
	}
	slices.Sort(chosen)
	return chosen
}

// reaches reports whether one of the positions leads to the same end point as another.
func reaches(indices []uint32, positions []uint64, other uint64) bool {
	return slices.ContainsFunc(positions, func(p uint64) bool { return indices[p] == indices[other] })
}
