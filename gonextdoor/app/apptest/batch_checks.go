package apptest

import (
	"fmt"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
)

// BatchChecks are all checks of mini-batches.
func BatchChecks() (checks []BatchCheck) {
	thicket, diamond, star := graphtest.Thicket(true), graphtest.Diamond(true), graphtest.Star(5, true)
	shapes := []struct {
		where    string
		g        *graph.Graph
		batch    []uint32
		fanouts  []int
		excluded []uint64
	}{
		{"in the thicket", thicket, []uint32{0}, []int{2}, nil},
		{"in the thicket", thicket, []uint32{3, 0}, []int{2}, []uint64{1, 9}},
		{"in the thicket", thicket, []uint32{1}, []int{1, 1}, nil},
		{"in the thicket", thicket, []uint32{1, 2}, []int{1, 1, 1}, []uint64{5, 6}},
		{"in the thicket", thicket, []uint32{4, 2, 4, 5}, []int{-1, 1}, nil},
		{"in the diamond", diamond, []uint32{1, 1}, []int{2, 1}, []uint64{3}},
		{"in the diamond", diamond, []uint32{4}, []int{-1, -1}, nil},
		{"on a star", star, []uint32{0}, []int{3}, []uint64{0}},
		{"on a star", star, []uint32{2}, []int{1, 2}, []uint64{0, 4}},
		{"in a circle", graphtest.Circle(true), []uint32{0}, []int{2, 1}, nil},
		{"alone", graphtest.Lonely(true), []uint32{0, 0}, []int{1, 1}, nil},
	}
	for _, replace := range []bool{false, true} {
		for _, weighted := range []bool{false, true} {
			w, word := kind(weighted)
			if replace {
				word += " with replacement"
			}
			for _, s := range shapes {
				excluded := map[uint64]bool{}
				for _, e := range s.excluded {
					excluded[e] = true
				}
				c := BatchCheck{
					Name:  fmt.Sprintf("MiniBatch %s %s, fanouts %v from %v without %v", word, s.where, s.fanouts, s.batch, s.excluded),
					App:   &app.MiniBatch{Fanouts: eachOf(s.fanouts), Replace: replace, Weighted: w},
					Graph: graph.Homogeneous(s.g), Seeds: app.Seeds{Vertices: [][]uint32{s.batch}, Excluded: [][]int64{idsOf(s.g, s.excluded)}},
					Draws: batches,
					law:   enumerate(batch(s.g, s.batch, s.fanouts, replace, weighted, excluded)),
				}
				if err := c.App.Bind(c.Graph); err != nil {
					panic(err)
				}
				if len(c.law) == 1 {
					c.Draws = 100 // nothing is left to chance
				}
				checks = append(checks, c)
			}
			checks = append(checks, turned(checks[len(checks)-len(shapes)]))
		}
	}
	return checks
}

// batches is how many mini-batches a check draws: each costs a few microseconds.
const batches = 20_000

// turned makes a check of the places in a batch.
func turned(c BatchCheck) BatchCheck {
	c.Name += ", the batch turned round"
	c.Seeds.Vertices, c.Draws, c.turned = [][]uint32{{0, 3, 1}}, 100, true
	return c
}

// eachOf gives the fan-outs of a graph of one relation.
func eachOf(fanouts []int) (hops [][]int) {
	for _, f := range fanouts {
		hops = append(hops, []int{f})
	}
	return hops
}

func idsOf(g *graph.Graph, positions []uint64) (ids []int64) {
	for _, p := range positions {
		ids = append(ids, int64(g.EdgeID(p)))
	}
	return ids
}
