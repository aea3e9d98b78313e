package gpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// launchSpec describes how a plan runs on the GPU. A driver's file makes it. It is never modified afterwards and may be
// shared by concurrent runs; the state of a run is in run and callbacks.
type launchSpec struct {
	// variants are the kernels that can run the plan, the fastest first. The last one is for any graph.
	variants []variant
	// calls returns the driver's functions for one run, which may share state; nil: there are none.
	calls func() callbacks
	// slowdown is the approximate cost of a step in plain steps. It keeps launches short. 0 means 1.
	slowdown int64
	// sideBySide is set if every root of a sample is a separate walker with separate threads.
	sideBySide bool
	// exchange is set if several GPUs can make the samples together, see Exchange.
	exchange *exchangeSpec

	// Of samples that differ in length:

	interleaved bool    // the kernel writes interleaved chunks, see kernels/driver/interleaved.cuh
	meanSteps   float64 // expected steps; 0: unknown
	maxSteps    int     // 0: unbounded

	// parts says how the plan runs on a graph that does not fit into GPU memory; nil: it does not.
	parts *partSpec

	// gathered says how the plan runs on such a graph by rows that are copied when samples need them; nil: it does not.
	gathered *gatherSpec
	// complete is why it runs in neither way; "": no kernels do.
	complete string

	// layered describes samples that are made one at a time; nil: all others. They may have one width, too.
	layered *layeredSpec
}

// callbacks are a driver's functions for one run. Each of them may be nil. They are called within Device.Do.
type callbacks struct {
	// fill sets the app's parameters; nil: there are none. It may allocate scratch memory of the run.
	fill func(r *run, a *kernels.Walk) error
	// reserve allocates the scratch memory of launch.
	reserve func(r *run, a *kernels.Walk) error
	// samples starts all kernels of samples of one width; nil: those of the launches below.
	samples func(r *run) error
	// workspaces returns further arrays of the groups that make samples one at a time, each with a capacity; nil: none.
	workspaces func(capacity, groups int64) []buffer
	// argument returns the parameter of the kernel that makes samples one at a time; nil: a.
	argument func(a *kernels.Layered) (unsafe.Pointer, uintptr)
	// launch starts the kernel for the steps [T.Begin, T.End) of the rows [B.From, B.Rows); nil: one thread per row.
	launch func(r *run, a *kernels.Walk) error
	// check waits for the work and returns its error, such as a fault of a hook; nil: no such error is possible.
	check func(r *run) error
}

// filled returns the calls of a driver that only sets parameters.
func filled(fill func(r *run, a *kernels.Walk) error) func() callbacks {
	return func() callbacks { return callbacks{fill: fill} }
}

// variant is a kernel with the layouts of the graph that it reads.
type variant struct {
	layout resident.Layout
	kernel kernel
}

// kernel names a kernel and its image.
type kernel struct {
	image string // name of the image, of package kernels if text is nil
	name  string
	text  []byte // an image that was compiled at run time
	block int    // threads per block; 0: plan.GPUBlock
	lanes int    // threads per row; 0: one
	grid  string // the kernel of the image that makes each row by the whole grid; "": there is none
}

// specs are the functions that return the launchSpec of a plan, by driver. Their error says why the CPU must run the plan.
var specs = map[app.Driver]func(p plan.Plan) (launchSpec, error){
	app.DriverWalk:        walkSpec,
	app.DriverSecondOrder: secondOrderSpec,
	app.DriverLabelled:    labelledSpec,
	app.DriverStoppedWalk: stoppedSpec,
	app.DriverMetropolis:  metropolisSpec,
	app.DriverTeleport:    teleportSpec,
	app.DriverTree:        treeSpec,
	app.DriverHooked:      hookedSpec,
	app.DriverComputed:    computedSpec,
	app.DriverFrontier:    frontierSpec,
	app.DriverTemporal:    temporalWalkSpec,
	app.DriverPerSample:   perSampleSpec,
}

// specOf returns the launchSpec of a plan, or a DeviceError.
func specOf(p plan.Plan) (launchSpec, error) {
	if p.Layered && p.Driver != app.DriverPerSample && p.Driver != app.DriverTree && p.Driver != app.DriverHooked {
		return launchSpec{}, refusal(p, "its samples are layered")
	}
	f := specs[p.Driver]
	if f == nil {
		return launchSpec{}, noKernel(p)
	}
	return f(p)
}

// Program is a plan compiled for GPUs. It is immutable and may be shared by concurrent calls.
type Program struct {
	plan plan.Plan
	spec launchSpec
}

// Compile returns the program of a plan, or a DeviceError that says why the CPU must run the plan.
func Compile(p plan.Plan) (*Program, error) {
	spec, err := specOf(p)
	if err != nil {
		return nil, err
	}
	return &Program{p, spec}, nil
}

// Layouts returns the layouts that GPU id reads for the plan: those of the fastest variant that suits the graph. It builds
// nothing. edges is set if the ids of edges are recorded.
func (p *Program) Layouts(id int, edges bool) (parts []resident.Part, err error) {
	missing := p.plan.LacksView()
	for _, v := range p.spec.variants {
		want := v.layout
		if edges {
			want |= resident.IDs
		}
		if parts, err = resident.Parts(p.plan.Graph, want, id, missing); err == nil {
			return parts, nil
		}
	}
	return nil, err
}

// LeastBytes returns the bytes of the layouts of the variant that takes the least memory. See Layouts.
func (p *Program) LeastBytes(id int, edges bool) (least int64, err error) {
	missing, found := p.plan.LacksView(), false
	for _, v := range p.spec.variants {
		want := v.layout
		if edges {
			want |= resident.IDs
		}
		parts, failed := resident.Parts(p.plan.Graph, want, id, missing)
		if failed != nil {
			err = failed
			continue
		}
		if bytes := bytesOf(parts); !found || bytes < least {
			least, found = bytes, true
		}
	}
	if found {
		return least, nil
	}
	return 0, err
}

// bytesOf returns the bytes of layouts.
func bytesOf(parts []resident.Part) (bytes int64) {
	for _, part := range parts {
		bytes += part.Bytes
	}
	return bytes
}

// compiled returns how a plan runs: the engine's program if it is the plan's. The plan of an app with hooks differs from
// call to call.
func (e Engine) compiled(p plan.Plan) (launchSpec, error) {
	if e.Program != nil && e.Program.plan.App == p.App && e.Program.plan.Graph == p.Graph {
		return e.Program.spec, nil
	}
	return specOf(p)
}
