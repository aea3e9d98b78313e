package partition_test

import (
	"errors"
	"fmt"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/partition"
	"gonextdoor/gonextdoor/refuse"
)

// askEdges passes each question to its part and returns the answers.
func askEdges(parts []*partition.Part, questions [][]uint32) ([][]uint32, error) {
	answers := make([][]uint32, len(parts))
	for i, q := range questions {
		if len(q) == 0 {
			continue
		}
		var err error
		if answers[i], err = parts[i].AnswerEdges(q, nil); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// drawBatches draws mini-batches from a part. Each batch in the result is owned by the caller.
func drawBatches(
	parts []*partition.Part, home int, m *app.NeighborSampling, seeds []uint64, nodes []app.SeedNodes, j *job.Job,
) ([]output.NeighborBatch, error) {
	c, err := partition.NewBatchCall(parts[home], m, seeds, nodes, 1, j)
	if err != nil {
		return nil, err
	}
	for {
		questions, err := c.Questions()
		if err == nil && questions == nil {
			return c.Finish()
		}
		var answers [][]uint32
		if err == nil {
			answers, err = askEdges(parts, questions)
		}
		if err == nil {
			err = c.Answers(answers)
		}
		if err != nil {
			c.Discard()
			return nil, err
		}
	}
}

// partSampler draws mini-batches of a partitioned graph, each from another part than the last.
type partSampler struct {
	parts []*partition.Part
	home  int
}

func (s *partSampler) Sample(m *app.NeighborSampling, seed uint64, nodes app.SeedNodes, _ int, j *job.Job) (output.NeighborBatch, error) {
	s.home = (s.home + 1) % len(s.parts)
	all, err := drawBatches(s.parts, s.home, m, []uint64{seed}, []app.SeedNodes{nodes}, j)
	if err != nil {
		return output.NeighborBatch{}, err
	}
	return all[0], nil
}

// divisible reports whether a partitioned graph has what a mini-batch needs: one relation, and times of edges.
func divisible(c enginetest.BatchCase) bool {
	h := c.Graph
	return len(h.Relations) == 1 && h.Types == nil && h.Counts[0] == h.Relations[0].Graph.NumVertices() &&
		(c.App.Temporal == "" || h.Relations[0].Graph.Times != nil)
}

// samplersOf returns the constructor of samplers of a graph that is divided into parts, and counts them.
func samplersOf(t *testing.T, count int, kind string, hot int) enginetest.NewSampler {
	return func(h *graph.Hetero) (engine.NeighborSampler, func(), error) {
		if len(h.Relations) != 1 || h.Types != nil {
			return nil, func() {}, nil
		}
		g := h.Relations[0].Graph
		parts, err := partition.Split(g, ownersOf(g.NumVertices(), count)[kind], hotOf(g, hot), graph.Options{Threads: 1})
		return &partSampler{parts: parts}, func() {
			for _, p := range parts {
				p.Close()
			}
		}, err
	}
}

func TestPartitionedBatchesEqualTheDefinition(t *testing.T) {
	share := enginetest.NewShare(t, 3)
	for _, count := range []int{1, 2, 3, 5} {
		for _, kind := range []string{"ranges", "hash"} {
			for _, hot := range []int{0, 3} {
				t.Run(fmt.Sprint(count, " ", kind, " ", hot), func(t *testing.T) {
					checked := 0
					enginetest.RunThoseBatches(t, samplersOf(t, count, kind, hot), func(c enginetest.BatchCase) bool {
						wanted := divisible(c) && share.Takes()
						if wanted {
							checked++
						}
						return wanted
					})
					if checked < 20 {
						t.Errorf("%d batches were compared, expected at least 20", checked)
					}
				})
			}
		}
	}
}

func TestRandomPartitionedBatches(t *testing.T) {
	share := enginetest.NewShare(t, 12)
	for _, hot := range []int{0, 50} {
		enginetest.RunRandomBatches(t, samplersOf(t, 4, "hash", hot), 200, func(c enginetest.BatchCase) bool {
			return divisible(c) && share.Takes()
		})
	}
}

var _ = errors.Join
var _ = refuse.KindOf
