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

// Neighborhoods draws mini-batches of one graph on a card, any number in one launch. It remembers how large the last ones
// were, so that the next have their memory at once; it holds none between calls.
type Neighborhoods struct {
	Engine Engine
	Graph  *graph.Hetero

	lock   sync.Mutex
	rooms  map[shape]rooms
	loaded neighborhoodKernels
}

// Batch is what a mini-batch is drawn from.
type Batch struct {
	Word  uint64
	Seeds app.Seeds
}

// NeighborhoodsRun says why the CPU must draw a mini-batch, or nil.
func NeighborhoodsRun(m *app.MiniBatch, h *graph.Hetero) error {
	refused := func(what string) error {
		return refuse.Device("device: a mini-batch with %s does not run on a GPU; use device=\"cpu\", or \"auto\"", what)
	}
	if m.Temporal != "" {
		return refused("temporal = \"" + string(m.Temporal) + "\"")
	}
	if len(h.Relations)*len(m.Fanouts) > plan.NeighborhoodSteps {
		return refused("so many hops and relations")
	}
	for _, fanouts := range m.Fanouts {
		for r, f := range fanouts {
			if !m.Replace && f > plan.NeighborhoodPicks && uint64(f) < h.Relations[r].Graph.MaxDegree() {
				return refused("a fan-out of more than " + "4,096" + " without replacement")
			}
		}
	}
	return nil
}

// Draw draws mini-batches, each as its definition has it. m is bound to the graph. It returns when all is known but the
// arrays themselves, which the card lays then: they hold for work that is put into the result's stream, or behind Ready.
//
// Errors: those of app.Seeds; DeviceError where the card is too small, or the options do not run there.
func (n *Neighborhoods) Draw(m *app.MiniBatch, batches []Batch, j *job.Job) (result *Blocks, err error) {
	if err := NeighborhoodsRun(m, n.Graph); err != nil {
		return nil, err
	}
	for _, b := range batches {
		if err := b.Seeds.Fit(m, n.Graph); err != nil {
			return nil, err
		}
		for r, ids := range b.Seeds.Excluded {
			if len(ids) > 0 && m.Weighs(n.Graph.Relations[r].Graph) {
				return nil, refuse.Device("device: weighted choices with excluded edges do not run on a GPU; use device=\"cpu\"")
			}
		}
	}
	if len(batches) > plan.NeighborhoodBatches {
		return nil, refuse.Value("%d batches: expected at most %d at once on a GPU", len(batches), plan.NeighborhoodBatches)
	}
	if err := j.Err(); err != nil {
		return nil, err
	}
	err = n.Engine.Device.Do(func() error {
		d := &draw{from: n, app: m, batches: batches, job: j, device: n.Engine.Device, lists: len(n.Graph.Counts) * len(batches)}
		result, err = d.run()
		return d.end(err)
	})
	return result, err
}

// draw is one call.
type draw struct {
	from     *Neighborhoods
	app      *app.MiniBatch
	batches  []Batch
	job      *job.Job
	device   *cuda.Device
	stream   cuda.Stream
	lists    int // of nodes: one for each type and batch
	releases []func()
	graphs   []kernels.Graph // of the relations

	order   order
	rooms   rooms
	guessed bool        // the rooms are, and may be more than the card has
	given   cuda.Pinned // order, and behind it the report
	report  []uint32    // what went wrong, then:
	known   []uint32    // for each step, and before the first, the nodes of each list
	edgeAt  []uint32    // for each step where each batch's edges begin, and their end
	memory  cuda.Memory // of a try
	arena   cuda.Memory // of the result
	ready   cuda.Event  // behind its laying
	args    kernels.Neighborhood
	result  *Blocks
}

func (d *draw) run() (*Blocks, error) {
	var err error
	if d.stream, err = d.from.Engine.stream(); err != nil {
		return nil, err
	}
	if err := d.hold(); err != nil {
		return nil, err
	}
	if err := d.prepare(); err != nil {
		return nil, err
	}
	for {
		again, err := d.sample()
		if err != nil {
			return nil, err
		}
		if !again {
			if again, err = d.lay(); err != nil || !again {
				return d.result, err
			}
		}
		if err := d.job.Err(); err != nil {
			return nil, err
		}
	}
}

// prepare lays out what the card is told, and where it reports.
func (d *draw) prepare() (err error) {
	if d.order, err = d.newOrder(); err != nil {
		return err
	}
	d.rooms, d.guessed = d.atLeast(d.from.remembered(d)), true
	report := (d.order.bytes + 255) / 256 * 256
	known, edges := (d.order.stepCount+1)*d.lists, d.order.stepCount*(len(d.batches)+1)
	words := reportHead + known + edges
	if d.given, err = d.device.Pin(int64(report + 4*words)); err != nil {
		return err
	}
	d.report = unsafe.Slice((*uint32)(unsafe.Add(d.given.Pointer, report)), words)
	d.known, d.edgeAt = d.report[reportHead:][:known], d.report[reportHead+known:]
	return nil
}

// hold puts the relations' graphs on the card.
func (d *draw) hold() error {
	h := d.from.Graph
	d.graphs = make([]kernels.Graph, len(h.Relations))
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
		d.graphs[r], d.releases = g, append(d.releases, release)
	}
	return nil
}

// end gives back what the call took, and the result where it failed.
func (d *draw) end(err error) error {
	for _, release := range d.releases {
		release()
	}
	if err != nil && d.given.Pointer != nil {
		_ = d.stream.Synchronize() // nothing may read or write there any more
	}
	err = first(err, d.free(), d.device.Unpin(d.given))
	if err != nil && d.result != nil {
		_ = d.result.free()
	}
	return err
}

// free gives back what a try took.
func (d *draw) free() error {
	err := first(d.device.Free(d.memory, d.stream), d.device.Free(d.arena, d.stream))
	if d.ready != (cuda.Event{}) {
		err = first(err, d.ready.Destroy())
	}
	d.memory, d.arena, d.ready = cuda.Memory{}, cuda.Memory{}, cuda.Event{}
	return err
}
