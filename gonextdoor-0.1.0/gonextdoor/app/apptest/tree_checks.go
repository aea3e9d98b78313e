package apptest

import (
	"fmt"
	"maps"

	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
)

func khopChecks() (checks []Check) {
	shapes := []struct {
		where   string
		g       *graph.Graph
		roots   []uint32
		fanouts []int
	}{
		{"in the thicket", graphtest.Thicket(true), []uint32{0}, []int{2, 2}},
		{"in the thicket", graphtest.Thicket(true), []uint32{0}, []int{3, 1}},
		{"in the thicket", graphtest.Thicket(true), []uint32{3, 0}, []int{2}},
		{"in the diamond", graphtest.Diamond(true), []uint32{1}, []int{3}},
		{"in the diamond", graphtest.Diamond(true), []uint32{1, 1}, []int{2}},
		{"on a star", graphtest.Star(7, true), []uint32{0}, []int{3}},
		{"on a star", graphtest.Star(5, true), []uint32{0}, []int{4}},
		{"on a star", graphtest.Star(4, true), []uint32{0}, []int{4}},
		{"in a circle", graphtest.Circle(true), []uint32{0}, []int{2, 2}},
		{"alone", graphtest.Lonely(true), []uint32{0}, []int{2, 2}},
	}
	for _, replace := range []bool{false, true} {
		for _, weighted := range []bool{false, true} {
			w, word := kind(weighted)
			if replace {
				word += " with replacement"
			}
			for i, s := range shapes {
				a := &apps.KHop{Fanouts: s.fanouts, Replace: replace, Weighted: w}
				program := tree(s.g, s.roots, s.fanouts, replace, weighted)
				c := of(fmt.Sprintf("%s %s, fanouts %v from %v", word, s.where, s.fanouts, s.roots), a, s.g, s.roots, program)
				checks = append(checks, c)
				if i == 3 && !replace {
					checks = append(checks, c.pairs(program))
				}
			}
		}
	}
	return checks
}

// checksOf has the checks that the file of an app adds by its init function.
var checksOf = map[string]func() []Check{}

// Checks returns all checks by the name of the app.
func Checks() map[string][]Check {
	snowball, fire := spreadChecks()
	nodes, edges := drawChecks()
	checks := map[string][]Check{
		"Neighbor": neighborChecks(), "Snowball": snowball, "ForestFire": fire, "RandomNode": nodes, "RandomEdge": edges,
		"ClusterGCN": clusterChecks(), "GraphSAINT": saintChecks(),
		"DeepWalk": deepWalkChecks(), "PPR": pprChecks(), "Node2Vec": node2vecChecks(), "KHop": khopChecks(),
		"App":     append(customChecks(), growthChecks()...),
		"FastGCN": fastGCNChecks(), "LADIES": ladiesChecks(), "Layer": layerChecks(), "MVS": mvsChecks(),
	}
	maps.Copy(checks, moveChecks())
	for name, of := range checksOf {
		checks[name] = of()
	}
	return checks
}
