// Package apps has the sampling algorithms. An app is one file with its serial definition and its capabilities, and one row of
// the table in table.go.
//
// The parameters of an app are the fields of its struct. Their default is the zero value; Check returns an error if that is
// out of range. The Python package sets other defaults.
package apps

import (
	"encoding/json"
	"errors"
	"strings"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/refuse"
)

// Spec describes an app for the planner and the public API. Properties that depend on parameters are methods of the app:
// Width, Layered, Records, Weighs, Tables, Pool and Expect.
type Spec struct {
	Name   string         // in the public API
	New    func() app.App // returns the app with zero parameters
	Family app.Family     // the kind of its samples
	Roots  app.RootCount  // the number of vertices from which a sample grows
	Driver app.Driver     // of the bound app, unless its biases are computed
	Cost   app.Cost       // of one operation on one CPU thread

	// Computed is the cost if choices compute biases or search in sums of them, without alias tables; zero if the app's never do.
	Computed app.Cost
}

// specs is the table of apps. A new app adds one file to this package and one row here. Costs were measured by `gonextdoor
// bench --costs`; see Cost. They are within a factor of 3 for all apps on an R-MAT graph of 2^18 vertices, and on cnr-2000,
// soc-Slashdot0902 and wiki-Vote.
var specs = []Spec{
	{"DeepWalk", func() app.App { return new(DeepWalk) }, app.FamilyWalk, app.OneRoot, app.DriverWalk, cost(10, 17), cost(70, 120)},
	{"PPR", func() app.App { return new(PPR) }, app.FamilyWalk, app.OneRoot, app.DriverStoppedWalk, cost(10, 27), cost(90, 150)},
	{"Node2Vec", func() app.App { return new(Node2Vec) }, app.FamilyWalk, app.OneRoot, app.DriverSecondOrder, cost(31, 43), cost(127, 156)},
	{"NonBacktracking", func() app.App { return new(NonBacktracking) }, app.FamilyWalk, app.OneRoot, app.DriverSecondOrder, cost(16, 29), noCost},
	{"Walk", func() app.App { return new(Walk) }, app.FamilyWalk, app.OneRoot, app.DriverWalk, cost(12, 20), cost(60, 170)},
	{"MetropolisHastings", func() app.App { return new(MetropolisHastings) }, app.FamilyWalk, app.OneRoot, app.DriverMetropolis, cost(21, 22), noCost},
	{"Jump", func() app.App { return new(Jump) }, app.FamilyWalk, app.OneRoot, app.DriverTeleport, cost(15, 20), noCost},
	{"Restart", func() app.App { return new(Restart) }, app.FamilyWalk, app.OneRoot, app.DriverTeleport, cost(12, 23), noCost},
	{"MetaPath", func() app.App { return new(MetaPath) }, app.FamilyWalk, app.OneRoot, app.DriverLabelled, cost(16, 30), cost(37, 70)},
	{"TemporalWalk", func() app.App { return new(TemporalWalk) }, app.FamilyWalk, app.OneRoot, app.DriverTemporal, cost(16, 30), noCost},
	{"Negatives", func() app.App { return new(Negatives) }, app.FamilyWalk, app.OneRoot, app.DriverNegatives, cost(22, 67), noCost},
	{"NegativePairs", func() app.App { return new(NegativePairs) }, app.FamilyWalk, app.NoRoots, app.DriverNegatives, cost(17, 33), noCost},
	{"MultiIndependent", func() app.App { return new(MultiIndependent) }, app.FamilyWalk, app.AnyRoots, app.DriverTree, cost(24, 39), noCost},
	{"MultiDimensionalWalk", func() app.App { return new(MultiDimensionalWalk) }, app.FamilyWalk, app.AnyRoots, app.DriverFrontier, cost(65, 113), noCost},
	{"KHop", func() app.App { return new(KHop) }, app.FamilyTree, app.AnyRoots, app.DriverTree, cost(7, 15), noCost},
	{"Neighbor", func() app.App { return new(Neighbor) }, app.FamilyTree, app.AnyRoots, app.DriverTree, cost(15, 18), noCost},
	{"Snowball", func() app.App { return new(Snowball) }, app.FamilyTree, app.AnyRoots, app.DriverPerSample, cost(11, 22), noCost},
	{"ForestFire", func() app.App { return new(ForestFire) }, app.FamilyTree, app.AnyRoots, app.DriverPerSample, cost(17, 37), noCost},
	{"Layer", func() app.App { return new(Layer) }, app.FamilyLayer, app.AnyRoots, app.DriverPerSample, cost(72, 116), noCost},
	{"FastGCN", func() app.App { return new(FastGCN) }, app.FamilyLayer, app.AnyRoots, app.DriverPerSample, cost(20, 20), noCost},
	{"LADIES", func() app.App { return new(LADIES) }, app.FamilyLayer, app.AnyRoots, app.DriverPerSample, cost(52, 84), noCost},
	{"MVS", func() app.App { return new(MVS) }, app.FamilyLayer, app.NoRoots, app.DriverPerSample, cost(30, 40), noCost},
	{"RandomNode", func() app.App { return new(RandomNode) }, app.FamilySubgraph, app.NoRoots, app.DriverPerSample, cost(9, 11), noCost},
	{"RandomEdge", func() app.App { return new(RandomEdge) }, app.FamilySubgraph, app.NoRoots, app.DriverPerSample, cost(106, 331), noCost},
	{"ClusterGCN", func() app.App { return new(ClusterGCN) }, app.FamilySubgraph, app.NoRoots, app.DriverPerSample, cost(8, 14), noCost},
	{"GraphSAINT", func() app.App { return new(GraphSAINT) }, app.FamilySubgraph, app.NoRoots, app.DriverPerSample, cost(2, 3), noCost},
	{"App", func() app.App { return &program.Custom{Reads: hook.Everything} }, app.FamilyWalk, app.AnyRoots, app.DriverHooked, program.WalkCost, program.ComputedCost},
}

