package neighborbatch

import (
	"errors"
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// DrawOnDevice draws the mini-batch of each seed on a device and leaves them in its memory. Each batch equals the result of
// Draw. open opens the device, after the arguments have been validated. One launch draws as many batches as possible,
// usually all, and each launch has one result, which the caller releases. The call returns once the positions in the arenas
// are known, usually before the arenas are complete.
func (s *Sampler) DrawOnDevice(
	open func() (engine.Device, error), m *app.NeighborSampling, batchSeeds []uint64, nodes []app.SeedNodes, j *job.Job,
) (all []engine.DeviceBatches, err error) {
	if err := oneSeedEach(batchSeeds, nodes); err != nil {
		return nil, err
	}
	err = s.Graph.Blame(parallel.Do(1, func(int) error { return s.bindForDevice(m, j) })) // a mapped graph may fault
	if err != nil {
		return nil, err
	}
	timed := make([]app.SeedNodes, len(nodes))
	for i, n := range nodes {
		if timed[i], err = n.Timed(m, s.Graph); err != nil {
			return nil, OfBatch(i, len(nodes), err)
		}
	}
	nodes = timed
	d, err := open()
	if err != nil {
		return nil, err
	}
	sampler, err := s.onDevice(d)
	if err != nil {
		return nil, err
	}
	for begin := 0; begin < len(batchSeeds); {
		end := begin + batchesPerLaunch(nodes[begin:])
		batches, err := sampler.Draw(m, batchSeeds[begin:end], nodes[begin:end], j)
		if err != nil {
			for _, earlier := range all {
				err = errors.Join(err, earlier.Release())
			}
			return nil, s.withBatchNumber(m, nodes, s.Graph.Blame(err))
		}
		all = append(all, batches)
		begin = end
	}
	return all, nil
}

// batchesPerLaunch returns the number of leading batches that one launch can draw: they exclude the same edges, and are at most
// plan.NeighborBatches.
func batchesPerLaunch(nodes []app.SeedNodes) int {
	for i, s := range nodes {
		if i == plan.NeighborBatches || !slices.EqualFunc(s.Excluded, nodes[0].Excluded, slices.Equal) {
			return i
		}
	}
	return len(nodes)
}

// withBatchNumber adds the number of the batch to the refusal of a launch, whose batches are checked again on the host.
func (s *Sampler) withBatchNumber(m *app.NeighborSampling, nodes []app.SeedNodes, err error) error {
	kind := refuse.KindOf(err)
	for i, n := range nodes {
		if refused := n.Check(m, s.Graph); refused != nil && refuse.KindOf(refused) == kind {
			return OfBatch(i, len(nodes), refused)
		}
	}
	return err
}

// bindForDevice validates the graph and binds m. It builds no alias tables: devices build them themselves.
func (s *Sampler) bindForDevice(m *app.NeighborSampling, j *job.Job) error {
	for _, r := range s.Graph.Relations {
		if err := r.Graph.ValidateWith(graph.Options{Job: j}); err != nil {
			return err
		}
	}
	return m.Bind(s.Graph)
}

// onDevice returns the device's sampler, and creates it at the first call for the device.
func (s *Sampler) onDevice(d engine.Device) (engine.DeviceNeighborSampler, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sampler := s.devices[d.ID()]; sampler != nil {
		return sampler, nil
	}
	sampler, err := d.NeighborSampler(s.Graph)
	if err != nil {
		return nil, err
	}
	if s.devices == nil {
		s.devices = map[int]engine.DeviceNeighborSampler{}
	}
	s.devices[d.ID()] = sampler
	return sampler, nil
}
