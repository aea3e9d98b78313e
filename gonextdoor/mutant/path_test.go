package mutant

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// pathFault has a faulty function of walks along labels. A nil function is the correct one.
type pathFault struct {
	at    func(step int) int                     // the step whose label counts
	pick  func(word uint64, biases []uint64) int // the place of an edge in its row, or -1; edges with another label have no bias
	stops func(key rng.Key, step int, threshold uint64) bool
}

// pathBy returns mutants of MetaPath walks.
func pathBy(f pathFault) func(app.App) apptest.Sampler {
	if f.at == nil {
		f.at = func(step int) int { return step }
	}
	if f.pick == nil {
		f.pick = weighed
	}
	if f.stops == nil {
		f.stops = func(key rng.Key, step int, threshold uint64) bool {
			return step > 0 && key.Word(rng.Slot(uint64(step), 192))>>32 < threshold
		}
	}
	return func(a app.App) apptest.Sampler {
		m, ok := a.(*apps.MetaPath)
		if !ok {
			return nil
		}
		return func(g *graph.Graph, key rng.Key, roots []uint32, out app.Row) app.Row {
			v := roots[0]
			out.Vertices = append(out.Vertices, v)
			for s := range m.Length {
				e := graph.NoEdge
				if v != graph.None && !f.stops(key, s, m.Threshold()) {
					e = f.step(g, v, m.Weighted == app.Computed, m.Labels[f.at(s)%len(m.Labels)], key.Word(rng.Slot(uint64(s), 0)))
				}
				if v = graph.None; e != graph.NoEdge {
					v = g.Indices[e]
				}
				out = out.Add(v, e)
			}
			return out
		}
	}
}

func (f pathFault) step(g *graph.Graph, v uint32, weighted bool, label int32, word uint64) uint64 {
	first, end := g.Row(v)
	biases := make([]uint64, end-first)
	for i := range biases {
		at := first + uint64(i)
		switch {
		case g.Labels[at] == label && weighted:
			biases[i] = uint64(g.Biases[at])
		case g.Labels[at] == label:
			biases[i] = 1
		}
	}
	i := f.pick(word, biases)
	if i < 0 {
		return graph.NoEdge
	}
	return first + uint64(i)
}

// weighed picks an edge in proportion to its bias.
func weighed(word uint64, biases []uint64) int {
	return int(selector.Scan(word, len(biases), func(i int) uint64 { return biases[i] }))
}

var pathMutants = []mutant{
	{"MetaPath: uniform edge, then the next edge with the label", likely, pathBy(pathFault{pick: func(word uint64, biases []uint64) int {
		i := selector.Uniform(word, uint64(len(biases)))
		for k := range biases {
			if at := (int(i) + k) % len(biases); biases[at] > 0 {
				return at
			}
		}
		return -1
	}})},
	{"MetaPath: walk ends if a proposal has another label", likely, pathBy(pathFault{pick: func(word uint64, biases []uint64) int {
		if i := selector.Uniform(word, uint64(len(biases))); i >= 0 && biases[i] > 0 {
			return int(i)
		}
		return -1
	}})},
	{"MetaPath: labels ignored", likely, pathBy(pathFault{pick: func(word uint64, biases []uint64) int {
		return int(selector.Uniform(word, uint64(len(biases))))
	}})},
	{"MetaPath: last edge of a label never drawn", likely, pathBy(pathFault{pick: func(word uint64, biases []uint64) int {
		for i := len(biases) - 1; i >= 0; i-- {
			if biases[i] > 0 {
				if at := weighed(word, biases[:i]); at >= 0 {
					return at
				}
				return i
			}
		}
		return -1
	}})},
	{"MetaPath: label of the next step used", likely, pathBy(pathFault{at: func(s int) int { return s + 1 }})},
	{"MetaPath: label of the first step used at all steps", likely, pathBy(pathFault{at: func(int) int { return 0 }})},
	{"MetaPath: label of the second step used at all later steps", likely, pathBy(pathFault{at: func(s int) int { return min(s, 1) }})},
	{"MetaPath: weights ignored", likely, pathBy(pathFault{pick: func(word uint64, biases []uint64) int {
		return int(selector.Scan(word, len(biases), func(i int) uint64 { return min(1, biases[i]) }))
	}})},
	{"MetaPath: weights of other labels in the sum", likely, pathBy(pathFault{pick: func(word uint64, biases []uint64) int {
		i := int(selector.Scan(word, len(biases), func(i int) uint64 { return max(1, biases[i]) }))
		if i >= 0 && biases[i] == 0 {
			return -1
		}
		return i
	}})},
	{"MetaPath: stop decision reuses the random word of the step", likely, pathBy(pathFault{stops: func(key rng.Key, step int, threshold uint64) bool {
		return step > 0 && key.Word(rng.Slot(uint64(step), 0))>>32 < threshold
	}})},
	{"MetaPath: stop possible before the first step", likely, pathBy(pathFault{stops: func(key rng.Key, step int, threshold uint64) bool {
		return key.Word(rng.Slot(uint64(step), 192))>>32 < threshold
	}})},
	{"MetaPath: never stops", likely, pathBy(pathFault{stops: func(rng.Key, int, uint64) bool { return false }})},
}
