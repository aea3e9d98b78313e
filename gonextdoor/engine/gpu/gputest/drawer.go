package gputest

import (
	"errors"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
)

// Draws says whether a card draws a mini-batch.
func Draws(m *app.MiniBatch, h *graph.Hetero, s app.Seeds) bool {
	if gpu.SupportsBatch(m, h) != nil {
		return false
	}
	for r, ids := range s.Excluded {
		if len(ids) > 0 && m.Weighs(h.Relations[r].Graph) {
			return false
		}
	}
	return true
}

// Drawer draws mini-batches of one graph on the card, for the conformance suite.
type Drawer struct {
	*gpu.NeighborSampler
	Others int // mini-batches before it in the launch
}

// Sample draws a mini-batch, the last of its launch.
func (d Drawer) Sample(m *app.MiniBatch, seed uint64, s app.Seeds, _ int, j *job.Job) (output.NeighborBatch, error) {
	var batches []gpu.Batch
	for i := range d.Others { // of no seeds, of the first, of the first two ...
		other := app.Seeds{Excluded: s.Excluded}
		for _, vertices := range s.Vertices {
			other.Vertices = append(other.Vertices, vertices[:min(len(vertices), i)])
		}
		batches = append(batches, gpu.Batch{Word: seed + uint64(i) + 1, Seeds: other})
	}
	result, err := d.Draw(m, append(batches, gpu.Batch{Word: seed, Seeds: s}), j)
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
