package engine

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
)

// NeighborSampler draws mini-batches for graph neural networks on one graph. Every implementation returns the nodes and
// edges of app.NeighborSampling.Sample, with edge ids in place of positions.
type NeighborSampler interface {
	// Sample draws the mini-batch of s with the random seed of the batch, on at most that many threads. m is bound to
	// the graph. The number of threads changes the speed only, and an implementation may use fewer. The arena of the
	// result is lent from offheap.Results; nothing is lent after an error. A stopped job ends the call early.
	//
	// Concurrent calls are allowed unless the implementation says otherwise.
	Sample(m *app.NeighborSampling, seed uint64, s app.SeedNodes, threads int, j *job.Job) (output.NeighborBatch, error)
}
