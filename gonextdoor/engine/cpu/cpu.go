// Package cpu is the CPU engine. It chooses a driver for a plan; the drivers are its subpackages, one per family of apps.
//
// Drivers advance groups of walkers or samples in lockstep, so that their cache misses overlap. Package stage has their inner
// loops.
package cpu

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/growth"
	"gonextdoor/gonextdoor/engine/cpu/internal/pagerank"
	"gonextdoor/gonextdoor/engine/cpu/internal/run"
	"gonextdoor/gonextdoor/engine/cpu/internal/subgraph"
	"gonextdoor/gonextdoor/engine/cpu/internal/tree"
	"gonextdoor/gonextdoor/engine/cpu/internal/walk"
	"gonextdoor/gonextdoor/engine/persample"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// Engine runs plans on the threads of this machine. Its zero value is ready, and threads may share it.
type Engine struct {
	Pure     bool // use portable Go instead of assembly; for tests, since it affects speed only
	NoAVX512 bool // do not use AVX-512; for tests
}

// Name returns "cpu".
func (Engine) Name() string { return "cpu" }

// driver runs one family of apps, with a function per shape of samples. For shapes without a function the samples are made one
// by one.
type driver struct {
	matrix func(o run.Options, p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error
	ragged func(o run.Options, p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Ragged, error)
	layers func(o run.Options, p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Layers, error)
}

// drivers maps the drivers of plans to functions. A plan with another driver is run sample by sample.
var drivers = map[app.Driver]driver{
	app.DriverWalk:        {matrix: walk.FirstOrder},
	app.DriverSecondOrder: {matrix: walk.SecondOrder},
	app.DriverStoppedWalk: {ragged: walk.Stopping},
	app.DriverMetropolis:  {matrix: walk.Metropolis},
	app.DriverTeleport:    {matrix: walk.Teleport},
	app.DriverLabelled:    {matrix: walk.Labelled},
	app.DriverTemporal:    {matrix: walk.Temporal},
	app.DriverFrontier:    {matrix: walk.Frontier},
	app.DriverNegatives:   {matrix: walk.Negatives},
	app.DriverComputed:    {matrix: walk.Computed},
	app.DriverTree:        {matrix: tree.KHop},
	app.DriverHooked:      {matrix: hooked, ragged: growth.Ragged, layers: growth.Layers},
}

// hooked runs a step program. If its steps are uniform choices, it need not call its hooks.
func hooked(o run.Options, p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	if try, uniform := p.UniformTry(); uniform && b.Roots.Width == 1 && !b.Edges {
		return walk.Uniform(o, p, g, b, try, out, j)
	}
	return growth.Matrix(o, p, g, b, out, j)
}

// growers maps names of apps whose samples are made one at a time to functions that create the grower of a thread. An app
// without one is run by its definition.
var growers = map[string]func(p plan.Plan, g *graph.Graph) (persample.Grow, error){
	"Layer":      subgraph.Layer,
	"LADIES":     subgraph.LADIES,
	"FastGCN":    subgraph.FastGCN,
	"MVS":        subgraph.MVS,
	"Snowball":   subgraph.BreadthFirst,
	"ForestFire": subgraph.BreadthFirst,
	"RandomNode": subgraph.RandomNode,
	"RandomEdge": subgraph.RandomEdge,
	"ClusterGCN": subgraph.ClusterGCN,
	"GraphSAINT": subgraph.GraphSAINT,
}

// Matrix writes the samples of an app with a fixed width to out.
func (e Engine) Matrix(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	if err := p.BuildTables(g, graph.Options{Threads: b.Threads, Job: j}); err != nil {
		return err
	}
	if run := drivers[p.Driver].matrix; run != nil {
		return run(e.options(), p, g, b, out, j)
	}
	return bySample(p, g, b, j).Matrix(out)
}

// Ragged returns the samples of an app whose samples differ in length; layered samples without their steps and links. They are
// lent from offheap.Results: the caller must call Return.
func (e Engine) Ragged(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Ragged, error) {
	if err := p.BuildTables(g, graph.Options{Threads: b.Threads, Job: j}); err != nil {
		return output.Ragged{}, err
	}
	if run := drivers[p.Driver].ragged; run != nil {
		return run(e.options(), p, g, b, j)
	}
	p.Records = false
	return bySample(p, g, b, j).Ragged()
}

// Layers returns the samples of an app whose samples are layered. They are lent from offheap.Results: the caller must call
// Return.
func (e Engine) Layers(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Layers, error) {
	if err := p.BuildTables(g, graph.Options{Threads: b.Threads, Job: j}); err != nil {
		return output.Layers{}, err
	}
	if run := drivers[p.Driver].layers; run != nil {
		return run(e.options(), p, g, b, j)
	}
	return bySample(p, g, b, j).Layers(p.Records)
}

// Scores counts the visits of the walks of each row, as app.PageRank defines them. The result is lent from offheap.Results.
func (e Engine) Scores(s plan.Scores, j *job.Job) (output.Scores, error) {
	return pagerank.Scores(e.options(), s, j)
}

// options returns the engine's options for its drivers.
func (e Engine) options() run.Options { return run.Options(e) }

// bySample returns a run that makes one sample at a time: by the app's grower if it has one, otherwise by its definition.
func bySample(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) persample.Run {
	grower := growers[p.App.Name()]
	if grower == nil {
		return persample.New(g, b, j, persample.Definition(p.App, g))
	}
	return persample.New(g, b, j, func() (persample.Grow, error) { return grower(p, g) })
}
