package gpu

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// launchSpec describes how a plan runs on the GPU. A driver's file makes it. It is never changed afterwards: what changes
// in a run belongs to the run or to callbacks.
type launchSpec struct {
	// variants are the kernels that can run the plan, the fastest first. The last one is for any graph.
	variants []variant
	// calls returns what the driver does itself in one run; nil: nothing. The functions may share state of the run.
	calls func() callbacks
	// slowdown is roughly how many plain steps a step costs, so that launches stay short; 0: one.
	slowdown int64
	// sideBySide is whether every root of a sample is a walker, with threads for each.
	sideBySide bool

	// Of samples that differ in length:

	interleaved bool    // the kernel writes interleaved chunks, see kernels/driver/interleaved.cuh
	meanSteps   float64 // expected steps; 0: unknown
	maxSteps    int     // 0: unbounded
}

// callbacks are what a driver does itself in one run. Each of them may be nil.
type callbacks struct {
	// fill sets the app's parameters; nil: there are none. It may take memory of the run.
	fill func(r *run, a *kernels.Walk) error
	// launch starts the kernel for the steps [T.Begin, T.End) of the rows [B.From, B.Rows); nil: one thread per row.
	launch func(r *run, a *kernels.Walk) error
	// check waits for the work and returns what went wrong with it; nil: nothing can.
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

// kernel is a kernel's name and where it is found.
type kernel struct {
	image string // of kernels.Image
	name  string
	text  []byte // of an image that was compiled at run time, whose name is image; nil: one of the package's
	block int    // threads per block; 0: plan.GPUBlock
	lanes int    // threads per row; 0: one
}

// specs returns the launchSpec of a plan, or why it does not run on a GPU, by driver.
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
}

func specOf(p plan.Plan) (launchSpec, error) {
	if p.Layered {
		return launchSpec{}, refusal(p, "its samples are layered")
	}
	f := specs[p.Driver]
	if f == nil {
		return launchSpec{}, noKernel(p)
	}
	return f(p)
}

// Program is how the GPU runs one plan. It never changes, and any number of calls share it.
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

// Layouts returns the arrays of the plan's graph that GPU id reads, those of the fastest kernel that suits the graph. It
// builds nothing. edges is whether the ids of edges are recorded.
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

// compiled returns how a plan runs: the engine's program if it is the plan's. The plan of an app with hooks differs from
// call to call.
func (e Engine) compiled(p plan.Plan) (launchSpec, error) {
	if e.Program != nil && e.Program.plan.App == p.App && e.Program.plan.Graph == p.Graph {
		return e.Program.spec, nil
	}
	return specOf(p)
}
