package apptest

import (
	"errors"
	"fmt"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
)

// batches is the number of mini-batches that a check draws. Each costs a few microseconds.
const batches = 20_000

// BatchChecks returns all checks of mini-batches.
func BatchChecks() (checks []BatchCheck) {
	for _, replace := range []bool{false, true} {
		for _, weighted := range []bool{false, true} {
			blocks := blockChecks(replace, weighted)
			checks = append(checks, blocks...)
			checks = append(checks, turned(blocks[0]))
			checks = append(checks, subgraphChecks(replace, weighted)...)
		}
	}
	return append(checks, laborChecks()...)
}

// batchShape has the graph and the seed nodes of a check.
type batchShape struct {
	where    string
	h        *graph.Hetero
	seeds    [][]uint32
	fanouts  [][]int
	excluded []uint64 // positions, of the first relation
	times    []int64
	windows  []int64
}

// check returns a check against the distribution of an app on a shape.
func (s batchShape) check(a app.NeighborSampling) BatchCheck {
	a.Fanouts = s.fanouts
	seeds := app.SeedNodes{Vertices: s.seeds, Times: s.times, Windows: s.windows}
	if s.excluded != nil {
		seeds.Excluded = make([][]int64, len(s.h.Relations))
		seeds.Excluded[0] = idsOf(s.h.Relations[0].Graph, s.excluded)
	}
	if err := errors.Join(a.Bind(s.h), a.BuildTables(s.h, graph.Options{})); err != nil {
		panic(err)
	}
	_, word := kind(a.Weighted != app.No)
	if a.Replace {
		word += " with replacement"
	}
	if a.Expand == app.ExpandNew {
		word += ", new nodes"
	}
	if a.Labor() {
		word += ", " + string(a.Method)
	}
	if a.LayerDependency {
		word += ", layers dependent"
	}
	switch {
	case a.Temporal != "":
		word += fmt.Sprintf(", %s of times", a.Temporal)
		if s.windows != nil {
			word += fmt.Sprintf(" within %v", s.windows)
		}
	case a.Disjoint:
		word += ", disjoint"
	}
	c := BatchCheck{
		Name: fmt.Sprintf("NeighborSampling %s %s, fanouts %v from %v %v without %v", word, s.where, s.fanouts, s.seeds, s.times, s.excluded),
		App:  &a, Graph: s.h, SeedNodes: seeds, Draws: batches, exact: enumerate(neighborhood(s.h, &a, seeds)),
	}
	if len(c.exact) == 1 {
		c.Draws = 100 // the outcome is certain
	}
	return c
}

// blockChecks returns the checks of blocks as in DGL, on graphs with one relation.
func blockChecks(replace, weighted bool) (checks []BatchCheck) {
	thicket, diamond, star := graphtest.Thicket(weighted), graphtest.Diamond(weighted), graphtest.Star(5, weighted)
	w, _ := kind(weighted)
	for _, s := range []struct {
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
		{"in a circle", graphtest.Circle(weighted), []uint32{0}, []int{2, 1}, nil},
		{"alone", graphtest.Lonely(weighted), []uint32{0, 0}, []int{1, 1}, nil},
	} {
		shape := batchShape{s.where, graph.Homogeneous(s.g), [][]uint32{s.batch}, eachOf(s.fanouts), s.excluded, nil, nil}
		checks = append(checks, shape.check(app.NeighborSampling{Replace: replace, Weighted: w}))
	}
	return checks
}

// subgraphChecks returns the checks with several types, nodes that are expanded once, disjoint trees, and times.
func subgraphChecks(replace, weighted bool) (checks []BatchCheck) {
	w, _ := kind(weighted)
	if weighted {
		w = app.Auto // one relation of the graph has no weights
	}
	add := func(s batchShape, a app.NeighborSampling) {
		a.Replace, a.Weighted = replace, w
		if a.Fanouts = s.fanouts; a.Check() == nil { // TemporalLast is without replacement
			checks = append(checks, s.check(a))
		}
	}
	library, diamond := graphtest.Library(weighted), graph.Homogeneous(graphtest.Diamond(weighted))
	for _, expand := range []app.Expand{app.ExpandAll, app.ExpandNew} {
		add(batchShape{"in the library", library, [][]uint32{{1, 0}, nil}, [][]int{{1, 1, 0}, {1, 0, 1}}, nil, nil, nil}, app.NeighborSampling{Expand: expand})
		add(batchShape{"in the library", library, [][]uint32{{0}, {1}}, [][]int{{1, -1, 1}, {0, 1, 1}}, []uint64{2}, nil, nil}, app.NeighborSampling{Expand: expand})
		add(batchShape{"in the library", library, [][]uint32{{2}, {1, 1}}, [][]int{{1, 1, 1}, {0, 0, 1}}, nil, nil, nil}, app.NeighborSampling{Expand: expand, Disjoint: true})
		add(batchShape{"in the diamond", diamond, [][]uint32{{1, 1, 4}}, [][]int{{1}, {1}}, []uint64{3}, nil, nil}, app.NeighborSampling{Expand: expand, Disjoint: true})
	}
	add(batchShape{"in the diamond", diamond, [][]uint32{{4}}, [][]int{{1}, {2}, {1}}, nil, nil, nil}, app.NeighborSampling{Expand: app.ExpandNew})
	edges, vertices := graph.Homogeneous(graphtest.Thicket(weighted)), graph.Homogeneous(graphtest.Diamond(weighted))
	edges.Relations[0].Graph.Times = []int64{5, 3, 8, 3, -2, 7, 1, 9, 4, 4, 6, 0, 1, 2, 3}
	vertices.Times = [][]int64{{4, 4, 1, 9, 2}}
	for _, temporal := range []app.Temporal{app.TemporalUniform, app.TemporalLast} {
		for _, s := range []batchShape{
			{"in the thicket", edges, [][]uint32{{0}}, [][]int{{2}}, nil, []int64{5}, nil},
			{"in the thicket", edges, [][]uint32{{0}}, [][]int{{-1}}, nil, []int64{7}, nil},
			{"in the thicket", edges, [][]uint32{{0, 1, 0}}, [][]int{{1}, {1}}, []uint64{1}, []int64{5, 7, 3}, nil},
			{"in the diamond", vertices, [][]uint32{{1}}, [][]int{{2}, {1}}, nil, []int64{4}, nil},
			{"in the library", library, [][]uint32{{0, 1}, {0}}, [][]int{{1, 2, 1}, {1, 0, 1}}, nil, []int64{3, 6, 2}, nil},
			{"in the thicket", edges, [][]uint32{{0}}, [][]int{{2}}, nil, []int64{8}, []int64{4}},
			{"in the thicket", edges, [][]uint32{{0, 1, 0}}, [][]int{{1}, {1}}, []uint64{1}, []int64{8, 7, 5}, []int64{5, 6, 0}},
			{"in the diamond", vertices, [][]uint32{{1}}, [][]int{{2}, {1}}, nil, []int64{9}, []int64{7}},
		} {
			add(s, app.NeighborSampling{Expand: app.ExpandNew, Disjoint: true, Temporal: temporal})
		}
	}
	return checks
}

// turned returns a check that choices do not depend on the place in a batch.
func turned(c BatchCheck) BatchCheck {
	c.Name += ", the batch in reverse order"
	c.SeedNodes.Vertices, c.Draws, c.turned = [][]uint32{{0, 3, 1}}, 100, true
	return c
}

// eachOf returns the fan-outs of a graph with one relation.
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
