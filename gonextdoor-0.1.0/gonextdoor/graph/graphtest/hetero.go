package graphtest

import "gonextdoor/gonextdoor/graph"

// Library returns a graph of three papers and two authors. Papers cite papers, authors write papers, and papers are of authors
// (without weights). Papers and citations have times. Some rows of different relations have equal lengths, so that tests can
// detect choices that are not independent.
func Library(weighted bool) *graph.Hetero {
	cites := Make(3, weighted, []Edge{{0, 1, 4}, {0, 2, 1}, {1, 0, 3}, {1, 2, 2}, {2, 0, 1}, {2, 2, 5}})
	cites.Times = []int64{3, 1, 7, 2, 6, 6}
	writes := Make(3, weighted, []Edge{{0, 0, 1}, {0, 1, 2}, {1, 0, 5}, {1, 1, 1}, {2, 1, 0}})
	of := Make(3, false, []Edge{{0, 0, 1}, {0, 1, 1}, {0, 2, 1}, {1, 1, 1}, {1, 2, 1}})
	return &graph.Hetero{
		Counts: []int{3, 2}, Types: []string{"paper", "author"}, Times: [][]int64{{2, 5, 3}, nil},
		Relations: []graph.Relation{
			{Graph: cites, Name: "cites"},
			{Graph: writes, Source: 1, Name: "writes"},
			{Graph: of, Destination: 1, Name: "of"},
		},
	}
}
