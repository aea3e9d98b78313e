package apps

import (
	"reflect"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph/graphtest"
)

// capabilities has the capability that each driver asks of a bound app.
var capabilities = map[app.Driver]reflect.Type{
	app.DriverWalk:        reflect.TypeFor[app.StaticWeights](),
	app.DriverStoppedWalk: reflect.TypeFor[app.Stopper](),
	app.DriverSecondOrder: reflect.TypeFor[app.SecondOrderer](),
	app.DriverTree:        reflect.TypeFor[app.FanoutTree](),
	app.DriverTeleport:    reflect.TypeFor[app.Teleporter](),
	app.DriverLabelled:    reflect.TypeFor[app.LabelPath](),
	app.DriverTemporal:    reflect.TypeFor[app.TemporalWalker](),
	app.DriverHooked:      reflect.TypeFor[program.Stepped](),
	app.DriverFrontier:    reflect.TypeFor[program.Stepped](),
	app.DriverNegatives:   reflect.TypeFor[app.NegativeDrawer](),
}

// Every bound app has the capability that its driver asks for, with weights and without.
func TestBoundAppsHaveTheCapabilitiesOfTheirDrivers(t *testing.T) {
	tested := map[app.Driver]bool{}
	for _, weighted := range []bool{false, true} {
		g := graphtest.Timed(graphtest.Labelled(graphtest.Thicket(weighted)))
		for name, s := range Specs {
			want, ok := capabilities[s.Driver]
			if !ok {
				continue
			}
			bound, err := s.New().Bind(g)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !reflect.TypeOf(bound).Implements(want) {
				t.Errorf("%s: %T is no %v, which the driver %q needs", name, bound, want, s.Driver)
			}
			tested[s.Driver] = true
		}
	}
	if len(tested) != len(capabilities) {
		t.Errorf("only the drivers %v run an app", tested)
	}
}

// Every bound app whose samples are made one at a time has the capability that its grower asks for.
func TestBoundAppsHaveTheCapabilitiesOfTheirGrowers(t *testing.T) {
	g := graphtest.Thicket(true)
	for name, want := range map[string]reflect.Type{
		"Snowball": reflect.TypeFor[app.BreadthFirst](), "ForestFire": reflect.TypeFor[app.BreadthFirst](),
		"RandomNode": reflect.TypeFor[app.UniformDraws](), "RandomEdge": reflect.TypeFor[app.UniformDraws](),
		"ClusterGCN": reflect.TypeFor[app.ClusterDraws](), "GraphSAINT": reflect.TypeFor[app.InducedDrawer](),
		"LADIES": reflect.TypeFor[app.ImportanceLayered](), "FastGCN": reflect.TypeFor[app.FixedImportance](),
		"Layer": reflect.TypeFor[app.CollectiveStepper](), "MVS": reflect.TypeFor[app.BatchExpander](),
	} {
		a := Specs[name].New()
		if c, ok := a.(*ClusterGCN); ok {
			c.Clusters = &app.Clusters{Count: 2}
		}
		bound, err := a.Bind(g)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !reflect.TypeOf(bound).Implements(want) {
			t.Errorf("%s: %T is no %v, which its grower needs", name, bound, want)
		}
	}
}

func TestDescriptionsOfGrowersAreThoseOfTheParameters(t *testing.T) {
	all, some := &Snowball{Depth: 3, Fanout: app.All}, &Snowball{Depth: 2, Fanout: 5}
	if all.MaxDepth() != 3 || !all.VisitsAll() || all.NewNeighbors(0, 7) != 7 {
		t.Error("a snowball without a fan-out visits all neighbours")
	}
	if some.VisitsAll() || some.NewNeighbors(0, 7) != 5 {
		t.Error("a snowball with a fan-out visits that many neighbours")
	}
	if n, replace := (&RandomEdge{N: 4, Replace: true}).Draws(); n != 4 || !replace {
		t.Error("draws are those of the parameters")
	}
	if n, replace := (&ClusterGCN{PerSample: 3}).Draws(); n != 3 || replace {
		t.Error("clusters are drawn without replacement")
	}
	layers := (&LADIES{Sizes: []int{2, 3}, Normalize: true}).ImportanceLayers()
	if !reflect.DeepEqual(layers, app.ImportanceLayers{Sizes: []int{2, 3}, Normalize: true}) {
		t.Errorf("layers %+v", layers)
	}
	steps := (&Layer{StepSize: 2, MaxSize: 9, Unique: true, Bias: app.ByDegree}).CollectiveSteps()
	if want := (app.CollectiveSteps{StepSize: 2, MaxSize: 9, Unique: true, Bias: app.CollectiveBias{By: app.ByDegree}}); steps != want {
		t.Errorf("steps %+v, expected %+v", steps, want)
	}
}

func TestComputedBiasesAreThoseOfTheParameters(t *testing.T) {
	second := &Node2Vec{P: 2, Q: 0.5, Weighted: app.Computed}
	for _, c := range []struct {
		app  app.Computing
		want app.ComputedBias
	}{
		{(&Walk{Bias: app.ByDegree, Computed: true}).walk(), app.ComputedBias{Kind: app.BiasDegree}},
		{second, app.ComputedBias{Kind: app.BiasSecondOrder, Order: app.SecondOrder{Back: 1 << 30, Near: 1 << 31, Away: 1 << 32}}},
	} {
		if got := c.app.ComputedBias(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, expected %+v", c.app.Name(), got, c.want)
		}
	}
}

func TestTeleportersDifferInWhereTheyJumpTo(t *testing.T) {
	if (&Jump{}).Home() || !(&Restart{}).Home() {
		t.Error("a restart goes home, a jump does not")
	}
}
