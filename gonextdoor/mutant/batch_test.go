package mutant

import (
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
)

// batchFault is what may be wrong with a mini-batch.
type batchFault struct {
	twice   bool // a vertex met again is numbered, and expanded, again
	asGiven bool // so is a vertex that the batch holds twice
	late    bool // excluded edges are chosen, then dropped
	blind   bool // excluded edges are not excluded
	byPlace bool // a vertex's key is its place in the batch
	oneHop  bool // all hops share their keys
	sorted  bool // new vertices are numbered by id, not by first appearance
	newOnly bool // only the vertices of the hop before are expanded
	all     bool // fan-out -1 takes edges without a bias too
}

func batchBy(f batchFault) func(*app.MiniBatch) apptest.BatchSampler {
	return func(a *app.MiniBatch) apptest.BatchSampler {
		return func(h *graph.Hetero, seed uint64, s app.Seeds) app.Neighborhood {
			m, g, excluded := meeting{}, h.Relations[0].Graph, map[int64]bool{}
			for _, id := range s.Excluded[0] {
				excluded[id] = true
			}
			for _, v := range s.Vertices[0] {
				m.number(v, f.asGiven)
			}
			var hops [][]app.Hop
			before, fresh := 0, []int{len(m.met)}
			for h, fanouts := range a.Fanouts {
				hop := app.Hop{Destinations: len(m.met), Indptr: []int64{0}}
				var chosen [][]uint64
				for i, u := range m.met {
					if f.newOnly && i < before {
						chosen = append(chosen, nil)
						continue
					}
					chosen = append(chosen, f.expand(a, g, u, f.key(seed, h, i, u), fanouts[0], excluded))
				}
				if f.sorted {
					m.numberSorted(g, chosen)
				}
				for _, edges := range chosen {
					for _, e := range edges {
						hop.Indices, hop.Positions = append(hop.Indices, m.number(g.Indices[e], f.twice)), append(hop.Positions, e)
					}
					hop.Indptr = append(hop.Indptr, int64(len(hop.Indices)))
				}
				before, fresh = hop.Destinations, append(fresh, len(m.met)-hop.Destinations)
				hops = append(hops, []app.Hop{hop})
			}
			return app.Neighborhood{Nodes: [][]uint32{m.met}, New: [][]int{fresh}, Hops: hops}
		}
	}
}

// meeting numbers vertices in the order in which they are met.
type meeting struct{ met []uint32 }

func (m *meeting) number(v uint32, anew bool) int64 {
	if i := slices.Index(m.met, v); i >= 0 && !anew {
		return int64(i)
	}
	m.met = append(m.met, v)
	return int64(len(m.met) - 1)
}

func (m *meeting) numberSorted(g *graph.Graph, chosen [][]uint64) {
	var ends []uint32
	for _, e := range slices.Concat(chosen...) {
		ends = append(ends, g.Indices[e])
	}
	slices.Sort(ends)
	for _, v := range ends {
		m.number(v, false)
	}
}

func (f batchFault) key(seed uint64, hop, place int, u uint32) rng.Key {
	if f.oneHop {
		hop = 0
	}
	if f.byPlace {
		return app.HopStream(seed, 0, hop).Key(uint64(place))
	}
	return app.HopStream(seed, 0, hop).Key(uint64(u))
}

func (f batchFault) expand(a *app.MiniBatch, g *graph.Graph, u uint32, key rng.Key, fanout int, excluded map[int64]bool) []uint64 {
	c := g.Without(u, excluded)
	if f.late || f.blind {
		c = g.Candidates(u)
	}
	r := row{n: c.N}
	if a.Weighs(g) {
		r.biases, r.slots = c.Biases, c.Alias
	}
	k, replace := uint64(fanout), a.Replace
	if fanout < 0 {
		k, replace = c.N, false
		if f.all {
			r.biases, r.slots = nil, nil
		}
	}
	var positions []uint64
	for _, p := range rightPicks(key, k, r, replace) {
		if position := c.Position(p); !f.late || !excluded[int64(g.EdgeID(position))] {
			positions = append(positions, position)
		}
	}
	return positions
}

var batchMutants = []batchMutant{
	{"MiniBatch: a vertex met again is expanded again", likely, batchBy(batchFault{twice: true})},
	{"MiniBatch: a vertex given twice is expanded twice", likely, batchBy(batchFault{asGiven: true})},
	{"MiniBatch: excluded edges are chosen, then dropped", likely, batchBy(batchFault{late: true})},
	{"MiniBatch: excluded edges are not excluded", likely, batchBy(batchFault{blind: true})},
	{"MiniBatch: a vertex's key is its place in the batch", likely, batchBy(batchFault{byPlace: true})},
	{"MiniBatch: one key for all hops", likely, batchBy(batchFault{oneHop: true})},
	{"MiniBatch: new vertices numbered by id", likely, batchBy(batchFault{sorted: true})},
	{"MiniBatch: only new vertices are expanded", likely, batchBy(batchFault{newOnly: true})},
	{"MiniBatch: all edges include those without a bias", likely, batchBy(batchFault{all: true})},
}
