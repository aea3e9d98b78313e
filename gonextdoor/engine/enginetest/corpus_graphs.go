package enginetest

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/rng"
)

// place is a graph as cases name it.
type place struct {
	name string
	g    *graph.Graph
	many bool // worth many rows
}

func graphs() (all []place) {
	for _, weighted := range []bool{false, true} {
		word := " unweighted"
		if weighted {
			word = " weighted"
		}
		for _, p := range []place{
			{"thicket", graphtest.Thicket(weighted), weighted},
			{"diamond", graphtest.Diamond(weighted), false},
			{"one way", graphtest.OneWay(weighted), false},
			{"star", graphtest.Star(90, weighted), false},
			{"lonely", graphtest.Lonely(weighted), false},
			{"circle", graphtest.Circle(weighted), false},
			{"wild", wild(150, 1500, weighted), weighted},
		} {
			all = append(all, place{p.name + word, p.g, p.many})
		}
	}
	steep, _ := graphtest.Steep()
	all = append(all, place{"steep weighted", steep, false}, place{"wild with wide ids", wideIDs(wild(60, 400, true)), false})
	for i := range all {
		all[i].g = graphtest.Labelled(all[i].g)
	}
	return all
}

// wideIDs keeps the edges' ids in 64 bits, as graphs of more than 2^32 edges do.
func wideIDs(g *graph.Graph) *graph.Graph {
	for _, id := range g.EdgeIDs {
		g.EdgeIDs64 = append(g.EdgeIDs64, uint64(id))
	}
	g.EdgeIDs = nil
	return g
}

// wild has loops, multi-edges, sinks, zero biases and degrees from 0 to a hundred; its edges' ids are in no order.
func wild(n, edges int, weighted bool) *graph.Graph {
	list := make([]graphtest.Edge, edges)
	for i := range list {
		key := rng.NewStream(4, rng.Edges).Key(uint64(i))
		from, _ := rng.Below(key.Word(0), uint64(n))
		to, _ := rng.Below(key.Word(1), uint64(n))
		bias, _ := rng.Below(key.Word(2), 6)
		shift, _ := rng.Below(key.Word(3), 20)
		list[i] = graphtest.Edge{From: uint32(from * to / uint64(n)), To: uint32(to), Bias: uint32(bias << shift)}
	}
	return graphtest.Make(n, weighted, list)
}
