package app

import (
	"reflect"
	"testing"

	"gonextdoor/gonextdoor/graph/graphtest"
)

// capabilities are those that each driver asks a bound app for.
var capabilities = map[Driver]reflect.Type{
	DriverWalk:        reflect.TypeFor[StaticWeights](),
	DriverStoppedWalk: reflect.TypeFor[Stopper](),
	DriverSecondOrder: reflect.TypeFor[SecondOrderer](),
	DriverTree:        reflect.TypeFor[FanoutTree](),
	DriverTeleport:    reflect.TypeFor[Teleporter](),
	DriverLabelled:    reflect.TypeFor[LabelPath](),
	DriverHooked:      reflect.TypeFor[Stepped](),
	DriverFrontier:    reflect.TypeFor[Stepped](),
}

// Every app has, once it is bound, what its driver asks for, with weights and without.
func TestBoundAppsHaveTheCapabilitiesOfTheirDrivers(t *testing.T) {
	tested := map[Driver]bool{}
	for _, weighted := range []bool{false, true} {
		g := graphtest.Labelled(graphtest.Thicket(weighted))
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

func TestComputedBiasesAreThoseOfTheParameters(t *testing.T) {
	second := &Node2Vec{P: 2, Q: 0.5, Weighted: Computed}
	for _, c := range []struct {
		app  Computing
		want ComputedBias
	}{
		{&DeepWalk{Weighted: Computed}, ComputedBias{Kind: BiasWeight}},
		{(&Walk{Bias: ByDegree, Computed: true}).walk(), ComputedBias{Kind: BiasDegree}},
		{&PPR{Stop: 0.5, MaxLength: 7}, ComputedBias{Kind: BiasStopping, Threshold: 1 << 31, MostSteps: 7}},
		{second, ComputedBias{Kind: BiasSecondOrder, Order: SecondOrder{1 << 30, 1 << 31, 1 << 32}}},
		{&MetaPath{Labels: []int32{3, 1}, Stop: 0.25}, ComputedBias{Kind: BiasLabelled, Threshold: 1 << 30, Labels: []int32{3, 1}}},
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