// noCost is the cost of computed biases for apps that never compute them.
var noCost app.Cost

func cost(cached, memory float64) app.Cost { return app.Cost{Cached: cached, Memory: memory} }

// Specs has the specs of all apps by name. It does not change.
var Specs = byName(specs)

func byName(specs []Spec) map[string]Spec {
	named := make(map[string]Spec, len(specs))
	for _, s := range specs {
		named[s.Name] = s
	}
	return named
}

// Parse returns the app with a name and parameters in JSON, such as {"length": 80, "weighted": "auto"}. Missing parameters
// have their zero values. It returns an error for an unknown name or parameter, and the error of App.Check.
func Parse(name, params string) (app.App, error) {
	spec, ok := Specs[name]
	if !ok {
		return nil, refuse.Value("app = %q: there is no app of that name", name)
	}
	a := spec.New()
	d := json.NewDecoder(strings.NewReader(params))
	d.DisallowUnknownFields()
	if err := d.Decode(a); err != nil {
		var r *refuse.Refusal
		if errors.As(err, &r) {
			return nil, err
		}
		return nil, refuse.Type("%s: parameters %s: %v", name, params, err)
	}
	return a, a.Check()
}

// Seconds returns the expected time of one sample on one CPU thread, in seconds.
func Seconds(a app.App, roots int, on app.Size) float64 {
	spec := Specs[a.Name()]
	cost := spec.Cost
	if c, ok := a.(app.Costed); ok {
		cost = c.CPUCost(roots, on)
	} else if app.ComputesOn(a, on) {
		cost = spec.Computed
	}
	return app.Expect(a, roots, on).Operations * cost.On(on)
}

// FamilyOf returns the family of an app: that of its Spec, unless the app's parameters decide it.
func FamilyOf(a app.App) app.Family {
	if f, ok := a.(interface{ Family() app.Family }); ok {
		return f.Family()
	}
	return Specs[a.Name()].Family
}

// PoolOf returns the number of vertices that are drawn for each sample if no roots are given: 0 for an app that chooses
// its own vertices, -1 for an app that grows a sample from each vertex of the graph.
func PoolOf(a app.App) int {
	if p, ok := a.(app.Pooled); ok {
		return p.Pool()
	}
	if Specs[a.Name()].Roots == app.NoRoots {
		return 0
	}
	return -1
}
