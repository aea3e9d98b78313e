package gputest

import (
	"errors"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
)

// ErrLeft is returned for mini-batches that DrawFromHost leaves to the CPU.
var ErrLeft = errors.New("the batches are left to the CPU")

// Drawer draws mini-batches of one graph on a GPU, for the conformance suite.
type Drawer struct {
	*gpu.NeighborSampler
	Others   int  // number of other mini-batches in the launch, before the requested one
	FromHost bool // the host reads the end points
}

// Sample draws a mini-batch, the last one of its launch, and copies it to host memory.
func (d Drawer) Sample(m *app.NeighborSampling, seed uint64, s app.SeedNodes, _ int, j *job.Job) (output.NeighborBatch, error) {
	var batches []gpu.Batch
	for i := range d.Others { // with no seed nodes, the first one, the first two, and so on
		other := app.SeedNodes{Excluded: s.Excluded}
		for _, vertices := range s.Vertices {
			other.Vertices = append(other.Vertices, vertices[:min(len(vertices), i)])
		}
		if s.Times != nil { // other trees than the seed nodes have in s, so other times too
			other.Times = append([]int64{}, s.Times[:other.Count()]...)
			if s.Windows != nil && i%2 == 0 {
				other.Windows = append([]int64{}, s.Windows[:other.Count()]...)
			}
		}
		batches = append(batches, gpu.Batch{Seed: seed + uint64(i) + 1, SeedNodes: other})
	}
	batches = append(batches, gpu.Batch{Seed: seed, SeedNodes: s})
	result, err := d.draw(m, batches, j)
	if err != nil {
		return output.NeighborBatch{}, err
	}
	all, err := Host(result)
	if freed := result.Free(); err != nil || freed != nil {
		return output.NeighborBatch{}, errors.Join(err, freed)
	}
	for _, other := range all[:d.Others] {
		other.Return()
	}
	return all[d.Others], nil
}

// draw draws the mini-batches of a launch.
func (d Drawer) draw(m *app.NeighborSampling, batches []gpu.Batch, j *job.Job) (*gpu.NeighborBatches, error) {
	if !d.FromHost {
		return d.Draw(m, batches, j)
	}
	result, err := d.DrawFromHost(m, batches, 2, j)
	if result == nil && err == nil {
		err = ErrLeft
	}
	return result, err
}
