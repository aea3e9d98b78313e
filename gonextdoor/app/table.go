package app

import (
	"encoding/json"
	"errors"
	"strings"

	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/refuse"
)

// specs is the table of apps. A new app adds one file to this package and one row here. Costs were measured by `gonextdoor
// bench --costs`; see Cost. They are within a factor of 3 for all apps on an R-MAT graph of 2^18 vertices, and on cnr-2000,
// soc-Slashdot0902 and wiki-Vote.
var specs = []Spec{
	{"DeepWalk", func() App { return new(DeepWalk) }, FamilyWalk, OneRoot, DriverWalk, Cost{10, 17}, Cost{70, 120}},
	{"PPR", func() App { return new(PPR) }, FamilyWalk, OneRoot, DriverStoppedWalk, Cost{10, 27}, Cost{126, 192}},
	{"Node2Vec", func() App { return new(Node2Vec) }, FamilyWalk, OneRoot, DriverSecondOrder, Cost{31, 43}, Cost{127, 156}},
	{"NonBacktracking", func() App { return new(NonBacktracking) }, FamilyWalk, OneRoot, DriverSecondOrder, Cost{16, 29}, Cost{}},
	{"Walk", func() App { return new(Walk) }, FamilyWalk, OneRoot, DriverWalk, Cost{12, 20}, Cost{60, 170}},
	{"MetropolisHastings", func() App { return new(MetropolisHastings) }, FamilyWalk, OneRoot, DriverMetropolis, Cost{21, 22}, Cost{}},
	{"Jump", func() App { return new(Jump) }, FamilyWalk, OneRoot, DriverTeleport, Cost{15, 20}, Cost{}},
	{"Restart", func() App { return new(Restart) }, FamilyWalk, OneRoot, DriverTeleport, Cost{12, 23}, Cost{}},
	{"MetaPath", func() App { return new(MetaPath) }, FamilyWalk, OneRoot, DriverLabelled, Cost{16, 30}, Cost{190, 330}},
	{"TemporalWalk", func() App { return new(TemporalWalk) }, FamilyWalk, OneRoot, DriverTemporal, Cost{16, 30}, Cost{}},
	{"MultiIndependent", func() App { return new(MultiIndependent) }, FamilyWalk, AnyRoots, DriverTree, Cost{24, 39}, Cost{}},
	{"MultiDimensionalWalk", func() App { return new(MultiDimensionalWalk) }, FamilyWalk, AnyRoots, DriverFrontier, Cost{65, 113}, Cost{}},
	{"KHop", func() App { return new(KHop) }, FamilyTree, AnyRoots, DriverTree, Cost{15, 18}, Cost{}},
	{"Neighbor", func() App { return new(Neighbor) }, FamilyTree, AnyRoots, DriverTree, Cost{15, 18}, Cost{}},
	{"Snowball", func() App { return new(Snowball) }, FamilyTree, AnyRoots, DriverPerSample, Cost{11, 22}, Cost{}},
	{"ForestFire", func() App { return new(ForestFire) }, FamilyTree, AnyRoots, DriverPerSample, Cost{17, 37}, Cost{}},
	{"Layer", func() App { return new(Layer) }, FamilyLayer, AnyRoots, DriverPerSample, Cost{72, 116}, Cost{}},
	{"FastGCN", func() App { return new(FastGCN) }, FamilyLayer, AnyRoots, DriverPerSample, Cost{20, 20}, Cost{}},
	{"LADIES", func() App { return new(LADIES) }, FamilyLayer, AnyRoots, DriverPerSample, Cost{52, 84}, Cost{}},
	{"MVS", func() App { return new(MVS) }, FamilyLayer, NoRoots, DriverPerSample, Cost{30, 40}, Cost{}},
	{"RandomNode", func() App { return new(RandomNode) }, FamilySubgraph, NoRoots, DriverPerSample, Cost{9, 11}, Cost{}},
	{"RandomEdge", func() App { return new(RandomEdge) }, FamilySubgraph, NoRoots, DriverPerSample, Cost{106, 331}, Cost{}},
	{"ClusterGCN", func() App { return new(ClusterGCN) }, FamilySubgraph, NoRoots, DriverPerSample, Cost{8, 14}, Cost{}},
	{"GraphSAINT", func() App { return new(GraphSAINT) }, FamilySubgraph, NoRoots, DriverPerSample, Cost{2, 3}, Cost{}},
	{"App", func() App { return &Custom{Reads: hook.Everything} }, FamilyWalk, AnyRoots, DriverHooked, Cost{7, 22}, Cost{7, 19}},
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
