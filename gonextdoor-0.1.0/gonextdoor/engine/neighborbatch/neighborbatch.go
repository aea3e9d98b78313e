// Package neighborbatch is the neighbour sampler: it draws mini-batches of a heterogeneous graph on the CPU, or on a device
// whose memory keeps them. It validates the graph, builds alias tables and distributes the batches of a call over threads or
// launches. The engines are engine.NeighborSampler and engine.DeviceNeighborSampler.
package neighborbatch

import (
	"fmt"
	"sync"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/cpu/neighbor"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// Sampler draws mini-batches of one graph. It keeps workspaces for later calls. It is safe for concurrent use. Close it
// before the graph is closed.
type Sampler struct {
	Graph *graph.Hetero

	mu      sync.Mutex                           // guards the fields below
	cpu     *neighbor.Sampler                    // nil before the first draw
	devices map[int]engine.DeviceNeighborSampler // by the devices' numbers
}

// New returns a sampler of h. It allocates nothing before the first draw.
func New(h *graph.Hetero) *Sampler { return &Sampler{Graph: h} }

// Draw draws one mini-batch. Its arena is lent from offheap.Results. The call ends soon after the job is stopped.
func (s *Sampler) Draw(m *app.NeighborSampling, batchSeed uint64, nodes app.SeedNodes, j *job.Job) (output.NeighborBatch, error) {
	all, err := s.DrawMany(m, []uint64{batchSeed}, []app.SeedNodes{nodes}, 1, j)
	if err != nil {
		return output.NeighborBatch{}, err
	}
	return all[0], nil
}

// DrawMany draws the mini-batch of each seed on a number of threads (0: all). Each result equals that of Draw. Several
// batches are drawn concurrently, one thread each. If there are fewer batches than threads, a batch uses several. The error
// is that of the first batch that is refused; no result stays lent then.
func (s *Sampler) DrawMany(
	m *app.NeighborSampling, batchSeeds []uint64, nodes []app.SeedNodes, threads int, j *job.Job,
) (all []output.NeighborBatch, err error) {
	if err := oneSeedEach(batchSeeds, nodes); err != nil {
		return nil, err
	}
	var sampler *neighbor.Sampler
	err = s.Graph.Blame(parallel.Do(1, func(int) (err error) { // a mapped graph may fault
		sampler, err = s.prepare(m, j)
		return err
	}))
	if err != nil {
		return nil, err
	}
	all = make([]output.NeighborBatch, len(batchSeeds))
	each := max(1, parallel.Threads(threads)/max(1, len(batchSeeds))) // threads of a batch, if there are fewer batches
	if len(batchSeeds) == 1 {
		all[0], err = s.one(sampler, m, batchSeeds[0], nodes[0], each, j)
	} else {
		err = parallel.For(j, threads, len(batchSeeds), 1, func(i, _ int) (err error) {
			all[i], err = s.one(sampler, m, batchSeeds[i], nodes[i], each, j)
			return OfBatch(i, len(batchSeeds), err)
		})
	}
	if err = s.Graph.Blame(err); err != nil {
		for _, batch := range all {
			batch.Return()
		}
		return nil, err
	}
	return all, nil
}

// one draws one batch with the times of its seed nodes.
func (s *Sampler) one(
	sampler *neighbor.Sampler, m *app.NeighborSampling, batchSeed uint64, nodes app.SeedNodes, threads int, j *job.Job,
) (batch output.NeighborBatch, err error) {
	if err := j.Err(); err != nil {
		return batch, err
	}
	timed, err := nodes.Timed(m, s.Graph)
	if err != nil {
		return batch, err
	}
	return sampler.SampleTo(output.ResultArenas{}, m, batchSeed, timed, threads, j)
}

// oneSeedEach returns an error unless there is one random seed per batch.
func oneSeedEach(batchSeeds []uint64, nodes []app.SeedNodes) error {
	if len(batchSeeds) != len(nodes) {
		return refuse.Value("batch_seeds has %d elements: expected %d, one per batch", len(batchSeeds), len(nodes))
	}
	return nil
}

// OfBatch adds the number of the batch to a refusal, if there are several batches.
func OfBatch(i, batches int, err error) error {
	if kind := refuse.KindOf(err); batches > 1 && kind != "" && kind != refuse.KindInterrupted {
		return &refuse.Refusal{Kind: kind, Text: fmt.Sprintf("batch %d: %v", i, err), Err: err}
	}
	return err
}

// prepare validates the graph, builds the alias tables that the choices need, binds m and returns the CPU's sampler.
func (s *Sampler) prepare(m *app.NeighborSampling, j *job.Job) (*neighbor.Sampler, error) {
	for i, r := range s.Graph.Relations {
		if err := r.Graph.ValidateWith(graph.Options{Job: j}); err != nil {
			return nil, err
		}
		if m.Tabled(s.Graph, i) {
			if err := index.BuildAlias(r.Graph, graph.Options{Job: j}); err != nil {
				return nil, err
			}
		}
	}
	if err := m.Bind(s.Graph); err != nil {
		return nil, err
	}
	return s.workspaces()
}

// workspaces returns the CPU's workspaces, and creates them at the first call.
func (s *Sampler) workspaces() (sampler *neighbor.Sampler, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cpu == nil {
		s.cpu, err = neighbor.NewSampler(s.Graph)
	}
	return s.cpu, err
}

// Close frees the workspaces. No call may be in progress.
func (s *Sampler) Close() {
	if s.cpu != nil {
		s.cpu.Close()
	}
	for _, sampler := range s.devices {
		sampler.Close()
	}
}
