package gpu_test

import (
	"errors"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
)

// drawer draws mini-batches of one graph on the card, for the suite.
type drawer struct {
	*gpu.Neighborhoods
	others int // mini-batches before it in the launch
}

func (d drawer) Blocks(m *app.MiniBatch, seed uint64, s app.Seeds, j *job.Job) (output.Blocks, error) {
	var batches []gpu.Batch
	for i := range d.others { // of no seeds, of the first, of the first two ...
		other := app.Seeds{Excluded: s.Excluded}
		for _, vertices := range s.Vertices {
			other.Vertices = append(other.Vertices, vertices[:min(len(vertices), i)])
		}
		batches = append(batches, gpu.Batch{Word: seed + uint64(i), Seeds: other})
	}
	result, err := d.Draw(m, append(batches, gpu.Batch{Word: seed, Seeds: s}), j)
	if err != nil {
		return output.Blocks{}, err
	}
	all, err := result.Host()
	if freed := result.Free(); err != nil || freed != nil {
		return output.Blocks{}, errors.Join(err, freed)
	}
	for _, other := range all[:d.others] {
		other.Return()
	}
	return all[d.others], nil
}

// drawn says whether a card draws a case.
func drawn(c enginetest.BatchCase) bool {
	if gpu.NeighborhoodsRun(c.App, c.Graph) != nil {
		return false
	}
	for r, ids := range c.Seeds.Excluded {
		if len(ids) > 0 && c.App.Weighs(c.Graph.Relations[r].Graph) {
			return false
		}
	}
	return true
}

// batchWays are ways to cut the work: as planned, by many blocks, with next to no room at first, and several mini-batches
// in a launch.
var batchWays = map[string]struct {
	tuning gpu.Tuning
	others int
}{
	"as planned":   {gpu.Tuning{}, 0},
	"many blocks":  {gpu.Tuning{NeighborhoodBlocks: 6}, 0},
	"little room":  {gpu.Tuning{NeighborhoodBlocks: 2, NeighborhoodRoom: 8}, 0},
	"among others": {gpu.Tuning{}, 4},
}

func TestMiniBatches(t *testing.T) {
	d := device(t)
	every := 1
	if testing.Short() && !cudatest.Real() {
		every = 47 // threads cost
	}
	for name, way := range batchWays {
		t.Run(name, func(t *testing.T) {
			at := 0
			wanted := func(c enginetest.BatchCase) bool {
				if !drawn(c) {
					return false
				}
				at++
				return at%every == 0
			}
			enginetest.RunThoseBatches(t, func(h *graph.Hetero) (enginetest.Batches, func(), error) {
				n := &gpu.Neighborhoods{Engine: gpu.Engine{Device: d, Tuning: way.tuning}, Graph: h}
				return drawer{n, way.others}, func() {}, nil
			}, wanted)
		})
	}
}
