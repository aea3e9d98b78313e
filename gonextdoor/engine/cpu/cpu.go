// Package cpu is the engine for ordinary processors: groups of walkers in step, whose waits for memory overlap.
//
// One file holds one driver. The inner loops are package stage's.
package cpu

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// Engine runs plans on the threads of this machine. Its zero value is ready.
type Engine struct {
	Pure     bool // without assembly, for tests: nothing else changes
	NoAVX512 bool // without AVX-512, likewise
}

// Name is "cpu".
func (Engine) Name() string { return "cpu" }

// Matrix runs an app whose samples have one width, into out.
func (e Engine) Matrix(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	switch p.Driver {
	case plan.Walk:
		return e.walk(p, g, b, out, j)
	case plan.SecondOrder:
		return e.secondOrder(p, g, b, out, j)
	case plan.Tree:
		return tree(p, g, b, out, j)
	case plan.Metropolis:
		return e.metropolis(p, g, b, out, j)
	case plan.Leaping:
		return e.leaping(p, g, b, out, j)
	case plan.Labelled:
		return e.labelled(p, g, b, out, j)
	case plan.Frontier:
		return e.frontier(p, g, b, out, j)
	case plan.Computed:
		return e.computedMatrix(p, g, b, out, j)
	case plan.Hooked:
		return e.hookedMatrix(p, g, b, out, j)
	default:
		return bySample(p, g, b, j).Matrix(out)
	}
}

// Ragged runs an app whose samples differ in length.
func (e Engine) Ragged(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Ragged, error) {
	switch p.Driver {
	case plan.StoppedWalk:
		return e.stoppedWalk(p, g, b, j)
	case plan.Computed:
		return e.computedRagged(p, g, b, j)
	case plan.Hooked:
		return e.hookedRagged(p, g, b, j)
	default:
		return bySample(p, g, b, j).Ragged()
	}
}

// Layers runs an app whose samples are layered.
func (e Engine) Layers(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Layers, error) {
	if p.Driver == plan.Hooked {
		return e.hookedLayers(p, g, b, j)
	}
	return bySample(p, g, b, j).Layers(p.Records)
}
