package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// pick takes one candidate: by Alias where weighted, by Uniform otherwise; -1 if there is none.
func pick(c index.Candidates, word uint64, weighted Weighted) int64 {
	if weighted == Yes {
		return selector.Alias(word, c.Table())
	}
	return selector.Uniform(word, c.N)
}

// choose takes one edge of u. From None, and from a sink, it leads to None.
func choose(g *graph.Graph, u uint32, word uint64, weighted Weighted) (v uint32, position uint64) {
	if u == graph.None {
		return graph.None, graph.NoEdge
	}
	c := index.CandidatesOf(g, u)
	i := pick(c, word, weighted)
	if i < 0 {
		return graph.None, graph.NoEdge
	}
	position = c.Position(uint64(i))
	return g.Indices[position], position
}

// choices takes k candidates: with replacement, number i with the word at slot i; without, by Permute or Successive.
func choices(c index.Candidates, key rng.Key, k uint64, replace bool, weighted Weighted) (picks []uint64) {
	switch {
	case replace:
		for i := range k {
			if j := pick(c, key.Word(i), weighted); j >= 0 {
				picks = append(picks, uint64(j))
			}
		}
	case weighted == Yes:
		picks = selector.Successive(key, k, c.Table(), c.Biases, picks)
	default:
		picks = selector.Permute(key, k, c.N, picks)
	}
	return picks
}

// staticSelector returns the name of pick's selector.
func staticSelector(w Weighted) string {
	if w == Yes {
		return "Alias"
	}
	return "Uniform"
}

// fanoutSelector returns the name of the selector of choices.
func fanoutSelector(replace bool, w Weighted) string {
	switch {
	case replace:
		return staticSelector(w)
	case w == Yes:
		return "Successive"
	default:
		return "Permute"
	}
}
