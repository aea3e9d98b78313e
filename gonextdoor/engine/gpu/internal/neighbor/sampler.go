// Package neighbor draws mini-batches of neighbours on one GPU, several in one launch.
package neighbor

import (
	"errors"
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// Sampler draws mini-batches of one graph on a GPU, several in one launch. It remembers the sizes of earlier draws,
// from which it derives the capacities of later ones. It is safe for concurrent use. Close it before the graph.
//
// Between calls it holds no GPU memory. It owns the graphs ordered by time of which temporal batches are drawn, whose arrays
// stay in GPU memory as those of the graph do.
type Sampler struct {
	Engine launch.Engine
	Graph  *graph.Hetero

	lock       sync.Mutex // guards the three fields below
	capacities map[shape]capacity
	loaded     [choices]neighborKernels
	near       nearShare // of the latest call of DrawFromHost

	ordering sync.Mutex     // guards ordered
	ordered  []*graph.Graph // by relation: its graph ordered by time; nil before the first temporal batch
}

// Batch is the random seed and the seed nodes of a mini-batch.
type Batch struct {
	Seed      uint64
	SeedNodes app.SeedNodes
}

// Close frees the graphs ordered by time. No call may be in progress.
func (n *Sampler) Close() {
	for _, g := range n.ordered {
		if g != nil {
			g.Close()
		}
	}
	n.ordered = nil
}

// Draw draws mini-batches: Begin and Finish.
func (n *Sampler) Draw(m *app.NeighborSampling, batches []Batch, j *job.Job) (*Batches, error) {
	p, err := n.Begin(m, batches, j)
	if err != nil {
		return nil, err
	}
	return p.Finish(j)
}

// Begin submits the draw of mini-batches, each equal to app.NeighborSampling.Sample. m is bound to the graph. It does not wait
// for the GPU, except when the graph is uploaded. The caller calls Finish once.
//
// Errors: those of app.SeedNodes; DeviceError if the GPU's memory is too small, which wraps resident.ErrRoom if it is too small
// for the graph.
func (n *Sampler) Begin(m *app.NeighborSampling, batches []Batch, j *job.Job) (p PendingBatches, err error) {
	if err := n.check(m, batches, j); err != nil {
		return p, err
	}
	q, err := n.newRequest(m, batches, j)
	if err != nil {
		return p, err
	}
	p.draw = &batchDraw{batchRequest: q, job: j, device: n.Engine.Device}
	return p, n.Engine.Device.Do(func() error {
		if err := p.draw.begin(); err != nil {
			return p.draw.end(err)
		}
		return nil
	})
}

// check returns the errors of Begin that need no GPU.
func (n *Sampler) check(m *app.NeighborSampling, batches []Batch, j *job.Job) error {
	for _, b := range batches {
		if err := b.SeedNodes.Fit(m, n.Graph); err != nil {
			return err
		}
	}
	if len(batches) > plan.NeighborBatches {
		return refuse.Value("%d batches: expected at most %d at once on a GPU", len(batches), plan.NeighborBatches)
	}
	return j.Err()
}

// PendingBatches are mini-batches that a GPU is drawing.
type PendingBatches struct{ draw *batchDraw }

// Finish returns the mini-batches when the positions in the arena are known. The arena is complete for work in the result's
// stream, and after Ready. j takes the place of the job of Begin.
func (p PendingBatches) Finish(j *job.Job) (result *Batches, err error) {
	d := p.draw
	d.job = j
	err = d.device.Do(func() (err error) {
		result, err = d.complete()
		return d.end(err)
	})
	return result, err
}

// batchDraw is one draw. It is used within Device.Do, by one thread at a time.
type batchDraw struct {
	batchRequest
	job    *job.Job
	device *cuda.Device
	stream cuda.Stream
	held   heldGraphs

	arrived uintptr // the counter of grid barriers of the stream

	loaded   neighborKernels
	pinned   cuda.Pinned // params, then the report
	params   launchParams
	report   report
	capacity capacity
	guessed  bool // the capacity is a guess, for which the GPU may have too little memory

	memory cuda.Memory // of an attempt
	arena  cuda.Memory // of the result
	ready  cuda.Event  // the result is complete
	args   kernels.NeighborSampler
	result *Batches
}

// begin uploads what the draw reads and submits the first attempt.
func (d *batchDraw) begin() (err error) {
	if d.stream, err = d.from.Engine.WorkStream(); err != nil {
		return err
	}
	if d.loaded, err = d.from.kernels(d.choice()); err != nil {
		return err
	}
	// 1. Upload the relations' graphs.
	if err := d.checkFree(); err != nil {
		return err
	}
	if err := d.held.hold(d); err != nil {
		return err
	}
	// 2. Lay out the parameters and the report in pinned memory.
	if err := d.prepare(); err != nil {
		return err
	}
	// 3. Draw.
	return d.submit()
}

// complete waits for the attempt, and repeats the draw with more memory until everything fits.
func (d *batchDraw) complete() (*Batches, error) {
	for {
		again, err := d.outcome()
		if err != nil {
			return nil, err
		}
		if !again {
			if again, err = d.finish(); err != nil || !again {
				return d.result, err
			}
		}
		if err := d.job.Err(); err != nil {
			return nil, err
		}
		if err := d.submit(); err != nil {
			return nil, err
		}
	}
}

// prepare lays out the parameters and the report, and chooses the capacity.
func (d *batchDraw) prepare() (err error) {
	if d.params, err = d.newParams(); err != nil {
		return err
	}
	if d.arrived, err = launch.BarrierOf(d.device, d.stream); err != nil {
		return err
	}
	d.capacity, d.guessed = d.forSeeds(d.from.remembered(&d.batchRequest)), true
	at, types := (d.params.bytes+255)/256*256, len(d.from.Graph.Counts)
	_, words := newReport(nil, d.params.stepCount, types, len(d.batches))
	if d.pinned, err = d.device.Pin(int64(at + 4*words)); err != nil {
		return err
	}
	d.report, _ = newReport(unsafe.Add(d.pinned.Pointer, at), d.params.stepCount, types, len(d.batches))
	return nil
}

// heldGraphs are the graphs of the relations in GPU memory.
type heldGraphs struct {
	graphs   []kernels.Graph
	releases []func()
}

// hold uploads the relations' graphs, unless they are there. Its error wraps resident.ErrRoom if there is too little memory.
func (held *heldGraphs) hold(d *batchDraw) error {
	held.graphs = make([]kernels.Graph, len(d.graphs))
	for r, g := range d.graphs {
		at, release, err := resident.Of(g, d.device).Hold(d.layouts(r), d.stream, graph.Options{Job: d.job})
		if errors.Is(err, cuda.ErrMemory) {
			return &refuse.Refusal{Kind: refuse.KindDevice, Text: err.Error(), Err: resident.ErrRoom}
		}
		if err != nil {
			return err
		}
		held.graphs[r], held.releases = at, append(held.releases, release)
	}
	return nil
}

// layouts returns the layouts of a relation's graph that the kernel reads.
func (q *batchRequest) layouts(r int) resident.Layout {
	want := resident.Rows | resident.IDs
	if resident.Fits(q.graphs[r], resident.Packed) == nil {
		want |= resident.Packed
	}
	if q.timed(r) {
		want |= resident.Times
	}
	if !q.weighs(r) {
		return want
	}
	switch by := q.choice(); {
	case by == laborChoice:
		want |= resident.Biases | resident.Biased
	case by == rangeChoice && q.timed(r):
		want |= resident.BiasSums
	case by == rangeChoice:
		want |= resident.BiasSums | resident.Alias
	default:
		want |= resident.Biases | resident.Alias | resident.Biased
	}
	return want
}

// release allows the graphs to be evicted.
func (held *heldGraphs) release() {
	for _, release := range held.releases {
		release()
	}
}

// end frees the memory of the call, and after an error also the result.
func (d *batchDraw) end(err error) error {
	d.held.release()
	if err != nil && d.pinned.Pointer != nil {
		_ = d.stream.Synchronize() // the GPU must not read or write there any more
	}
	err = launch.First(err, d.free(), d.device.Unpin(d.pinned))
	if err != nil && d.result != nil {
		_ = d.result.free()
	}
	return err
}

// free frees the memory of an attempt.
func (d *batchDraw) free() error {
	err := launch.First(d.device.Free(d.memory, d.stream), d.device.Free(d.arena, d.stream))
	if d.ready != (cuda.Event{}) {
		err = launch.First(err, d.ready.Destroy())
	}
	d.memory, d.arena, d.ready = cuda.Memory{}, cuda.Memory{}, cuda.Event{}
	return err
}
