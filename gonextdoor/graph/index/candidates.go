package index

import (
	"gonextdoor/gonextdoor/graph"
)

// Candidates are the edges of one vertex that a choice is made from, numbered from 0.
type Candidates struct {
	N      uint64
	Biases []uint32    // nil: unweighted
	Alias  []AliasSlot // empty: unweighted, or no bias
	first  uint64
	kept   []uint64 // positions, where some edges are left out
}

// Position gives the position of candidate i.
func (c Candidates) Position(i uint64) uint64 {
	if c.kept != nil {
		return c.kept[i]
	}
	return c.first + i
}

// Candidates gives all edges of u, with biases where the graph has alias tables.
func CandidatesOf(g *graph.Graph, u uint32) Candidates {
	first, end := g.Row(u)
	c := Candidates{N: end - first, first: first}
	if AliasOf(g) != nil {
		c.Biases, c.Alias = g.Biases[first:end], AliasRow(g, u)
	}
	return c
}

// Without gives the edges of u less those with excluded ids, without biases.
func CandidatesWithout(g *graph.Graph, u uint32, excluded map[int64]bool) Candidates {
	all := CandidatesOf(g, u)
	kept := make([]uint64, 0, all.N)
	for i := range all.N {
		if p := all.Position(i); !excluded[int64(g.EdgeID(p))] {
			kept = append(kept, p)
		}
	}
	return Candidates{N: uint64(len(kept)), kept: kept}
}
