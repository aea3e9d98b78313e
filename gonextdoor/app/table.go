package app

import (
	"encoding/json"
	"errors"
	"strings"

	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/refuse"
)

// specs is the table of apps. A new app adds one file to this package and one row here. Costs were measured by `gonextdoor
// bench --costs`; see Cost.
var specs = []Spec{
	{"DeepWalk", func() App { return new(DeepWalk) }, OneRoot, DriverWalk, Cost{10, 17}, Cost{70, 120}},
	{"PPR", func() App { return new(PPR) }, OneRoot, DriverStoppedWalk, Cost{10, 27}, Cost{126, 192}},
	{"Node2Vec", func() App { return new(Node2Vec) }, OneRoot, DriverSecondOrder, Cost{31, 43}, Cost{127, 156}},
	{"NonBacktracking", func() App { return new(NonBacktracking) }, OneRoot, DriverSecondOrder, Cost{16, 29}, Cost{}},
	{"Walk", func() App { return new(Walk) }, OneRoot, DriverWalk, Cost{12, 20}, Cost{60, 170}},
	{"MetropolisHastings", func() App { return new(MetropolisHastings) }, OneRoot, DriverMetropolis, Cost{21, 22}, Cost{}},
	{"Jump", func() App { return new(Jump) }, OneRoot, DriverTeleport, Cost{15, 20}, Cost{}},
	{"Restart", func() App { return new(Restart) }, OneRoot, DriverTeleport, Cost{12, 23}, Cost{}},
	{"MetaPath", func() App { return new(MetaPath) }, OneRoot, DriverLabelled, Cost{8, 15}, Cost{103, 188}},
	{"MultiIndependent", func() App { return new(MultiIndependent) }, AnyRoots, DriverTree, Cost{24, 39}, Cost{}},
	{"MultiDimensionalWalk", func() App { return new(MultiDimensionalWalk) }, AnyRoots, DriverFrontier, Cost{65, 113}, Cost{}},
	{"KHop", func() App { return new(KHop) }, AnyRoots, DriverTree, Cost{15, 18}, Cost{}},
	{"Neighbor", func() App { return new(Neighbor) }, AnyRoots, DriverTree, Cost{15, 18}, Cost{}},
	{"Snowball", func() App { return new(Snowball) }, AnyRoots, DriverPerSample, Cost{11, 22}, Cost{}},
	{"ForestFire", func() App { return new(ForestFire) }, AnyRoots, DriverPerSample, Cost{17, 37}, Cost{}},
	{"Layer", func() App { return new(Layer) }, AnyRoots, DriverPerSample, Cost{60, 150}, Cost{}},
	{"FastGCN", func() App { return new(FastGCN) }, AnyRoots, DriverPerSample, Cost{12, 18}, Cost{}},
	{"LADIES", func() App { return new(LADIES) }, AnyRoots, DriverPerSample, Cost{31, 83}, Cost{}},
	{"MVS", func() App { return new(MVS) }, NoRoots, DriverPerSample, Cost{27, 55}, Cost{}},
	{"RandomNode", func() App { return new(RandomNode) }, NoRoots, DriverPerSample, Cost{9, 11}, Cost{}},
	{"RandomEdge", func() App { return new(RandomEdge) }, NoRoots, DriverPerSample, Cost{106, 331}, Cost{}},
	{"ClusterGCN", func() App { return new(ClusterGCN) }, NoRoots, DriverPerSample, Cost{8, 14}, Cost{}},
	{"GraphSAINT", func() App { return new(GraphSAINT) }, NoRoots, DriverPerSample, Cost{45, 100}, Cost{}},
	{"App", func() App { return &Custom{Reads: hook.Everything} }, AnyRoots, DriverHooked, Cost{7, 22}, Cost{7, 19}},
}

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
func Parse(name, params string) (App, error) {
	spec, ok := Specs[name]
	if !ok {
		return nil, refuse.Value("app = %q: no such app", name)
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
