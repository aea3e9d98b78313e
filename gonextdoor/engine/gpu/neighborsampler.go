package gpu

import (
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// NeighborSampler draws mini-batches of one graph on a GPU, several in one launch. It remembers the sizes of earlier draws,
// from which it derives the capacities of later ones, and holds no GPU memory between calls. It is safe for concurrent use.
type NeighborSampler struct {
	Engine Engine
	Graph  *graph.Hetero

	lock       sync.Mutex // guards the fields below
	capacities map[shape]capacity
	loaded     neighborKernels
}

// Batch is the random seed and the seed nodes of a mini-batch.
type Batch struct {
	Seed      uint64
	SeedNodes app.SeedNodes
}

// SupportsBatch returns why the CPU must draw a mini-batch, or nil.
func SupportsBatch(m *app.NeighborSampling, h *graph.Hetero) error {
	refused := func(what string) error {
		return refuse.Device("device: a mini-batch with %s does not run on a GPU; use device=\"cpu\", or \"auto\"", what)
	}
	if m.Labor() {
		return refused("method = \"" + string(m.Method) + "\"")
	}
	if m.Temporal != "" {
		return refused("temporal = \"" + string(m.Temporal) + "\"")
	}
	if len(h.Relations)*len(m.Fanouts) > plan.NeighborSteps {
		return refused("so many hops and relations")
	}
	for _, fanouts := range m.Fanouts {
		for r, f := range fanouts {
			if !m.Replace && f > plan.NeighborPicks && uint64(f) < h.Relations[r].Graph.MaxDegree() {
				return refused("a fan-out of more than " + "4,096" + " without replacement")
			}
		}
	}
	return nil
}

// Draw draws mini-batches, each equal to app.NeighborSampling.Sample. m is bound to the graph. It returns when the positions in the
// arena are known. The arena is complete for work in the result's stream, and after Ready.
//
// Errors: those of app.SeedNodes; DeviceError if the GPU's memory is too small or the options do not run there.
func (n *NeighborSampler) Draw(m *app.NeighborSampling, batches []Batch, j *job.Job) (result *NeighborBatches, err error) {
	if err := SupportsBatch(m, n.Graph); err != nil {
		return nil, err
	}
	for _, b := range batches {
		if err := b.SeedNodes.Fit(m, n.Graph); err != nil {
			return nil, err
		}
		for r, ids := range b.SeedNodes.Excluded {
			if len(ids) > 0 && m.Weighs(n.Graph.Relations[r].Graph) {
				return nil, refuse.Device("device: weighted choices with excluded edges do not run on a GPU; use device=\"cpu\"")
			}
		}
	}
	if len(batches) > plan.NeighborBatches {
		return nil, refuse.Value("%d batches: expected at most %d at once on a GPU", len(batches), plan.NeighborBatches)
	}
	if err := j.Err(); err != nil {
		return nil, err
	}
	err = n.Engine.Device.Do(func() error {
		lists := len(n.Graph.Counts) * len(batches)
		d := &batchDraw{batchRequest: batchRequest{n, m, batches, lists}, job: j, device: n.Engine.Device}
		result, err = d.run()
		return d.end(err)
	})
	return result, err
}

// batchRequest has the arguments of a call.
type batchRequest struct {
	from    *NeighborSampler
	app     *app.NeighborSampling
	batches []Batch
	lists   int // of nodes: one per type and batch
}

// batchDraw is one call of Draw. It is used within Device.Do, by one thread.
type batchDraw struct {
	batchRequest
	job    *job.Job
	device *cuda.Device
	stream cuda.Stream
	graphs heldGraphs

	pinned   cuda.Pinned // params, then the report
	params   launchParams
	report   report
	capacity capacity
	guessed  bool // the capacity is a guess, for which the GPU may have too little memory

	memory cuda.Memory // of an attempt
	arena  cuda.Memory // of the result
	ready  cuda.Event  // the result is complete
	args   kernels.NeighborSampler
	result *NeighborBatches
}

// run draws the batches. It repeats the draw with more memory until everything fits.
func (d *batchDraw) run() (*NeighborBatches, error) {
	var err error
	if d.stream, err = d.from.Engine.stream(); err != nil {
		return nil, err
	}
	// 1. Upload the relations' graphs.
	if err := d.graphs.hold(d); err != nil {
		return nil, err
	}
	// 2. Lay out the parameters and the report in pinned memory.
	if err := d.prepare(); err != nil {
		return nil, err
	}
	// 3. Draw and compact until everything fits.
	for {
		again, err := d.sample()
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
	}
}

// prepare lays out the parameters and the report, and chooses the capacity.
func (d *batchDraw) prepare() (err error) {
	if d.params, err = d.newParams(); err != nil {
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

// hold uploads the relations' graphs, unless they are there.
func (held *heldGraphs) hold(d *batchDraw) error {
	h := d.from.Graph
	held.graphs = make([]kernels.Graph, len(h.Relations))
	for r, rel := range h.Relations {
		want := resident.Rows | resident.IDs
		if resident.Fits(rel.Graph, resident.Packed) == nil {
			want |= resident.Packed
		}
		if d.app.Weighs(rel.Graph) {
			want |= resident.Biases | resident.Alias | resident.Biased
		}
		g, release, err := resident.Of(rel.Graph, d.device).Hold(want, d.stream, graph.Options{Job: d.job})
		if err != nil {
			return err
		}
		held.graphs[r], held.releases = g, append(held.releases, release)
	}
	return nil
}

// release allows the graphs to be evicted.
func (held *heldGraphs) release() {
	for _, release := range held.releases {
		release()
	}
}

// end frees the memory of the call, and after an error also the result.
func (d *batchDraw) end(err error) error {
	d.graphs.release()
	if err != nil && d.pinned.Pointer != nil {
		_ = d.stream.Synchronize() // the GPU must not read or write there any more
	}
	err = first(err, d.free(), d.device.Unpin(d.pinned))
	if err != nil && d.result != nil {
		_ = d.result.free()
	}
	return err
}

// free frees the memory of an attempt.
func (d *batchDraw) free() error {
	err := first(d.device.Free(d.memory, d.stream), d.device.Free(d.arena, d.stream))
	if d.ready != (cuda.Event{}) {
		err = first(err, d.ready.Destroy())
	}
	d.memory, d.arena, d.ready = cuda.Memory{}, cuda.Memory{}, cuda.Event{}
	return err
}
