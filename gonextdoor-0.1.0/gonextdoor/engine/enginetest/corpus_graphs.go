package enginetest

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/rng"
)

// place is a graph with the name that cases report.
type place struct {
	name string
	g    *graph.Graph
	many bool // whether its cases are run with many rows
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
		all[i].g = graphtest.Timed(graphtest.Labelled(all[i].g))
	}
	return all
}

// wideIDs returns the graph with edge ids of 64 bits, as graphs with more than 2^32 edges have.
func wideIDs(g *graph.Graph) *graph.Graph {
	for _, id := range g.EdgeIDs {
		g.EdgeIDs64 = append(g.EdgeIDs64, uint64(id))
	}
	g.EdgeIDs = nil
	return g
}

// wild returns a graph with loops, parallel edges, sinks, zero biases, degrees from 0 to 100, and edge ids in no order.
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
