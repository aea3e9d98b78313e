package enginetest

import (
	"fmt"
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
)

// batchPlace is a graph as cases of mini-batches name it.
type batchPlace struct {
	name string
	h    *graph.Hetero
}

func batchPlaces() (all []batchPlace) {
	for _, p := range graphs() {
		all = append(all, batchPlace{p.name, graph.Homogeneous(p.g)})
	}
	return all
}

func batchCases(p batchPlace) (cases []BatchCase) {
	return blockCases(p)
}

// blockCases are blocks in which every hop expands all that were met.
func blockCases(p batchPlace) (cases []BatchCase) {
	g := p.h.Relations[0].Graph
	n, edges := g.NumVertices(), g.NumEdges()
	for i, fanouts := range [][]int{{1}, {3, 2}, {-1}, {2, -1}, {-1, 4}, {1, 1, 1, 1}, {80, 3}, {25, 10}} {
		for _, replace := range []bool{false, true} {
			for _, weighted := range []app.Weighted{app.Auto, app.No} {
				for _, part := range []int{0, 1, 3} { // of the edges are left out: none, every third, all but every third
					c := BatchCase{App: &app.MiniBatch{Replace: replace, Weighted: weighted}, Graph: p.h, Seed: uint64(i)<<60 + uint64(part)}
					for _, f := range fanouts {
						c.App.Fanouts = append(c.App.Fanouts, []int{f})
					}
					size := min(n, []int{0, 1, 5, 40}[(i+part)%4])
					var batch []uint32
					for v := range size {
						batch = append(batch, uint32((n-1-v*3%n+n)%n))
					}
					slices.Sort(batch)
					batch = slices.Compact(batch)
					slices.Reverse(batch)
					var excluded []int64
					for e := range edges {
						if part == 1 && e%3 == 0 || part == 3 && e%3 != 0 {
							excluded = append(excluded, int64(e))
						}
					}
					c.Seeds = app.Seeds{Vertices: [][]uint32{batch}, Excluded: [][]int64{excluded}}
					c.Name = fmt.Sprintf("%s/%+v, batch of %d, %d edges left out", p.name, *c.App, len(batch), len(excluded))
					cases = append(cases, c)
				}
			}
		}
	}
	return cases
}
