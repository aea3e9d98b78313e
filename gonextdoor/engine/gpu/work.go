package gpu

import (
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// work is how a plan runs on the card. A driver's file makes it.
type work struct {
	// ways are the kernels that can do it, the best one first. The last one is for any graph.
	ways []way
	// calls returns what the driver does itself in a run; nil: nothing. The functions may share state of the run.
	calls func() callbacks
	// threads is how many threads a row has, where there is no launch; 0: one.
	threads int
	// slow is how many plain steps a step takes, about, so that launches last no longer; 0: it is one.
	slow int64
	// side says that a sample's roots walk side by side, a row's threads each.
	side bool

	// Of samples that differ in length:
	woven bool    // the kernel's legs are woven, see kernels/driver/stopped.cuh
	mean  float64 // steps, about; 0: unknown
	most  int     // steps at most; 0: no end
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

// way is a kernel with what it reads of the graph.
type way struct {
	layout resident.Layout
	kernel kernel
}

// kernel is a kernel's name and where it is.
type kernel struct {
	image string // of kernels.Image
	name  string
	text  []byte // of an image that is not in the package: compiled at run time, known by the name image
	block int    // threads of a block; 0: plan.GPUBlock
	lanes int    // threads of a row; 0: as the work says
}

// workers says how to make the work of each driver, or why it does not run on a GPU.
var workers = map[plan.Driver]func(p plan.Plan) (work, error){
	plan.Walk:        walkWork,
	plan.SecondOrder: secondOrderWork,
	plan.Labelled:    labelledWork,
	plan.StoppedWalk: stoppedWork,
	plan.Metropolis:  metropolisWork,
	plan.Leaping:     leapingWork,
	plan.Tree:        treeWork,
	plan.Hooked:      hookedWork,
	plan.Computed:    computedWork,
	plan.Frontier:    frontierWork,
}

func workOf(p plan.Plan) (work, error) {
	if p.Layered {
		return work{}, refusal(p, "its samples are layered")
	}
	f := workers[p.Driver]
	if f == nil {
		return work{}, refusal(p, "no kernel of it is there")
	}
	return f(p)
}

// Program is how the GPU runs one plan. It never changes, and any number of calls share it.
type Program struct {
	plan plan.Plan
	work work
}

// Compile returns the program of a plan, or a DeviceError that says why the CPU must run the plan.
func Compile(p plan.Plan) (*Program, error) {
	w, err := workOf(p)
	if err != nil {
		return nil, err
	}
	return &Program{p, w}, nil
}

// compiled returns how a plan runs: from the engine's program if that is the plan's.
func (e Engine) compiled(p plan.Plan) (work, error) {
	if e.Program != nil && e.Program.plan.App == p.App && e.Program.plan.Graph == p.Graph {
		return e.Program.work, nil
	}
	return workOf(p)
}

// way gives the first way that the graph, and the card's memory, have room for.
func (r *run) way() (err error) {
	ways := r.work.ways
	for i := min(r.engine.Tuning.Way, len(ways)-1); i < len(ways); i++ {
		if err = r.hold(ways[i]); err == nil || refuse.KindOf(err) != refuse.KindDevice {
			return err
		}
	}
	return err
}

func (r *run) hold(w way) error {
	want := w.layout
	if r.batch.Edges {
		want |= resident.IDs
	}
	if err := resident.Fits(r.graph, want); err != nil {
		return err
	}
	g, release, err := r.resident.Hold(want, r.stream, r.hands())
	if err == nil {
		r.args.G, r.release, r.kernel = g, release, w.kernel
	}
	return err
}
