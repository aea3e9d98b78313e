package app

import (
	"encoding/json"
	"errors"
	"strings"

	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/refuse"
)

// specs is the table of apps: a new app is one file and one line here. Costs are those that `gonextdoor bench --costs`
// measured, see Cost.
var specs = []Spec{
	{"DeepWalk", func() App { return new(DeepWalk) }, OneRoot, DriverWalk, Cost{5, 17}, Cost{60, 150}},
	{"PPR", func() App { return new(PPR) }, OneRoot, DriverStoppedWalk, Cost{8, 25}, Cost{60, 200}},
	{"Node2Vec", func() App { return new(Node2Vec) }, OneRoot, DriverSecondOrder, Cost{30, 100}, Cost{60, 200}},
	{"Walk", func() App { return new(Walk) }, OneRoot, DriverWalk, Cost{5, 17}, Cost{60, 150}},
	{"MetropolisHastings", func() App { return new(MetropolisHastings) }, OneRoot, DriverMetropolis, Cost{10, 30}, Cost{}},
	{"Jump", func() App { return new(Jump) }, OneRoot, DriverTeleport, Cost{10, 30}, Cost{}},
	{"Restart", func() App { return new(Restart) }, OneRoot, DriverTeleport, Cost{10, 30}, Cost{}},
	{"MetaPath", func() App { return new(MetaPath) }, OneRoot, DriverLabelled, Cost{10, 30}, Cost{60, 200}},
	{"MultiIndependent", func() App { return new(MultiIndependent) }, AnyRoots, DriverTree, Cost{10, 30}, Cost{}},
	{"MultiDimensionalWalk", func() App { return new(MultiDimensionalWalk) }, AnyRoots, DriverFrontier, Cost{10, 30}, Cost{}},
	{"KHop", func() App { return new(KHop) }, AnyRoots, DriverTree, Cost{10, 20}, Cost{}},
	{"Neighbor", func() App { return new(Neighbor) }, AnyRoots, DriverTree, Cost{10, 20}, Cost{}},
	{"Snowball", func() App { return new(Snowball) }, AnyRoots, DriverPerSample, Cost{10, 20}, Cost{}},
	{"ForestFire", func() App { return new(ForestFire) }, AnyRoots, DriverPerSample, Cost{10, 20}, Cost{}},
	{"Layer", func() App { return new(Layer) }, AnyRoots, DriverPerSample, Cost{10, 20}, Cost{}},
	{"FastGCN", func() App { return new(FastGCN) }, AnyRoots, DriverPerSample, Cost{10, 20}, Cost{}},
	{"LADIES", func() App { return new(LADIES) }, AnyRoots, DriverPerSample, Cost{10, 20}, Cost{}},
	{"MVS", func() App { return new(MVS) }, NoRoots, DriverPerSample, Cost{10, 20}, Cost{}},
	{"RandomNode", func() App { return new(RandomNode) }, NoRoots, DriverPerSample, Cost{10, 20}, Cost{}},
	{"RandomEdge", func() App { return new(RandomEdge) }, NoRoots, DriverPerSample, Cost{10, 20}, Cost{}},
	{"ClusterGCN", func() App { return new(ClusterGCN) }, NoRoots, DriverPerSample, Cost{10, 20}, Cost{}},
	{"GraphSAINT", func() App { return new(GraphSAINT) }, NoRoots, DriverPerSample, Cost{10, 20}, Cost{}},
	{"App", func() App { return &Custom{Reads: hook.Everything} }, AnyRoots, DriverHooked, Cost{10, 20}, Cost{}},
}

// Specs holds the table by the names of the apps. It does not change.
var Specs = byName(specs)

func byName(specs []Spec) map[string]Spec {
	named := make(map[string]Spec, len(specs))
	for _, s := range specs {
		named[s.Name] = s
	}
	return named
}

// Parse returns the app of a name with parameters in JSON, as {"length": 80, "weighted": "auto"}. Parameters that are not
// given keep their defaults. It refuses an unknown name or parameter, and what App.Check refuses.
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
