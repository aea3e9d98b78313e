package pybind

import (
	"encoding/json"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/pybind/record"
)

// NewApp returns a handle of an app, from its name and its parameters in JSON.
func NewApp(name string, params string) (handle int64, err error) {
	defer guard(&err)
	a, err := apps.Parse(name, params)
	if err != nil {
		return 0, err
	}
	return parsedApps.add(a), nil
}

// DropApp removes an app. Samplers that use it keep it.
func DropApp(handle int64) (known bool, err error) {
	defer guard(&err)
	_, known = parsedApps.drop(handle)
	return known, nil
}

// AppSelector returns the name of the selector by which an app chooses on a graph.
func AppSelector(handle int64, on int64) (name string, err error) {
	defer guard(&err)
	a, err := parsedApps.get(handle)
	if err != nil {
		return "", err
	}
	g, err := graphs.get(on)
	if err != nil {
		return "", err
	}
	view, err := app.View(a, g, graph.Options{})
	if err != nil {
		return "", err
	}
	bound, err := a.Bind(view)
	if err != nil {
		return "", err
	}
	return bound.Selector(), nil
}

// AppRowLocal reports whether the samples of an app depend only on the rows of their vertices, see app.RowLocal.
func AppRowLocal(handle int64, grown bool) (local bool, err error) {
	defer guard(&err)
	a, err := parsedApps.get(handle)
	if err != nil {
		return false, err
	}
	return app.IsRowLocal(a, grown), nil
}

// AppFacts writes a record.AppFacts of samples with a number of roots to out.
func AppFacts(handle int64, roots int64, out uintptr) (pool int64, err error) {
	defer guard(&err)
	a, err := parsedApps.get(handle)
	if err != nil {
		return 0, err
	}
	shape := app.ShapeOf(a, int(roots))
	facts := record.AppFacts{
		Width: int64(shape.Width), Pool: int64(apps.PoolOf(a)), Vertices: app.Expect(a, int(roots), app.Size{}).Vertices,
	}
	if shape.Layered {
		facts.Layered = 1
	}
	if shape.Records {
		facts.Records = 1
	}
	if apps.FamilyOf(a).PerStep() {
		facts.PerStep = 1
	}
	*at[record.AppFacts](out) = facts
	return facts.Pool, nil
}

// AppSteps returns the shapes of the steps in a sample of a number of roots, app.Steps in JSON; empty text if samples differ
// in length.
func AppSteps(handle int64, roots int64) (text string, err error) {
	defer guard(&err)
	a, err := parsedApps.get(handle)
	if err != nil {
		return "", err
	}
	steps, ok := app.StepsOf(a, int(roots))
	if !ok {
		return "", nil
	}
	b, err := json.Marshal(steps)
	return string(b), err
}

// Estimate writes to out how many seconds a call is expected to take, a float64 for each field of plan.Estimate except
// GPUTransfer. width is the roots of a sample.
func Estimate(graph int64, handle int64, samples int64, width int64, threads int64, out uintptr) (fields int64, err error) {
	defer guard(&err)
	g, a, err := graphAndApp(graph, handle)
	if err != nil {
		return 0, err
	}
	call := plan.Call{App: a, On: app.SizeOf(g), Samples: int(samples), RootWidth: int(width), Threads: int(threads)}
	var e plan.Estimate
	if err = readMapped(g, func() error { e = call.Estimate(); return nil }); err != nil {
		return 0, err
	}
	return int64(copy(view[float64](out, 8), []float64{
		e.CPU, e.CPUTables, e.GPU, e.GPULatency, e.GPUWork, e.GPUAhead, e.GPUTables, e.GraphUpload,
	})), nil
}

// Costs writes a record.Costs to out.
func Costs(out uintptr) (known bool, err error) {
	defer guard(&err)
	*at[record.Costs](out) = record.Costs{
		FirstCallEdge: plan.FirstCallEdge, ReadByte: plan.ReadByte, SaveStart: plan.SaveStart, SaveByte: plan.SaveByte,
		BuildEdge: plan.BuildEdge, ReverseEdge: plan.ReverseEdge, RmatEdge: plan.RmatEdge, RelationEdge: plan.RelationEdge,
		DrawRoot: plan.DrawRoot, NeighborEdge: plan.NeighborEdge, NeighborGPU: plan.NeighborGPU,
		NeighborUpload: plan.NeighborUpload, CopyByte: plan.CopyByte, LineVertex: plan.LineVertex,
		GzipVertex: plan.GzipVertex, ZstdVertex: plan.ZstdVertex,
	}
	return true, nil
}

// readMapped calls f, which reads arrays of g. If g is mapped from a file that was truncated, the memory fault is returned
// as an error that names the file.
func readMapped(g *graph.Graph, f func() error) error {
	return g.Blame(parallel.Do(1, func(int) error { return f() }))
}
