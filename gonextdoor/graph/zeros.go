package graph

import (
	"sync"

	"gonextdoor/gonextdoor/offheap"
)

// zeros are arrays of a word and a bit for each vertex, all zero, that are lent to who marks vertices. They are kept with
// the graph, so that a short call need not ask for one.
type zeros struct {
	mu   sync.Mutex
	free [][]uint32
}

// LendZeros gives an array of NumVertices zeros, and behind it one with a bit for each vertex.
func (g *Graph) LendZeros() (words, bits []uint32, err error) {
	s, err := g.lendZeros()
	if err != nil {
		return nil, nil, err
	}
	return s[:g.NumVertices()], s[g.NumVertices():], nil
}

func (g *Graph) lendZeros() ([]uint32, error) {
	z := &g.tables.zeros
	z.mu.Lock()
	defer z.mu.Unlock()
	if n := len(z.free); n > 0 {
		s := z.free[n-1]
		z.free = z.free[:n-1]
		return s, nil
	}
	return offheap.Make[uint32](g.NumVertices() + g.NumVertices()/32 + 1)
}

// ReturnZeros takes the words of an array back, which is all zero again.
func (g *Graph) ReturnZeros(words []uint32) {
	z := &g.tables.zeros
	z.mu.Lock()
	defer z.mu.Unlock()
	z.free = append(z.free, words[:cap(words)])
}

func (z *zeros) close() {
	z.mu.Lock()
	defer z.mu.Unlock()
	for _, s := range z.free {
		offheap.Free(s)
	}
	z.free = nil
}
