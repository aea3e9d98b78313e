package app

import (
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// MiniBatch samples the multi-hop neighbourhood of a batch of vertices as relabelled blocks, one a hop, in which every
// vertex is expanded once (PGSampler; the message-flow graphs of DGL).
type MiniBatch struct {
	Fanouts  []int    `json:"fanouts"` // from the batch outwards; -1: all edges
	Replace  bool     `json:"replace"`
	Weighted Weighted `json:"weighted"`
}

// Check refuses fan-outs that are neither positive nor -1.
func (a *MiniBatch) Check() error {
	for i, f := range a.Fanouts {
		if f < 1 && f != -1 {
			return refuse.Value("fanouts[%d] = %d: expected at least 1, or -1 for all", i, f)
		}
	}
	if len(a.Fanouts) == 0 {
		return refuse.Value("fanouts is empty: expected one number a hop")
	}
	return a.Weighted.stored()
}

// Weighs is true where the choices follow g's weights.
func (a *MiniBatch) Weighs(g *graph.Graph) bool { return a.Weighted.follows(g) }

// Bind decides whether the choices are weighted.
func (a *MiniBatch) Bind(g *graph.Graph) (*MiniBatch, error) {
	w, err := a.Weighted.bind(g)
	return &MiniBatch{a.Fanouts, a.Replace, w}, err
}

// Selector is Uniform, Alias, Permute or Successive.
func (a *MiniBatch) Selector() string { return fanoutSelector(a.Replace, a.Weighted) }

// Hop is what one hop adds, in local ids: destination i has the sources Indices[Indptr[i]:Indptr[i+1]]. Sources are
// numbered in the order of their first appearance, the destinations before all others.
type Hop struct {
	Destinations, Sources int
	Indptr                []int64
	Indices               []int64
	Positions             []uint64 // of the edges
}

// HopStream gives the stream of a hop: a vertex's choices hang under Key(vertex), so they do not depend on its place in
// the batch.
func HopStream(seed uint64, hop int) rng.Stream {
	return rng.NewStream(seed, rng.Choices).Key(0).Stream(uint64(hop))
}

// Sample is the serial definition. Hop h expands every vertex met so far, in the order of first appearance, and leaves
// out the edges at excluded positions. vertices are the batch's, then those that the hops met. A batch names a vertex
// once: engines refuse one that repeats.
func (a *MiniBatch) Sample(g *graph.Graph, seed uint64, batch []uint32, excluded map[uint64]bool) (vertices []uint32, hops []Hop) {
	local := map[uint32]int64{}
	number := func(v uint32) int64 {
		i, ok := local[v]
		if !ok {
			i = int64(len(vertices))
			local[v] = i
			vertices = append(vertices, v)
		}
		return i
	}
	for _, v := range batch {
		number(v)
	}
	for h, fanout := range a.Fanouts {
		hop := Hop{Destinations: len(vertices), Indptr: []int64{0}}
		stream := HopStream(seed, h)
		for _, u := range slices.Clone(vertices) {
			for _, position := range a.expand(g, u, stream.Key(uint64(u)), fanout, excluded) {
				hop.Indices = append(hop.Indices, number(g.Indices[position]))
				hop.Positions = append(hop.Positions, position)
			}
			hop.Indptr = append(hop.Indptr, int64(len(hop.Indices)))
		}
		hop.Sources = len(vertices)
		hops = append(hops, hop)
	}
	return vertices, hops
}

// expand gives the positions of the edges that u takes; all of them where the fan-out is -1.
func (a *MiniBatch) expand(g *graph.Graph, u uint32, key rng.Key, fanout int, excluded map[uint64]bool) []uint64 {
	c := g.Without(u, excluded)
	k, replace := uint64(fanout), a.Replace
	if fanout < 0 {
		k, replace = c.N, false
	}
	picks := choices(c, key, k, replace, a.Weighted)
	for i, p := range picks {
		picks[i] = c.Position(p)
	}
	return picks
}
