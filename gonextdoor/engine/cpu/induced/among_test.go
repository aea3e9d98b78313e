package induced

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
)

// edge is the place of a vertex, the place of an end, and an id.
type edge [3]int64

// definition is Among by a search of every list for every edge.
func definition(g *graph.Graph, groups Groups) (out []edge) {
	begin, other := int64(0), int64(0)
	for k, end := range groups.Ends {
		others := groups.Others[other:groups.OtherEnds[k]]
		for i := begin; i < end; i++ {
			first, last := g.Row(uint32(groups.Vertices[i]))
			for position := first; position < last; position++ {
				if at := slices.Index(others, int64(g.Indices[position])); at >= 0 {
					out = append(out, edge{i, other + int64(at), int64(g.EdgeID(position))})
				}
			}
		}
		begin, other = end, groups.OtherEnds[k]
	}
	if groups.Order == ByOther {
		slices.SortStableFunc(out, func(a, b edge) int { return int(a[1] - b[1]) })
		for i, e := range out {
			out[i] = edge{e[1], e[0], e[2]}
		}
	}
	return out
}

// TestAmongEqualsItsDefinition compares the edges between random groups, of which some repeat vertices, with the definition. The
// first call reads rows, which pays for words; later calls read words.
func TestAmongEqualsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	g := graphtest.RMAT(t, build.RMAT{Scale: 9, EdgeFactor: 16, Symmetric: true})
	lists := func(size, most int) (vertices, ends []int64) {
		for k := range 30 {
			for range k * k / size {
				vertices = append(vertices, int64(r.IntN(most)))
			}
			ends = append(ends, int64(len(vertices)))
		}
		return vertices, ends
	}
	for _, order := range []Order{ByVertex, ByOther} {
		groups := Groups{Order: order}
		groups.Vertices, groups.Ends = lists(3, g.NumVertices())
		groups.Others, groups.OtherEnds = lists(5, 200)
		same := Groups{groups.Vertices, groups.Ends, groups.Vertices, groups.Ends, order}
		for i, one := range []Groups{groups, same, {Order: order}} { // later calls borrow the scratch memory of the first
			if made := index.EndWordsNow(g).Words != nil; made != (order > 0 || i > 0) {
				t.Fatalf("order %d, groups %d: whether words are made is %v", order, i, made)
			}
			found, err := Among(g, one)
			if err != nil {
				t.Fatal(err)
			}
			var got []edge
			for k, id := range found.IDs {
				got = append(got, edge{found.Places[k], found.Places[len(found.IDs)+k], id})
			}
			if want := definition(g, one); (i < 2) != (len(want) > 0) || !slices.Equal(got, want) {
				t.Fatalf("order %d, groups %d: %d edges, expected %d, or others", order, i, len(got), len(want))
			}
			found.Return()
		}
	}
}

// TestAmongRefusesOtherVertices passes vertices that are not in the graph.
func TestAmongRefusesOtherVertices(t *testing.T) {
	g := graphtest.RMAT(t, build.RMAT{Scale: 4, EdgeFactor: 2, Symmetric: true})
	for _, v := range []int64{-1, 16} {
		one, none := []int64{v}, []int64{3}
		for _, groups := range []Groups{{Vertices: one, Others: none}, {Vertices: none, Others: one}} {
			if _, err := Among(g, groups); err == nil {
				t.Errorf("vertex %d was accepted", v)
			}
		}
	}
}
