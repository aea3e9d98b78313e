package cpu

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/whole"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// growers are the fast forms of apps whose samples are made whole, one after the other, by name. Each call makes what one
// worker needs. An app without one runs by its definition.
var growers = map[string]func(p plan.Plan, g *graph.Graph) (whole.Grow, error){
	"Snowball":   snowball,
	"ForestFire": forestFire,
	"RandomNode": randomNode,
	"RandomEdge": randomEdge,
	"ClusterGCN": clusterGCN,
	"GraphSAINT": graphSAINT,
}

// bySample runs samples one after the other, each by one thread.
func bySample(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) whole.Run {
	pieces := plan.PiecesPerThread * parallel.Threads(b.Threads)
	return whole.Run{
		Graph: g, Batch: b, Job: j, Threads: b.Threads, Chunk: max(1, min(plan.Group, b.Roots.Samples()/pieces)),
		Grow: func() (whole.Grow, error) {
			if make := growers[p.App.Name()]; make != nil {
				return make(p, g)
			}
			return func(key rng.Key, roots []uint32, row app.Row) app.Row {
				return p.App.Sample(g, key, roots, row)
			}, nil
		},
	}
}
