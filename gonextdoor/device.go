package gonextdoor

import (
	"math/bits"
	"sync/atomic"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
)

// Devices are GPUs, a bit each by their numbers; none is the CPU.
type Devices uint64

// OnCPU is no GPU.
const OnCPU Devices = 0

// PrepareFor is Prepare for the devices that will run the app: GPUs make the tables of weights themselves, on the card.
func PrepareFor(on Devices, g *graph.Graph, a app.App, hands graph.Options) error {
	if on == OnCPU {
		return Prepare(g, a, hands)
	}
	if err := g.ValidateWith(hands); err != nil {
		return err
	}
	view, err := app.View(a, g, hands)
	if err != nil {
		return err
	}
	if w, ok := a.(app.Watched); ok { // what the hooks read
		return w.Prepare(view, hands)
	}
	return nil
}

// NewFor is New for devices.
//
// Errors: DeviceError if a device is not there or does not run the app; it says what to do.
func NewFor(on Devices, g *graph.Graph, a app.App, rootWidth int) (*Sampler, error) {
	if on == OnCPU {
		return New(g, a, rootWidth)
	}
	s, err := elsewhere(g, a, rootWidth)
	if err != nil {
		return nil, err
	}
	if err := gpu.Runs(s.Plan); err != nil {
		return nil, err
	}
	s.Engine, err = on.engine()
	return s, err
}

// elsewhere is New for an engine that builds the tables of weights itself.
func elsewhere(g *graph.Graph, a app.App, rootWidth int) (*Sampler, error) {
	p, err := plan.New(a, g, rootWidth)
	return &Sampler{Graph: p.Graph, Plan: p}, err
}

// Refusal says why no GPU runs an app, or nil. The app's hooks need not be compiled yet.
func Refusal(g *graph.Graph, a app.App, rootWidth int) error {
	s, err := elsewhere(g, a, rootWidth)
	if err != nil {
		return err
	}
	return gpu.Runs(s.Plan)
}

// engine gives what runs plans on the GPUs.
func (on Devices) engine() (engine.Engine, error) {
	var all []engine.Engine
	for rest := on; rest != 0; rest &= rest - 1 {
		d, err := cuda.Open(bits.TrailingZeros64(uint64(rest)))
		if err != nil {
			return nil, err
		}
		opened.Store(true)
		all = append(all, gpu.Engine{Device: d})
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return shared(all), nil
}

// Runs says whether GPUs run an app on a graph; of what is wrong with the app itself New speaks.
func Runs(g *graph.Graph, a app.App, rootWidth int) bool {
	s, err := elsewhere(g, a, rootWidth)
	return err != nil || gpu.Runs(s.Plan) == nil
}

// DeviceFor gives the number of the GPU that samples sooner than the CPU would, which takes so many seconds, or -1. What
// comes first counts, where it has not come yet: the process's way to the card, and the graph's. Nothing is asked of a GPU
// where the work is too small for that, and an error of the GPU's means that it is not taken.
func DeviceFor(g *graph.Graph, a app.App, rootWidth int, seconds float64) int {
	bytes := int64(g.NumEdges()*plan.DeviceEdge + g.NumVertices()*plan.DeviceVertex)
	device := plan.DeviceCall + seconds/plan.DeviceGain
	if !opened.Load() {
		device += plan.DeviceStart
	}
	if device < seconds && resident.Bytes(g)[0] == 0 {
		device += float64(bytes) / plan.UploadRate
	}
	if device >= seconds {
		return -1
	}
	if n, err := cuda.Count(); err != nil || n == 0 || !Runs(g, a, rootWidth) {
		return -1
	}
	if d, err := cuda.Open(0); err != nil || bytes > d.Total {
		return -1
	}
	return 0
}

// opened says that this process has used a GPU.
var opened atomic.Bool
