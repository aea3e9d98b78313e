package gonextdoor

import (
	"sync/atomic"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/pagerank"
	"gonextdoor/gonextdoor/engine/sharded"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// PrepareFor validates the graph and builds the tables in host memory that a plan for the devices needs. Call it before
// NewFor. Devices build alias tables themselves, so that the call is fast for them.
func PrepareFor(on Devices, g *graph.Graph, a app.App, options graph.Options) error {
	if on == OnCPU {
		return Prepare(g, a, options)
	}
	if err := g.ValidateWith(options); err != nil {
		return err
	}
	_, err := app.View(a, g, options)
	return err
}

// NewFor is New for a set of devices.
//
// Errors: DeviceError if a device does not exist or cannot run the app; the text says what to do.
func NewFor(on Devices, g *graph.Graph, a app.App, rootWidth int) (*Sampler, error) {
	if on == OnCPU {
		return New(g, a, rootWidth)
	}
	p, err := plan.New(a, g, rootWidth)
	if err != nil {
		return nil, err
	}
	program, err := devices.Compile(p)
	if err != nil {
		return nil, err
	}
	opened, err := on.open()
	if err != nil {
		return nil, err
	}
	var engines sharded.Engine
	for _, d := range opened {
		engines = append(engines, d.With(program))
	}
	if !on.Several() {
		return &Sampler{p.Graph, p, engines[0]}, nil
	}
	return &Sampler{p.Graph, p, engines}, nil
}

// LazySampler is an app on a graph that is planned by its first call and keeps its Sampler for later ones. It is safe for
// concurrent use; its fields must not change.
type LazySampler struct {
	Graph     *graph.Graph
	App       app.App
	RootWidth int // roots per sample
	Devices   Devices

	planned atomic.Pointer[Sampler]
	bytes   atomic.Int64 // of the graph, that a call reads at least; 0: unknown
}

// Planned returns the sampler. The first call builds the app's tables and plans, see PrepareFor and NewFor. The job of
// options can cancel it, and after an error the next call tries again. Concurrent first calls may both plan. Planned returns
// an error if a file of a mapped graph has changed, or the graph is placed on other devices. If the graph does not fit one of
// several devices, Planned splits it over them.
func (l *LazySampler) Planned(options graph.Options) (*Sampler, error) {
	s, err := l.unplaced(options)
	if err == nil && l.Devices != OnCPU {
		err = l.Devices.settle(l.Graph, l.leastOf(s.Plan), options)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// FromHost reports whether the CPU is expected to make samples of a call on devices, so that its roots need not be copied there.
// It is false before the first call has planned.
func (l *LazySampler) FromHost(b plan.Batch) bool {
	s := l.planned.Load()
	if s == nil {
		return false
	}
	h, ok := s.Engine.(engine.Hosted)
	return ok && h.FromHost(s.Plan, b)
}

// unplaced is Planned for a graph with any placement.
func (l *LazySampler) unplaced(options graph.Options) (*Sampler, error) {
	if s := l.planned.Load(); s != nil {
		return s, l.Graph.Intact()
	}
	var s *Sampler
	err := l.Graph.Blame(parallel.Do(1, func(int) error { // a mapped graph may fault
		err := PrepareFor(l.Devices, l.Graph, l.App, options)
		if err == nil {
			s, err = NewFor(l.Devices, l.Graph, l.App, l.RootWidth)
		}
		return err
	}))
	if err != nil {
		return nil, err
	}
	l.planned.Store(s)
	return s, nil
}

// Refusal returns why no device runs an app, or nil. The app's hooks need not be compiled yet.
func Refusal(g *graph.Graph, a app.App, rootWidth int) error {
	p, err := plan.Draft(a, g, rootWidth)
	if err != nil {
		return err
	}
	_, err = devices.Compile(p)
	return err
}

// Runs reports whether devices run an app on a graph. It is true for apps with invalid parameters, which New refuses.
func Runs(g *graph.Graph, a app.App, rootWidth int) bool {
	p, err := plan.Draft(a, g, rootWidth)
	if err != nil {
		return true
	}
	_, err = devices.Compile(p)
	return err == nil
}

// DeviceFor returns the number of the device that is expected to finish before the CPU, or -1. It is device 0, or the first one
// of the graph's placement. cpu and gpu are the seconds of plan.Estimate for a number of samples. The start of the driver and the
// upload of the graph are added to gpu, unless they have happened. The driver is not loaded for work that is too small for a
// device. A device with an error is not chosen.
func DeviceFor(g *graph.Graph, a app.App, rootWidth, samples int, cpu, gpu float64) int {
	if c := choose(g, a, rootWidth, samples, cpu, gpu); c.GPU && c.refusal == nil {
		return c.id
	}
	return -1
}

// choice is the decision of device="auto" for a call.
type choice struct {
	plan.Choice
	id      int        // the device
	parts   plan.Parts // of a graph that does not fit into the memory of the device
	refusal error      // why the CPU runs a call for which a device would be faster; nil: no such reason
}

// choose compares the CPU and device 0, or the first device of the graph's placement. It asks the driver for a device only if
// that would be faster.
func choose(g *graph.Graph, a app.App, rootWidth, samples int, cpu, gpu float64) (c choice) {
	bytes := plan.GPUBytes(app.SizeOf(g))
	e := plan.Estimate{CPU: cpu, GPU: gpu, GraphUpload: float64(bytes) / plan.UploadRate}
	on := []int{0} // the devices that have the graph
	if p, placed := devices.Placement(g); placed {
		on = p.Devices
		e.GPU += plan.SplitStart
	}
	c.id = on[0]
	c.Choice = e.Choose(devices.Opened(), devices.GraphBytes(g)[c.id] > 0)
	if !c.GPU {
		return c
	}
	if n, err := devices.Count(); err != nil || n == 0 {
		if c.refusal = err; err == nil {
			c.refusal = refuse.Device("device: no GPU was found")
		}
		return c
	}
	if c.refusal = Refusal(g, a, rootWidth); c.refusal != nil {
		return c
	}
	return c.inMemory(g, plan.Call{App: a, On: app.SizeOf(g), Samples: samples, RootWidth: rootWidth}, e, bytes, on)
}

// inMemory returns the choice if a GPU is faster for a graph of that many bytes in the memory of some devices. A graph that
// does not fit is copied part by part, if the app runs so and that is still faster.
func (c choice) inMemory(g *graph.Graph, call plan.Call, e plan.Estimate, bytes int64, on []int) choice {
	p, err := plan.Draft(call.App, g, call.RootWidth)
	if err == nil {
		c.parts, err = devices.InParts(p, c.id, false)
	}
	if c.refusal = err; err != nil {
		return c
	}
	if c.parts.Count > 0 {
		c.Choice = call.InParts(e, c.parts).Choose(devices.Opened(), true)
		return c
	}
	why, err := devices.Exceeds(p, c.id, false)
	if why == nil {
		why = err
	}
	if c.refusal = why; why != nil {
		return c
	}
	total := int64(0)
	for _, id := range on {
		memory, err := devices.Memory(id)
		if c.refusal = err; err != nil {
			return c
		}
		total += memory
	}
	if bytes > total {
		c.refusal = refuse.Device("device: the graph needs %d bytes, but the GPU has %d", bytes, total)
	}
	return c
}

// exceed returns how devices run a plan if the graph exceeds the memory of one of them: part by part, or not at all, so that the
// CPU makes the samples. why is the reason for the latter. Both are empty if the graph fits, or is split over the devices.
func (on Devices) exceed(p plan.Plan, s split, edges bool) (parts plan.Parts, why, err error) {
	if len(s.placement.Devices) > 0 {
		return parts, nil, nil
	}
	for _, id := range on.ids() {
		if why, err = devices.Exceeds(p, id, edges); why != nil || err != nil {
			return parts, why, err
		}
	}
	parts, err = devices.InParts(p, on.First(), edges)
	return parts, nil, err
}

// Excess is how a call on devices runs whose graph may exceed the memory of one of them.
type Excess int

// The values of Excess. The exported functions of the Python extension return these numbers.
const (
	Fits      Excess = iota // the graph fits
	InParts                 // it is copied part by part, or row by row
	MayExceed               // it fits, but perhaps not while its layouts are built, or beside those of other calls
	FromHost                // the CPU makes the samples
)

// ExcessOf returns how calls of an app on devices run, with or without edge ids. The app's hooks need not be compiled yet.
// For MayExceed they should be compiled for the CPU too.
func ExcessOf(on Devices, g *graph.Graph, a app.App, rootWidth int, edges bool) (Excess, error) {
	p, err := plan.Draft(a, g, rootWidth)
	if err != nil {
		return Fits, err
	}
	if _, err := devices.Compile(p); err != nil {
		return Fits, nil // refused
	}
	s, err := on.splitFor(g, leastOf(p))
	if err != nil || len(s.placement.Devices) > 0 {
		return Fits, err
	}
	parts, why, err := on.exceed(p, s, edges)
	switch {
	case err != nil:
		return Fits, err
	case why != nil:
		return FromHost, nil
	case parts.Count > 0:
		return InParts, nil
	}
	m, err := memoryFor(on.ids(), func(id int) (int64, error) {
		bytes, err := devices.LeastBytes(p, id, true)
		return 2 * bytes, err
	})
	if err != nil || m.fits() {
		return Fits, err
	}
	return MayExceed, nil
}

// Scores counts the visits of the walks of personalised PageRank on the CPU or one device. s.App is not bound yet. The
// result is lent from offheap.Results.
func Scores(on Devices, s plan.Scores, j *job.Job) (output.Scores, error) {
	if err := pagerank.Prepare(&s, on != OnCPU, j); err != nil {
		return output.Scores{}, err
	}
	if on == OnCPU {
		return pagerank.Scores(cpu.Engine{}, s, j)
	}
	if on.Several() {
		return output.Scores{}, refuse.Value("device: personalized_pagerank runs on one GPU; pass one, such as \"cuda:0\"")
	}
	if err := on.settle(s.Graph, nil, graph.Options{Job: j}); err != nil { // one device needs no leastBytes
		return output.Scores{}, err
	}
	d, err := devices.Open(on.First())
	if err != nil {
		return output.Scores{}, err
	}
	return pagerank.Scores(d, s, j)
}

// leastOf is leastOf for the plan of the sampler. Later calls return what the first has computed.
func (l *LazySampler) leastOf(p plan.Plan) leastBytes {
	return func(id int) (bytes int64, err error) {
		if bytes = l.bytes.Load(); bytes > 0 {
			return bytes, nil
		}
		if bytes, err = leastOf(p)(id); err == nil {
			l.bytes.Store(bytes)
		}
		return bytes, err
	}
}

// Unsplit returns why the sampler's devices do not share a graph that does not fit one of them, as a clause, or "".
func (l *LazySampler) Unsplit() string {
	p, err := plan.Draft(l.App, l.Graph, l.RootWidth)
	if err != nil {
		return ""
	}
	return l.Devices.unsplit(l.Graph, leastOf(p))
}

// OpenFor opens the devices for mini-batches of h. Several devices share its graphs if they do not fit one. m is bound to h.
func (on Devices) OpenFor(h *graph.Hetero, m *app.NeighborSampling, options graph.Options) ([]engine.Device, error) {
	for _, r := range h.Relations {
		if err := on.settle(r.Graph, leastOfBatches(h, m), options); err != nil {
			return nil, err
		}
	}
	return on.open()
}

// leastOfBatches returns the leastBytes of mini-batches.
func leastOfBatches(h *graph.Hetero, m *app.NeighborSampling) leastBytes {
	return func(id int) (int64, error) { return devices.NeighborBytes(h, m, id) }
}
