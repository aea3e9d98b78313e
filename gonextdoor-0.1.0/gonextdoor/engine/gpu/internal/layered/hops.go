package layered

import (
	"math"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// candidateBytes is the memory per vertex of a table of scores or importances: its slot of the alias table, and its bias.
const candidateBytes = 20

// batchHopsSpec makes samples of an app.BatchExpander.
func batchHopsSpec(p plan.Plan) layeredSpec {
	a := p.App.(app.BatchExpander)
	fanouts, from := a.HopFanouts(), a.Candidates()
	batch := int64(min(a.BatchSize(), p.Graph.NumVertices()))
	s := layeredSpec{
		most: mostVertices(batch + mostHops(p.Graph, batch, math.MaxInt64, fanouts)), maxEnds: int64(len(fanouts)) + 2, draws: true, steps: true,
	}
	if from.Alias != nil {
		s.leaves, s.tables = launch.LeavesOf(float64(p.Graph.NumVertices())), candidateBytes*int64(p.Graph.NumVertices())
	}
	s.fill = func(r *launch.Run, to *kernels.Layered) error {
		to.Draws = uint64(a.BatchSize())
		if err := fillHops(r, to, fanouts); err != nil || from.Alias == nil {
			return err
		}
		at, err := r.HoldTable(resident.TableOf(a.ScoreTable(), "scores"), resident.ArrayOf(from.Alias), resident.ArrayOf(from.Biases))
		if err != nil {
			return err
		}
		to.ScoreAlias, to.ScoreBiases, to.Scored = at[0], at[1], uint64(a.ScoreTable().Positive())
		return nil
	}
	return s
}

// frontierHopsSpec makes samples of an app.FrontierTree with a limit.
func frontierHopsSpec(p plan.Plan) layeredSpec {
	a := p.App.(app.FrontierTree)
	fanouts, limit := a.TreeFanouts(), int64(a.FrontierLimit())
	s := layeredSpec{
		most: mostVertices(mostHops(p.Graph, limit, limit, fanouts)), maxEnds: int64(len(fanouts)) + 1, draws: true, steps: true,
	}
	weighted := a.Weights() == app.Yes
	if weighted {
		s.layout, s.leaves = resident.Alias|resident.Biases|resident.Biased, launch.LeavesOf(float64(p.Graph.MaxDegree()))
	}
	s.fill = func(r *launch.Run, to *kernels.Layered) error {
		to.Frontier = uint64(limit)
		if a.Replaces() {
			to.Replace = 1
		}
		if weighted {
			to.Weighted = 1
		}
		return fillHops(r, to, fanouts)
	}
	return s
}

// fillHops sets the fan-outs of hops.
func fillHops(r *launch.Run, to *kernels.Layered, fanouts []int) error {
	words := make([]uint64, len(fanouts))
	for i, f := range fanouts {
		words[i] = uint64(int64(f)) // All is NoEdge
	}
	to.Hops = uint64(len(fanouts))
	return launch.Put(&r.Scratch, &to.Fanouts, words)
}

// mostHops returns the largest number of vertices of all hops, if at most `limit` vertices of each step are expanded, the
// first of which has `begin`.
func mostHops(g *graph.Graph, begin, limit int64, fanouts []int) int64 {
	level, total := float64(begin), 0.0
	for _, f := range fanouts {
		if f == app.All {
			f = int(g.MaxDegree())
		}
		level = min(level, float64(limit)) * float64(f)
		total += level
	}
	return int64(min(total, math.MaxInt32))
}
