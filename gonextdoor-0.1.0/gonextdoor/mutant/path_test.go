package mutant

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// pathFault has a faulty function of unweighted walks along labels. A nil function is the correct one.
type pathFault struct {
	at    func(step int) int                // the step whose label counts
	pick  func(word uint64, has []bool) int // the place of an edge in its row, or -1
	stops func(key rng.Key, step int, threshold uint64) bool
}

// pathBy returns mutants of unweighted MetaPath walks.
func pathBy(f pathFault) func(app.App) apptest.Sampler {
	if f.at == nil {
		f.at = func(step int) int { return step }
	}
	if f.pick == nil {
		f.pick = numbered
	}
	if f.stops == nil {
		f.stops = func(key rng.Key, step int, threshold uint64) bool {
			return step > 0 && key.Word(rng.Slot(uint64(step), 192))>>32 < threshold
		}
	}
	return func(a app.App) apptest.Sampler {
		m, ok := a.(*apps.MetaPath)
		if !ok || m.Computes() {
			return nil
		}
		return func(g *graph.Graph, key rng.Key, roots []uint32, out app.Row) app.Row {
			v := roots[0]
			out.Vertices = append(out.Vertices, v)
			for s := range m.Length {
				e := graph.NoEdge
				if v != graph.None && !f.stops(key, s, m.Threshold()) {
					e = f.step(g, v, m.Labels[f.at(s)%len(m.Labels)], key.Word(rng.Slot(uint64(s), 0)))
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

func (f pathFault) step(g *graph.Graph, v uint32, label int32, word uint64) uint64 {
	first, end := g.Row(v)
	has := make([]bool, end-first)
	for i := range has {
		has[i] = g.Labels[first+uint64(i)] == label
	}
	i := f.pick(word, has)
	if i < 0 {
		return graph.NoEdge
	}
	return first + uint64(i)
}

// numbered picks one of the edges with the label, by its number among them.
func numbered(word uint64, has []bool) int {
	var places []int
	for i, yes := range has {
		if yes {
			places = append(places, i)
		}
	}
	i := selector.Uniform(word, uint64(len(places)))
	if i < 0 {
		return -1
	}
	return places[i]
}

// pathAt uses the label of another step, in weighted and unweighted walks.
func pathAt(step func(int) int) func(app.App) apptest.Sampler {
	return func(a app.App) apptest.Sampler {
		if weighted := oneStepBy(atStep(step), "MetaPath")(a); weighted != nil {
			return weighted
		}
		return pathBy(pathFault{at: step})(a)
	}
}

var pathMutants = []mutant{
	{"MetaPath: uniform edge, then the next edge with the label", likely, pathBy(pathFault{pick: func(word uint64, has []bool) int {
		i := selector.Uniform(word, uint64(len(has)))
		for k := range has {
			if at := (int(i) + k) % len(has); has[at] {
				return at
			}
		}
		return -1
	}})},
	{"MetaPath: walk ends if a proposal has another label", likely, pathBy(pathFault{pick: func(word uint64, has []bool) int {
		if i := selector.Uniform(word, uint64(len(has))); i >= 0 && has[i] {
			return int(i)
		}
		return -1
	}})},
	{"MetaPath: labels ignored", likely, pathBy(pathFault{pick: func(word uint64, has []bool) int {
		return int(selector.Uniform(word, uint64(len(has))))
	}})},
	{"MetaPath: last edge of a label never drawn", likely, pathBy(pathFault{pick: func(word uint64, has []bool) int {
		for i := len(has) - 1; i >= 0; i-- {
			if has[i] {
				if at := numbered(word, has[:i]); at >= 0 {
					return at
				}
				return i
			}
		}
		return -1
	}})},
	{"MetaPath: stop decision reuses the random word of the step", likely, pathBy(pathFault{stops: func(key rng.Key, step int, threshold uint64) bool {
		return step > 0 && key.Word(rng.Slot(uint64(step), 0))>>32 < threshold
	}})},
	{"MetaPath: stop possible before the first step", likely, pathBy(pathFault{stops: func(key rng.Key, step int, threshold uint64) bool {
		return key.Word(rng.Slot(uint64(step), 192))>>32 < threshold
	}})},
	{"MetaPath: never stops", likely, pathBy(pathFault{stops: func(rng.Key, int, uint64) bool { return false }})},
}
