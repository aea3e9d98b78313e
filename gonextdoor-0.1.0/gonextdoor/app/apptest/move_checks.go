package apptest

import (
	"fmt"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
)

// moves returns a check of whole rows in which a vertex need not be the end of an edge.
func (c Check) moves() Check {
	c.outcome, c.leaps = movesOf, true
	return c
}

// moveChecks returns the checks of the walks of C-SAW and FlowWalker by app, those of computed biases by app and ", computed".
func moveChecks() map[string][]Check {
	thicket, diamond := graphtest.Thicket(true), graphtest.Diamond(true)
	checks := map[string][]Check{
		"Walk": {
			of("by degree in the thicket", &apps.Walk{Bias: app.ByDegree, Length: 3}, thicket, []uint32{0}, byDegree(thicket, 0, 3)),
			of("by degree, computed, in the thicket", &apps.Walk{Bias: app.ByDegree, Length: 3, Computed: true}, thicket, []uint32{0},
				byDegree(thicket, 0, 3)),
		},
		"MetropolisHastings": {
			of("in the diamond", &apps.MetropolisHastings{Length: 3}, diamond, []uint32{4}, metropolis(diamond, 4, 3)).moves(),
		},
		"MultiIndependent": {
			of("from two roots in the thicket", &apps.MultiIndependent{Length: 2, Weighted: app.Yes}, thicket, []uint32{3, 1},
				walkers(thicket, []uint32{3, 1}, 2, true)),
		},
		"MultiDimensionalWalk": {
			of("in the thicket", &apps.MultiDimensionalWalk{Length: 3, Dimension: 100}, thicket, []uint32{2, 1, 0, 1},
				frontier(thicket, []uint32{2, 1, 0, 1}, 3)),
		},
		"DeepWalk, computed": {
			of("computed in the thicket", &apps.DeepWalk{Length: 3, Weighted: app.Computed}, thicket, []uint32{0}, walk(thicket, 0, 3, true)),
		},
		"Node2Vec, computed": {
			of("computed in the diamond, p 4, q 0.25", &apps.Node2Vec{P: 4, Q: 0.25, Length: 3, Weighted: app.Computed}, diamond, []uint32{1},
				secondOrder(diamond, 1, 4, 0.25, 3, true)),
		},
		"PPR, computed": {
			of("computed in the thicket, max_length 3", &apps.PPR{Stop: 0.3, MaxLength: 3, Weighted: app.Computed}, thicket, []uint32{0},
				stopped(thicket, 0, 0.3, 3, true)),
		},
	}
	for _, weighted := range []bool{false, true} {
		w, word := kind(weighted)
		teleport := apps.Teleport{Length: 3, Probability: 0.3, Weighted: w}
		checks["Jump"] = append(checks["Jump"],
			of(word+" in the thicket", &apps.Jump{Teleport: teleport}, thicket, []uint32{0}, teleporting(thicket, 0, 3, 0.3, weighted, false)).moves())
		if weighted {
			checks["Restart"] = []Check{
				of(word+" in the thicket", &apps.Restart{Teleport: teleport}, thicket, []uint32{1}, teleporting(thicket, 1, 3, 0.3, weighted, true)).moves(),
			}
			g := graphtest.Labelled(diamond)
			plain := &apps.MetaPath{Labels: []int32{0, 1, 0}, Length: 5, Weighted: app.No}
			odd := &apps.MetaPath{Labels: []int32{2, 7, 2, -3}, Length: 4, Weighted: app.No, Stop: 0.25}
			h := graphtest.Labelled(graphtest.Thicket(true))
			for i := range h.Labels {
				h.Labels[i] = []int32{2, 7, -3}[h.Labels[i]]
			}
			path := &apps.MetaPath{Labels: []int32{1, 2}, Length: 4, Weighted: w, Stop: 0.25}
			checks["MetaPath"] = []Check{
				of(fmt.Sprint(word, " in the diamond, labels ", path.Labels), path, g, []uint32{3}, labelled(g, 3, path.Labels, 4, 0.25, weighted)),
				of(fmt.Sprint("unweighted in the diamond, labels ", plain.Labels), plain, g, []uint32{2}, labelled(g, 2, plain.Labels, 5, 0, false)),
				of(fmt.Sprint("unweighted in the thicket, labels ", odd.Labels), odd, h, []uint32{0}, labelled(h, 0, odd.Labels, 4, 0.25, false)),
			}
		}
	}
	return checks
}

// Transitions returns the transition matrix of a Metropolis-Hastings walk, from the distribution with which its samples are
// compared.
func Transitions(g *graph.Graph) [][]float64 {
	rows := make([][]float64, g.NumVertices())
	for u := range rows {
		rows[u] = make([]float64, g.NumVertices())
		for outcome, p := range enumerate(metropolis(g, uint32(u), 1)) {
			var at string
			var v int
			if _, err := fmt.Sscanf(outcome, "%s >%d", &at, &v); err != nil {
				panic(err)
			}
			if v >= 0 {
				rows[u][v] += p
			}
		}
	}
	return rows
}
