package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// Pick selects one candidate by Alias if weighted is Yes, by Uniform otherwise. It returns -1 if there is none.
func Pick(c index.Candidates, word uint64, weighted Weighted) int64 {
	if weighted == Yes {
		return selector.Alias(word, c.Table())
	}
	return selector.Uniform(word, c.N)
}

// Choose selects one edge of u, and returns its end point and position. From None and from a sink it returns None. It is Pick,
// or Scan over the biases of the row if weighted is Computed.
func Choose(g *graph.Graph, u uint32, word uint64, weighted Weighted) (v uint32, position uint64) {
	if u == graph.None {
		return graph.None, graph.NoEdge
	}
	c := index.CandidatesOf(g, u)
	i := int64(-1)
	if weighted == Computed {
		first, end := g.Row(u)
		i = selector.Scan(word, int(c.N), func(i int) uint64 { return uint64(g.Biases[first:end][i]) })
	} else {
		i = Pick(c, word, weighted)
	}
	if i < 0 {
		return graph.None, graph.NoEdge
	}
	position = c.Position(uint64(i))
	return g.Indices[position], position
}

// Choices selects k candidates. With replacement, pick i takes the word at slot i; without, they are selected by Permute or
// Successive, and all are taken if there are at most k.
func Choices(c index.Candidates, key rng.Key, k uint64, replace bool, weighted Weighted) (picks []uint64) {
	switch {
	case replace:
		for i := range k {
			if j := Pick(c, key.Word(i), weighted); j >= 0 {
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

// StaticSelector returns the name of the selector of Choose.
func StaticSelector(w Weighted) string {
	switch w {
	case Yes:
		return "Alias"
	case Computed:
		return "Search"
	}
	return "Uniform"
}

// FanoutSelector returns the name of the selector of choices.
func FanoutSelector(replace bool, w Weighted) string {
	switch {
	case replace:
		return StaticSelector(w)
	case w == Yes:
		return "Successive"
	default:
		return "Permute"
	}
}

// DrawKey returns the key of a sample's draws from the whole graph, Stream(0).Key(0) under the key of the sample. Draw i
// takes the word at slot i.
func DrawKey(key rng.Key) rng.Key { return key.Stream(0).Key(0) }
