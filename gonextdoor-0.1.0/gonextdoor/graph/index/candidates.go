package index

import (
	"gonextdoor/gonextdoor/graph"
)

// Candidates are the edges of one vertex that a choice may select, numbered from 0.
type Candidates struct {
	N      uint64
	Biases []uint32    // nil: no weighted choices, because there are no alias tables
	Alias  []AliasSlot // empty: all biases are 0, or Biases is nil
	first  uint64      // position of candidate 0, if positions is nil

	positions []uint64 // of the candidates, if some edges are excluded
}

// Position returns the position of candidate i.
func (c Candidates) Position(i uint64) uint64 {
	if c.positions != nil {
		return c.positions[i]
	}
	return c.first + i
}

// Table returns the alias table of the candidates. It panics if BuildAlias was not called: otherwise the choice would silently
// be that of a row without biases.
func (c Candidates) Table() []AliasSlot {
	if c.Biases == nil {
		panic("index: a weighted choice, but the graph has no alias tables: call BuildAlias")
	}
	return c.Alias
}

// CandidatesOf returns all edges of u, with biases if the graph has alias tables.
func CandidatesOf(g *graph.Graph, u uint32) Candidates {
	first, end := g.Row(u)
	c := Candidates{N: end - first, first: first}
	if AliasOf(g) != nil {
		c.Biases, c.Alias = g.Biases[first:end], AliasRow(g, u)
	}
	return c
}

// CandidatesWithout returns the edges of u except those with excluded ids, without biases.
func CandidatesWithout(g *graph.Graph, u uint32, excluded map[int64]bool) Candidates {
	all := CandidatesOf(g, u)
	positions := make([]uint64, 0, all.N)
	for i := range all.N {
		if p := all.Position(i); !excluded[int64(g.EdgeID(p))] {
			positions = append(positions, p)
		}
	}
	return Candidates{N: uint64(len(positions)), positions: positions}
}
