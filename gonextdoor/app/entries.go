package app

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
)

// checkSizes refuses sizes of layers below 1 and samples of more than 2^28 vertices.
func checkSizes(sizes []int) error {
	sum := 0
	for i, s := range sizes {
		if s < 1 {
			return refuse.Value("sizes[%d] = %d: expected at least 1", i, s)
		}
		if sum += min(s, maxWidth); sum >= maxWidth {
			return refuse.Value("sizes = %v: expected less than 2^28 vertices a sample", sizes)
		}
	}
	return nil
}

// layer is what was chosen of one: vertices in proportion to importances, which sum to Total.
type layer struct {
	norm     index.Normalization
	vertices []uint32
	chosen   []uint64 // the importances
	total    uint64
}

// AddLayer appends the vertices as a step that no edge led to.
func (r Row) AddLayer(vertices []uint32) Row {
	for _, v := range vertices {
		r = r.Add(v, graph.NoEdge)
		r.Parents = append(r.Parents, -1)
	}
	r.Ends = append(r.Ends, int32(len(r.Vertices)))
	return r
}

// Factor is the part of an entry's value that hangs on its column: with s vertices chosen in proportion to importances,
// this one being b of total, it is Target(D) / (s * b/total), so that the sum over what was chosen estimates the sum over
// all vertices.
func Factor(n index.Normalization, d, b, total uint64, s int) float64 {
	return n.Target(d) * (float64(total) / float64(b) / float64(s))
}

// entries records how the layer before the last is connected with the last: for each place, the loop that normalising
// adds, then the edges in the order of the row; of several places of one vertex, the first comes first. With normalize
// the values of each place are divided by their sum.
func (r Row) entries(g *graph.Graph, l layer, normalize bool) Row {
	places, factors := map[uint32][]int32{}, map[int32]float64{}
	levels := len(r.Ends)
	first, middle := int32(0), r.Ends[levels-2]
	if levels > 2 {
		first = r.Ends[levels-3]
	}
	for i, u := range l.vertices {
		place := middle + int32(i)
		places[u] = append(places[u], place)
		factors[place] = Factor(l.norm, g.Degree(u)+1, l.chosen[i], l.total, len(l.vertices))
	}
	for source := first; source < middle && !r.Stopped(); source++ {
		v, begin := r.Vertices[source], len(r.Links)
		add := func(u uint32, position uint64) {
			for _, target := range places[u] {
				value := l.norm.Source(g.Degree(v)+1) * factors[target]
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
