package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
)

// DrawnLayer is a layer of vertices that were drawn in proportion to importances.
type DrawnLayer struct {
	Norm     index.Normalization
	Vertices []uint32
	Chosen   []uint64 // the importances of vertices
	Total    uint64   // the sum of the importances of all candidates
}

// Factor returns the part of the value of an entry that depends on its column: Target(d) / (s * b/total). Here s is the
// number of vertices drawn, d the size of the vertex's row with its self-loop, and b its importance of total. With this
// factor the sum over the drawn vertices estimates the sum over all vertices.
func Factor(n index.Normalization, d, b, total uint64, s int) float64 {
	return n.Target(d) * (float64(total) / float64(b) / float64(s))
}

// Entries appends the links from the layer before the last to the last layer, which is l. For each place they are the
// self-loop that normalisation adds, then the edges in the order of the row. Links to several places of a vertex are in
// the order of the places. If normalize is true, the values of the links of each place are divided by their sum.
func (r Row) Entries(g *graph.Graph, l DrawnLayer, normalize bool) Row {
	// 1. Find the two layers, the places of each vertex of the last one, and its factor.
	places, factors := map[uint32][]int32{}, map[int32]float64{}
	levels := len(r.Ends)
	first, middle := int32(0), r.Ends[levels-2]
	if levels > 2 {
		first = r.Ends[levels-3]
	}
	for i, u := range l.Vertices {
		place := middle + int32(i)
		places[u] = append(places[u], place)
		factors[place] = Factor(l.Norm, g.Degree(u)+1, l.Chosen[i], l.Total, len(l.Vertices))
	}
	// 2. Link every place of the layer before.
	for source := first; source < middle && !r.Stopped(); source++ {
		v, begin := r.Vertices[source], len(r.Links)
		add := func(u uint32, position uint64) {
			for _, target := range places[u] {
				value := l.Norm.Source(g.Degree(v)+1) * factors[target]
				r.Links = append(r.Links, Link{source, target, position, value})
			}
		}
		add(v, graph.NoEdge)
		for p, end := g.Row(v); p < end; p++ {
			add(g.Indices[p], p)
		}
		if normalize {
			Normalize(r.Links[begin:])
		}
	}
	return r
}

// Normalize divides the values of the links by their sum.
func Normalize(links []Link) {
	sum := 0.0
	for _, l := range links {
		sum += l.Value
	}
	for i := range links {
		links[i].Value /= sum
	}
}
