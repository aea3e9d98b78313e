package gpu

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/internal/layered"
	"gonextdoor/gonextdoor/engine/gpu/internal/tree"
	"gonextdoor/gonextdoor/engine/gpu/internal/walk"
	"gonextdoor/gonextdoor/plan"
)

// specs are the functions that return the Spec of a plan, by driver. Their error says why the CPU must run the plan.
var specs = map[app.Driver]func(p plan.Plan) (launch.Spec, error){
	app.DriverWalk:        walk.FirstOrder,
	app.DriverSecondOrder: walk.SecondOrder,
	app.DriverLabelled:    walk.Labelled,
	app.DriverStoppedWalk: walk.Stopped,
	app.DriverMetropolis:  walk.Metropolis,
	app.DriverTeleport:    walk.Teleport,
	app.DriverTree:        treeOrLayers,
	app.DriverHooked:      hooked,
	app.DriverComputed:    walk.Computed,
	app.DriverFrontier:    walk.Frontier,
	app.DriverTemporal:    walk.Temporal,
	app.DriverNegatives:   walk.Negatives,
	app.DriverPerSample:   layered.PerSample,
}

// treeOrLayers returns the Spec of a tree, whose samples may be layered.
func treeOrLayers(p plan.Plan) (launch.Spec, error) {
	if p.Layered {
		return layered.PerSample(p)
	}
	return tree.Spec(p)
}

// hooked returns the Spec of a user's app: of a walk, or of samples of any kind.
func hooked(p plan.Plan) (launch.Spec, error) {
	if walk.WalksByHooks(p) {
		return walk.Hooked(p)
	}
	return layered.Hooked(p)
}

// specOf returns the Spec of a plan, or a DeviceError.
func specOf(p plan.Plan) (launch.Spec, error) {
	if p.Layered && p.Driver != app.DriverPerSample && p.Driver != app.DriverTree && p.Driver != app.DriverHooked {
		return launch.Spec{}, launch.Refusal(p, "its samples are layered")
	}
	f := specs[p.Driver]
	if f == nil {
		return launch.Spec{}, launch.NoKernel(p)
	}
	return f(p)
}

// Compile returns the program of a plan, or a DeviceError that says why the CPU must run the plan.
func Compile(p plan.Plan) (*launch.Program, error) {
	spec, err := specOf(p)
	if err != nil {
		return nil, err
	}
	return &launch.Program{Plan: p, Spec: spec}, nil
}

// compiled returns how an engine runs a plan: the engine's program if it is the plan's. The plan of an app with hooks differs from
// call to call.
func compiled(e launch.Engine, p plan.Plan) (launch.Spec, error) {
	if e.Program != nil && e.Program.Plan.App == p.App && e.Program.Plan.Graph == p.Graph {
		return e.Program.Spec, nil
	}
	return specOf(p)
}
