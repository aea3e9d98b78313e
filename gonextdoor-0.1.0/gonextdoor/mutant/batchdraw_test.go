package mutant

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// drawFault selects a fault of the batches of MVS and the frontiers of Neighbor; the zero value has none.
type drawFault struct {
	unscored bool // the batch is drawn uniformly
	again    bool // the batch is drawn with replacement
	capped   bool // All takes two edges at most
	merged   bool // a vertex that is reached twice is expanded once
	whole    bool // the complete frontier is expanded
	unbiased bool // edges are taken uniformly
	front    bool // the first vertices of the frontier are expanded
}

// drawBy returns mutants of MVS, and of Neighbor with a frontier.
func drawBy(f drawFault) func(app.App) apptest.Sampler {
	return func(a app.App) apptest.Sampler {
		switch a := a.(type) {
		case *apps.MVS:
			return f.mvs(a)
		case *apps.Neighbor:
			return f.neighbor(a)
		}
		return nil
	}
}

// scanning draws one after another by Scan, each with the next word.
type scanning struct {
	key  rng.Key
	word uint64
}

// some draws k of the weights, or all in order if there are at most k.
func (s *scanning) some(weights []uint64, k int, replace bool) (picks []int) {
	if !replace && len(weights) <= k {
		for i, w := range weights {
			if w > 0 {
				picks = append(picks, i)
			}
		}
		return picks
	}
	for range k {
		s.word++
		i := int(selector.Scan(s.key.Word(s.word), len(weights), func(i int) uint64 { return weights[i] }))
		if i < 0 {
			break
		}
		if picks = append(picks, i); !replace {
			weights[i] = 0
		}
	}
	return picks
}

func alike(n uint64) []uint64 {
	weights := make([]uint64, n)
	for i := range weights {
		weights[i] = 1
	}
	return weights
}

func (f drawFault) mvs(a *apps.MVS) apptest.Sampler {
	return func(g *graph.Graph, key rng.Key, _ []uint32, out app.Row) app.Row {
		s, weights := &scanning{key: key}, alike(uint64(g.NumVertices()))
		if biases := a.Candidates().Biases; biases != nil && !f.unscored {
			for i := range weights {
				weights[i] = uint64(biases[i])
			}
		}
		var batch []uint32
		for _, v := range s.some(weights, a.Batch, f.again) {
			batch = append(batch, uint32(v))
		}
		out = vertices(out, batch)
		first := 0
		for _, k := range a.Fanouts {
			end := len(out.Vertices)
			for t := first; t < end; t++ {
				n := g.Degree(out.Vertices[t])
				many := k
				if k == app.All {
					if many = int(n); f.capped {
						many = min(many, 2)
					}
				}
				out = f.reach(out, g, t, s.some(alike(n), many, false), first)
			}
			if first = end; len(out.Vertices) == end {
				break
			}
			out.Ends = append(out.Ends, int32(len(out.Vertices)))
		}
		return out
	}
}

// reach appends the edges that a transit picked.
func (f drawFault) reach(out app.Row, g *graph.Graph, t int, picks []int, first int) app.Row {
	for before := first; f.merged && before < t; before++ {
		if out.Vertices[before] == out.Vertices[t] {
			return out
		}
	}
	for _, i := range picks {
		position := g.Indptr[out.Vertices[t]] + uint64(i)
		out = out.Add(g.Indices[position], position)
		out.Parents = append(out.Parents, int32(t))
	}
	return out
}

func (f drawFault) neighbor(a *apps.Neighbor) apptest.Sampler {
	return func(g *graph.Graph, key rng.Key, roots []uint32, out app.Row) app.Row {
		out.Vertices, out.Ends = append(out.Vertices, roots...), append(out.Ends, int32(len(roots)))
		s, first := &scanning{key: key}, 0
		for _, k := range a.Fanouts {
			end := len(out.Vertices)
			size := a.FrontierSize
			if f.whole {
				size = end - first
			}
			frontier := s.some(alike(uint64(end-first)), size, false)
			for i, t := range frontier {
				if f.front {
					t = i
				}
				u := out.Vertices[first+t]
				weights := alike(g.Degree(u))
				for j, b := range index.CandidatesOf(g, u).Biases {
					if a.Bias != app.Uniform && !f.unbiased {
						weights[j] = uint64(b)
					}
				}
				out = f.reach(out, g, first+t, s.some(weights, k, a.Replace), first)
			}
			if first = end; len(out.Vertices) == end {
				break
			}
			out.Ends = append(out.Ends, int32(len(out.Vertices)))
		}
		return out
	}
}

var drawMutants = []mutant{
	{"MVS: scores ignored", likely, drawBy(drawFault{unscored: true})},
	{"MVS: batch drawn with replacement", likely, drawBy(drawFault{again: true})},
	{"MVS: fan-out -1 (all edges) limited to two", likely, drawBy(drawFault{capped: true})},
	{"MVS, Neighbor: repeated vertex not expanded again", likely, drawBy(drawFault{merged: true})},
	{"Neighbor: whole frontier expanded", likely, drawBy(drawFault{whole: true})},
	{"Neighbor: first vertices of the frontier expanded", likely, drawBy(drawFault{front: true})},
	{"Neighbor: bias ignored", likely, drawBy(drawFault{unbiased: true})},
}
