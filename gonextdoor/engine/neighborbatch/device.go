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

// LaunchBatches is the mini-batches of one launch on a device.
type LaunchBatches struct {
	engine.DeviceBatches
	Numbers []int // of the batches, in the order of the call
}

// DrawOnDevices draws the mini-batch of each seed on devices, which take turns, and leaves them in their memory: batch i is
// drawn on device (turn+i) modulo their number. Each batch equals the result of Draw. open opens the devices, after the
// arguments have been validated. One launch draws as many batches of a device as possible, usually all, and each launch has
// one result, which the caller releases. The devices draw at the same time. The call returns once the positions in the arenas
// are known, usually before the arenas are complete.
func (s *Sampler) DrawOnDevices(
	open func() ([]engine.Device, error), m *app.NeighborSampling, batchSeeds []uint64, nodes []app.SeedNodes, turn int, j *job.Job,
) (all []LaunchBatches, err error) {
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
	devices, err := open()
	if err != nil {
		return nil, err
	}
	each := make([][]LaunchBatches, len(devices))
	err = parallel.For(nil, len(devices), len(devices), 1, func(i, _ int) (err error) {
		var numbers []int
		for n := range nodes {
			if (turn+n)%len(devices) == i {
				numbers = append(numbers, n)
			}
		}
		each[i], err = s.drawOn(devices[i], m, batchSeeds, nodes, numbers, j)
		return err
	})
	all = slices.Concat(each...)
	if err != nil {
		return nil, s.withBatchNumber(m, nodes, s.Graph.Blame(errors.Join(err, release(all))))
	}
	return all, nil
}

// drawOn draws the batches of some numbers on one device. After an error, the results of earlier launches are returned too.
func (s *Sampler) drawOn(
	d engine.Device, m *app.NeighborSampling, batchSeeds []uint64, nodes []app.SeedNodes, numbers []int, j *job.Job,
) (all []LaunchBatches, err error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	sampler, err := s.onDevice(d)
	if err != nil {
		return nil, err
	}
	for len(numbers) > 0 {
		n := batchesPerLaunch(nodes, numbers)
		now, seeds, some := numbers[:n], make([]uint64, n), make([]app.SeedNodes, n)
		for i, number := range now {
			seeds[i], some[i] = batchSeeds[number], nodes[number]
		}
		batches, err := sampler.Draw(m, seeds, some, j)
		if err != nil {
			return all, err
		}
		all, numbers = append(all, LaunchBatches{batches, now}), numbers[n:]
	}
	return all, nil
}

// release releases the results of launches.
func release(all []LaunchBatches) (err error) {
	for _, drawn := range all {
		err = errors.Join(err, drawn.Release())
	}
	return err
}

// batchesPerLaunch returns how many of the first batches of some numbers one launch can draw: they exclude the same edges, and
// are at most plan.NeighborBatches.
func batchesPerLaunch(nodes []app.SeedNodes, numbers []int) int {
	for i, n := range numbers {
		if i == plan.NeighborBatches || !slices.EqualFunc(nodes[n].Excluded, nodes[numbers[0]].Excluded, slices.Equal) {
			return i
		}
	}
	return len(numbers)
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
