package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// pick selects one candidate by Alias if weighted is Yes, by Uniform otherwise. It returns -1 if there is none.
func pick(c index.Candidates, word uint64, weighted Weighted) int64 {
	if weighted == Yes {
		return selector.Alias(word, c.Table())
	}
	return selector.Uniform(word, c.N)
}

// choose selects one edge of u, and returns its end point and position. From None and from a sink it returns None.
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

// choices selects k candidates. With replacement, pick i takes the word at slot i; without, they are selected by Permute or
// Successive, and all are taken if there are at most k.
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
