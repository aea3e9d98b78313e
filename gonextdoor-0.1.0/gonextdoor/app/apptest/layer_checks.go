package apptest

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
)

func fastGCNChecks() (checks []Check) {
	for _, c := range []struct {
		where   string
		g       *graph.Graph
		roots   []uint32
		sizes   []int
		replace bool
		norm    index.Normalization
	}{
		{"in the diamond", graphtest.Diamond(false), []uint32{4, 1}, []int{2, 1}, true, index.SymmetricNorm},
		{"in the thicket", graphtest.Thicket(false), []uint32{0, 0}, []int{1, 2}, true, index.RowNorm},
		{"in the thicket, without replacement", graphtest.Thicket(false), []uint32{2}, []int{2, 7}, false, index.SymmetricNorm},
	} {
		a := &apps.FastGCN{Sizes: c.sizes, Replace: c.replace, Normalization: c.norm}
		symmetric := c.norm == index.SymmetricNorm
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
		norm               index.Normalization
	}{
		{"in the thicket", graphtest.Thicket(false), []uint32{1, 3}, []int{2, 1}, false, true, index.SymmetricNorm},
		{"in the diamond", graphtest.Diamond(false), []uint32{1, 1}, []int{2, 1}, true, false, index.RowNorm},
		{"in the diamond", graphtest.Diamond(false), []uint32{4}, []int{2, 3}, false, false, index.SymmetricNorm},
		{"from a sink", graphtest.Thicket(false), []uint32{2}, []int{3, 1}, true, true, index.RowNorm},
	} {
		a := &apps.LADIES{Sizes: c.sizes, Replace: c.replace, Normalize: c.normalize, Normalization: c.norm}
		symmetric := c.norm == index.SymmetricNorm
		program := layerwise(c.g, c.roots, c.sizes, true, c.replace, c.normalize, symmetric)
		checks = append(checks, layered(of(fmt.Sprintf("%s, sizes %v from %v", c.where, c.sizes, c.roots), a, c.g, c.roots, program)))
	}
	return checks
}

// layered returns a check of layers and the matrices between them.
func layered(c Check) Check {
	c.outcome = matricesOf
	return c
}

// layerChecks returns the checks of Layer.
func layerChecks() (checks []Check) {
	for _, c := range []struct {
		where  string
		g      *graph.Graph
		roots  []uint32
		app    apps.Layer
		weight func(g *graph.Graph, v uint32, e uint64) float64
	}{
		{"in the thicket", graphtest.Thicket(true), []uint32{3, 0}, apps.Layer{StepSize: 2, MaxSize: 3, Unique: true}, alike},
		{"by weight in the thicket", graphtest.Thicket(true), []uint32{0, 1}, apps.Layer{StepSize: 2, MaxSize: 3, Bias: app.ByWeight}, realWeight},
		{"by degree in the diamond", graphtest.Diamond(false), []uint32{4, 0}, apps.Layer{StepSize: 2, MaxSize: 4, Unique: true, Bias: app.ByDegree}, farDegree},
	} {
		exact := growth{
			g: c.g, roots: c.roots, collective: true, layered: true,
			fanout: func(s *script, _ int) int { return min(c.app.StepSize, c.app.MaxSize-bytes.Count(s.out, []byte(":"))) },
			bias:   func(_, v uint32, e uint64) float64 { return c.weight(c.g, v, e) },
		}
		if c.app.Unique {
			exact.unique = program.PerStep
		}
		check := of(fmt.Sprintf("%s from %v", c.where, c.roots), &c.app, c.g, c.roots, exact.program)
		check.outcome = growthOf
		checks = append(checks, check)
	}
	return checks
}

func alike(*graph.Graph, uint32, uint64) float64 { return 1 }

func realWeight(g *graph.Graph, v uint32, e uint64) float64 {
	return math.Ldexp(float64(g.Biases[e]), int(g.Scales[v]))
}

func farDegree(g *graph.Graph, _ uint32, e uint64) float64 { return float64(g.Degree(g.Indices[e])) }

// mvsChecks returns the checks of MVS: batches by score and uniform ones, with hops.
func mvsChecks() (checks []Check) {
	for _, c := range []struct {
		where   string
		g       *graph.Graph
		scores  []float64
		batch   int
		fanouts []int
	}{
		{"in the diamond", graphtest.Diamond(false), []float64{3, 0.5, 0, 1, 1.5}, 2, []int{2}},
		{"in the thicket", graphtest.Thicket(false), nil, 2, []int{2, app.All}},
	} {
		a := &apps.MVS{Batch: c.batch, Fanouts: c.fanouts}
		weights := slices.Repeat([]float64{1}, c.g.NumVertices())
		if c.scores != nil {
			a.Scores, _ = app.NewScores(c.scores)
			weights = c.scores
		}
		checks = append(checks, whole(fmt.Sprintf("%s, fanouts %v", c.where, c.fanouts), a, c.g, nil, func(s *script) {
			transits := picks(s, weights, c.batch, false)
			for hop := 0; len(transits) > 0; hop++ {
				var reached []int
				for _, u := range transits {
					s.write(uint64(u))
				}
				s.mark("; ")
				for _, u := range transits {
					row := c.g.Neighbors(uint32(u))
					k := len(row)
					if hop == len(c.fanouts) {
						k = 0
					} else if f := c.fanouts[hop]; f != app.All {
						k = f
					}
					for _, i := range picks(s, weightsOf(c.g, uint32(u), false), k, false) {
						reached = append(reached, int(row[i]))
					}
				}
				transits = reached
			}
			s.mark("/ ")
		}))
	}
	return checks
}
