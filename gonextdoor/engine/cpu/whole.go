package cpu

import (
	"gonextdoor/gonextdoor/engine/persample"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
)

// growers are the fast forms of apps whose samples are made whole, one after the other, by name. Each call makes what one
// worker needs. An app without one runs by its definition.
var growers = map[string]func(p plan.Plan, g *graph.Graph) (persample.Grow, error){
	"Snowball":   snowball,
	"ForestFire": forestFire,
	"RandomNode": randomNode,
	"RandomEdge": randomEdge,
	"ClusterGCN": clusterGCN,
	"GraphSAINT": graphSAINT,
}

// bySample runs samples one after the other, each by one thread: by the app's grower if it has one, otherwise by its definition.
func bySample(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) persample.Run {
	grower := growers[p.App.Name()]
	if grower == nil {
		return persample.New(g, b, j, persample.Definition(p.App, g))
	}
	return persample.New(g, b, j, func() (persample.Grow, error) { return grower(p, g) })
}
