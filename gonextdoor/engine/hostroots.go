package engine

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// HostRoots returns the batch with roots that the host can read and plan.Batch.Slice can cut. Roots in a device's memory
// are copied, and random roots that the device would draw are drawn here.
func HostRoots(e Engine, g *graph.Graph, b plan.Batch, j *job.Job) (plan.Batch, error) {
	r := b.Roots
	if r.OnDevice == 0 && !r.Drawn {
		return b, nil
	}
	b.Roots.Vertices, b.Roots.OnDevice, b.Roots.Drawn = make([]uint32, r.Count*r.Width), 0, false
	if r.Drawn {
		return b, graph.FillRoots(g, b.Roots.Vertices, b.Seed, b.First, r.Repeat, r.Width, j)
	}
	d, ok := e.(Device)
	if !ok {
		return b, refuse.Value("device: roots on a GPU can be sampled on that GPU only")
	}
	return b, d.CopyRoots(r.OnDevice, b.Roots.Vertices)
}
