package apptest

import (
	"fmt"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
)

func fastGCNChecks() (checks []Check) {
	for _, c := range []struct {
		where   string
		g       *graph.Graph
		roots   []uint32
		sizes   []int
		replace bool
		norm    graph.Normalization
	}{
		{"in the diamond", graphtest.Diamond(false), []uint32{4, 1}, []int{2, 1}, true, graph.SymmetricNorm},
		{"in the thicket", graphtest.Thicket(false), []uint32{0, 0}, []int{1, 2}, true, graph.RowNorm},
		{"in the thicket, without replacement", graphtest.Thicket(false), []uint32{2}, []int{2, 7}, false, graph.SymmetricNorm},
	} {
		a := &app.FastGCN{Sizes: c.sizes, Replace: c.replace, Normalization: c.norm}
		symmetric := c.norm == graph.SymmetricNorm
		program := layerwise(c.g, c.roots, c.sizes, false, c.replace, false, symmetric)
		checks = append(checks, layered(of(fmt.Sprintf("%s, sizes %v from %v", c.where, c.sizes, c.roots), a, c.g, c.roots, program)))
	}
	return checks
}

func ladiesChecks() (checks []Check) {
	for _, c := range []struct {
		where              string
		g                  *graph.Graph
		roots              []uint32
		sizes              []int
		replace, normalize bool
		norm               graph.Normalization
	}{
		{"in the thicket", graphtest.Thicket(false), []uint32{1, 3}, []int{2, 1}, false, true, graph.SymmetricNorm},
		{"in the diamond", graphtest.Diamond(false), []uint32{1, 1}, []int{2, 1}, true, false, graph.RowNorm},
		{"in the diamond", graphtest.Diamond(false), []uint32{4}, []int{2, 3}, false, false, graph.SymmetricNorm},
		{"from a sink", graphtest.Thicket(false), []uint32{2}, []int{3, 1}, true, true, graph.RowNorm},
	} {
		a := &app.LADIES{Sizes: c.sizes, Replace: c.replace, Normalize: c.normalize, Normalization: c.norm}
		symmetric := c.norm == graph.SymmetricNorm
		program := layerwise(c.g, c.roots, c.sizes, true, c.replace, c.normalize, symmetric)
		checks = append(checks, layered(of(fmt.Sprintf("%s, sizes %v from %v", c.where, c.sizes, c.roots), a, c.g, c.roots, program)))
	}
	return checks
}

// layered makes a check of layers and the matrices between them.
func layered(c Check) Check {
	c.outcome = matricesOf
	return c
}
