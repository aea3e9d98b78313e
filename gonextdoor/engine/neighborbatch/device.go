package neighborbatch

import (
	"errors"
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/cpu/idmap"
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
// one result, which the caller releases. The devices draw at the same time: the call waits for none before it has submitted
// the work of all. It returns once the positions in the arenas are known, usually before the arenas are complete. If the graph
// does not fit the memory of a device, the device and the host draw together or, if that is not possible, the CPU draws the
// device's batches, and each is a result.
func (s *Sampler) DrawOnDevices(
	open func() ([]engine.Device, error), m *app.NeighborSampling, batchSeeds []uint64, nodes []app.SeedNodes, turn int, j *job.Job,
) ([]LaunchBatches, error) {
	d, err := s.BeginOnDevices(open, m, batchSeeds, nodes, turn, j)
	if err != nil {
		return nil, err
	}
	return d.Finish(j)
}

// BeginOnDevices is DrawOnDevices up to the wait: it submits the first launch of each device. The caller calls Finish once.
func (s *Sampler) BeginOnDevices(
	open func() ([]engine.Device, error), m *app.NeighborSampling, batchSeeds []uint64, nodes []app.SeedNodes, turn int, j *job.Job,
) (d *DeviceDraw, err error) {
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
	devices, err := open()
	if err != nil {
		return nil, err
	}
	d = &DeviceDraw{from: s, app: m, batchSeeds: batchSeeds, nodes: timed, job: j, threads: 1}
	if err := d.share(devices, turn); err != nil {
		return nil, err
	}
	d.submit()
	return d, nil
}

// DeviceDraw is one call of DrawOnDevices, whose work has been submitted.
type DeviceDraw struct {
	from       *Sampler
	app        *app.NeighborSampling
	batchSeeds []uint64
	nodes      []app.SeedNodes // with times
	job        *job.Job
	queues     []*deviceQueue // of the devices that have batches to draw
	uploads    bool           // a device is new to the sampler
	threads    int            // that submit work and wait for it
	fault      error          // a panic while work was submitted
	cpuThreads int            // CPU threads for the batches of a device whose memory is too small
}

// deviceQueue is the batches that one device has yet to draw.
type deviceQueue struct {
	sampler engine.DeviceNeighborSampler
	numbers []int                 // of the batches, in the order of the call
	pending engine.PendingBatches // the present launch; nil: the graph does not fit
	results []LaunchBatches
	err     error
}

// share distributes the batches over the devices. If a device is new to the sampler, which uploads the graph then, each
// device has a thread. Later launches are submitted by one thread, in less time than it takes to wake another.
func (d *DeviceDraw) share(devices []engine.Device, turn int) error {
	d.cpuThreads = max(1, parallel.Threads(0)/len(devices))
	for i, device := range devices {
		q := &deviceQueue{}
		for n := range d.nodes {
			if (turn+n)%len(devices) == i {
				q.numbers = append(q.numbers, n)
			}
		}
		if len(q.numbers) == 0 {
			continue
		}
		var known bool
		var err error
		if q.sampler, known, err = d.from.onDevice(device); err != nil {
			return err
		}
		if !known {
			d.uploads, d.threads = true, len(devices)
		}
		d.queues = append(d.queues, q)
	}
	return nil
}

// Pending reports whether Finish has only to wait for the devices: all work has been submitted, and no seed node is refused.
func (d *DeviceDraw) Pending() bool {
	if d.uploads || d.fault != nil {
		return false
	}
	for _, q := range d.queues {
		if q.err != nil || q.pending == nil || len(d.launch(q)) < len(q.numbers) {
			return false
		}
	}
	return d.app.Disjoint || d.distinct()
}

// distinct reports whether no batch has a seed node twice, which the devices refuse.
func (d *DeviceDraw) distinct() bool {
	var seen idmap.Distinct
	for _, n := range d.nodes {
		for _, vertices := range n.Vertices {
			if !seen.All(vertices) {
				return false
			}
		}
	}
	return true
}

// Finish returns the results when the positions in the arenas are known. j takes the place of the job of BeginOnDevices.
func (d *DeviceDraw) Finish(j *job.Job) (all []LaunchBatches, err error) {
	d.job = j
	for len(d.queues) > 0 && err == nil {
		var some []LaunchBatches
		some, err = d.collect()
		all = append(all, some...)
		if err == nil {
			d.submit()
		}
	}
	if err != nil {
		return nil, d.from.withBatchNumber(d.app, d.nodes, d.from.Graph.Blame(errors.Join(err, release(all))))
	}
	return all, nil
}

// each calls f for all queues.
func (d *DeviceDraw) each(f func(q *deviceQueue)) error {
	return parallel.For(nil, d.threads, len(d.queues), 1, func(i, _ int) error {
		f(d.queues[i])
		return nil
	})
}

// submit submits one launch to each device.
func (d *DeviceDraw) submit() {
	d.fault = d.each(d.begin)
	for _, q := range d.queues {
		if q.pending == nil { // the CPU draws for it while others wait
			d.threads = len(d.queues)
		}
	}
}

// collect waits for the launches. After an error, it returns the results of the other devices.
func (d *DeviceDraw) collect() (all []LaunchBatches, err error) {
	err = errors.Join(d.fault, d.each(d.finish))
	var left []*deviceQueue
	for _, q := range d.queues {
		if err == nil {
			err = q.err
		}
		all, q.results = append(all, q.results...), nil
		if len(q.numbers) > 0 {
			left = append(left, q)
		}
	}
	d.queues = left
	return all, err
}

// launch returns the batches of the next launch of a queue.
func (d *DeviceDraw) launch(q *deviceQueue) []int {
	return q.numbers[:batchesPerLaunch(d.nodes, q.numbers)]
}

// begin submits the next launch of a queue.
func (d *DeviceDraw) begin(q *deviceQueue) {
	seeds, nodes := d.batches(d.launch(q))
	q.pending, q.err = q.sampler.Begin(d.app, seeds, nodes, d.job)
}

// batches returns the random seeds and the seed nodes of the batches of some numbers.
func (d *DeviceDraw) batches(numbers []int) (seeds []uint64, nodes []app.SeedNodes) {
	for _, number := range numbers {
		seeds, nodes = append(seeds, d.batchSeeds[number]), append(nodes, d.nodes[number])
	}
	return seeds, nodes
}

// finish waits for the launch of a queue. If the graph does not fit the device's memory, it draws all batches of the queue.
func (d *DeviceDraw) finish(q *deviceQueue) {
	switch {
	case q.err != nil:
	case q.pending == nil:
		q.results, q.err = d.fromHost(q.sampler, q.numbers)
		q.numbers = nil
	default:
		now := d.launch(q)
		var result engine.DeviceBatches
		if result, q.err = q.pending.Finish(d.job); q.err == nil {
			q.results = []LaunchBatches{{result, now, false}}
		}
		q.pending, q.numbers = nil, q.numbers[len(now):]
	}
}

// fromHost draws the batches of some numbers on a device whose memory is too small for the graph: the device chooses the edges,
// and the host reads their end points. Several launches are in progress at a time. The CPU draws those that the device cannot
// choose. After an error, the results of other batches are returned too.
func (d *DeviceDraw) fromHost(to engine.DeviceNeighborSampler, numbers []int) (all []LaunchBatches, err error) {
	var launches [][]int
	for left := numbers; len(left) > 0; {
		n := min(plan.HostEndBatches, batchesPerLaunch(d.nodes, left))
		launches, left = append(launches, left[:n]), left[n:]
	}
	each := make([]engine.DeviceBatches, len(launches))
	err = parallel.For(d.job, plan.HostEndLaunches, len(launches), 1, func(i, _ int) (err error) {
		seeds, nodes := d.batches(launches[i])
		each[i], err = to.DrawFromHost(d.app, seeds, nodes, d.cpuThreads, d.job)
		return err
	})
	var left []int
	for i, drawn := range each {
		if drawn != nil {
			all = append(all, LaunchBatches{drawn, launches[i], false})
		} else {
			left = append(left, launches[i]...)
		}
	}
	if err != nil || len(left) == 0 {
		return all, err
	}
	uploaded, err := d.uploadTo(to, left)
	return append(all, uploaded...), err
}

// uploadTo draws the batches of some numbers on the CPU and copies each to a device as soon as it has been drawn, so that the
// copies of some threads overlap with the choices of others. After an error, the results of other batches are returned too.
func (d *DeviceDraw) uploadTo(to engine.DeviceNeighborSampler, numbers []int) (all []LaunchBatches, err error) {
	sampler, err := d.from.prepare(d.app, d.job)
	if err != nil {
		return nil, err
	}
	each := make([]engine.DeviceBatches, len(numbers))
	threads := max(1, d.cpuThreads/len(numbers)) // of a batch, if there are fewer batches
	err = parallel.For(d.job, d.cpuThreads, len(numbers), 1, func(i, _ int) (err error) {
		n := numbers[i]
		each[i], err = to.Upload(func(lender output.ArenaLender) (output.NeighborBatch, error) {
			return sampler.SampleTo(lender, d.app, d.batchSeeds[n], d.nodes[n], threads, d.job)
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

// onDevice returns the device's sampler, and creates it at the first call for the device. known is false then.
func (s *Sampler) onDevice(d engine.Device) (sampler engine.DeviceNeighborSampler, known bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sampler := s.devices[d.ID()]; sampler != nil {
		return sampler, true, nil
	}
	if sampler, err = d.NeighborSampler(s.Graph); err != nil {
		return nil, false, err
	}
	if s.devices == nil {
		s.devices = map[int]engine.DeviceNeighborSampler{}
	}
	s.devices[d.ID()] = sampler
	return sampler, false, nil
}
