package apps

import (
	"math"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
)

// searchTables returns the table in which choices search, if their weights are computed.
func searchTables(g *graph.Graph, weighted app.Weighted) []*index.Table {
	if weighted != app.Computed || !g.Weighted() {
		return nil
	}
	return []*index.Table{index.SegmentsTable}
}

// steps returns a with n steps. If n is 0 its samples end at once: 0 steps alone would mean no limit.
func steps(n int, a program.StepProgram) *program.StepProgram {
	a.Steps = n
	if n == 0 {
		a.Stop = func(*program.Ctx) bool { return true }
	}
	return &a
}

// weight is the bias of an edge by its weight, below 2^32.
func weight(c *program.Ctx, edge uint64, _ uint32) uint64 { return uint64(c.Graph.Biases[edge]) }

// aboveWeights is the bound of biases by weight.
func aboveWeights(*program.Ctx) uint64 { return app.WeightBound }

// degree is the bias of an edge by the degree of its end point.
func degree(c *program.Ctx, _ uint64, dst uint32) uint64 {
	return min(c.Graph.Degree(dst), math.MaxUint32)
}

// largestDegree is the bound of biases by degree.
func largestDegree(c *program.Ctx) uint64 { return app.LargestDegree(c.Graph) }
