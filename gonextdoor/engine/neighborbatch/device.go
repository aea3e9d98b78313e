package neighborbatch

import (
	"errors"
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// LaunchBatches is the mini-batches of one launch on a device.
type LaunchBatches struct {
	engine.DeviceBatches
	Numbers []int // of the batches, in the order of the call
	OnCPU   bool  // the CPU drew them, because the graph does not fit the device's memory
}

// DrawOnDevices draws the mini-batch of each seed on devices, which take turns, and leaves them in their memory: batch i is
// drawn on device (turn+i) modulo their number. Each batch equals the result of Draw. open opens the devices, after the
// arguments have been validated. One launch draws as many batches of a device as possible, usually all, and each launch has
// one result, which the caller releases. The devices draw at the same time. The call returns once the positions in the arenas
// are known, usually before the arenas are complete. If the graph does not fit the memory of a device, the CPU draws the
// device's batches, and each is a result.
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
		r := deviceRequest{m, batchSeeds, nodes, max(1, parallel.Threads(0)/len(devices)), j}
		each[i], err = s.drawOn(devices[i], r, numbers)
		return err
	})
	all = slices.Concat(each...)
	if err != nil {
		return nil, s.withBatchNumber(m, nodes, s.Graph.Blame(errors.Join(err, release(all))))
	}
	return all, nil
}

// deviceRequest has the arguments of a call for devices.
type deviceRequest struct {
	app        *app.NeighborSampling
	batchSeeds []uint64
	nodes      []app.SeedNodes // with times
	threads    int             // CPU threads for the batches of a device
	job        *job.Job
}

// drawOn draws the batches of some numbers on one device. After an error, the results of earlier launches are returned too.
func (s *Sampler) drawOn(d engine.Device, r deviceRequest, numbers []int) (all []LaunchBatches, err error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	sampler, err := s.onDevice(d)
	if err != nil {
		return nil, err
	}
	for len(numbers) > 0 {
		n := batchesPerLaunch(r.nodes, numbers)
		now, seeds, some := numbers[:n], make([]uint64, n), make([]app.SeedNodes, n)
		for i, number := range now {
			seeds[i], some[i] = r.batchSeeds[number], r.nodes[number]
		}
		batches, err := sampler.Draw(r.app, seeds, some, r.job)
		if err != nil {
			return all, err
		}
		if batches == nil { // the graph does not fit
			uploaded, err := s.uploadTo(sampler, r, numbers)
			return append(all, uploaded...), err
		}
		all, numbers = append(all, LaunchBatches{batches, now, false}), numbers[n:]
	}
	return all, nil
}

// uploadTo draws the batches of some numbers on the CPU and copies each to a device as soon as it has been drawn, so that the
// copies of some threads overlap with the choices of others. After an error, the results of other batches are returned too.
func (s *Sampler) uploadTo(to engine.DeviceNeighborSampler, r deviceRequest, numbers []int) (all []LaunchBatches, err error) {
	sampler, err := s.prepare(r.app, r.job)
	if err != nil {
		return nil, err
	}
	each := make([]engine.DeviceBatches, len(numbers))
	threads := max(1, r.threads/len(numbers)) // of a batch, if there are fewer batches
	err = parallel.For(r.job, r.threads, len(numbers), 1, func(i, _ int) (err error) {
		n := numbers[i]
		each[i], err = to.Upload(func(lender output.ArenaLender) (output.NeighborBatch, error) {
			return sampler.SampleTo(lender, r.app, r.batchSeeds[n], r.nodes[n], threads, r.job)
		})
		return err
	})
	for i, batch := range each {
		if batch != nil {
			all = append(all, LaunchBatches{batch, numbers[i : i+1], true})
		}
	}
	return all, err
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
