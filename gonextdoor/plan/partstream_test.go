package plan

import (
	"math"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
)

// The time of walks is that of the copies until a part that is chosen uniformly at random is in a slot, if parts are copied in
// turn. That of one walker is the mean, and all walkers wait for the last one.
func TestSecondsOfWalksInParts(t *testing.T) {
	for _, p := range []Parts{
		{Count: 16, Slots: 4, Bytes: 16e9}, {Count: 8, Slots: 2, Bytes: 8e9}, {Count: 3, Slots: 3, Bytes: 3e9}, {Count: 254, Slots: 2, Bytes: 254e9},
	} {
		copies := 0
		for part := range p.Count { // those in slots are 0 to Slots-2, the next copies bring the others in order
			copies += max(0, part-(p.Slots-2))
		}
		want := 80 * float64(copies) / float64(p.Count) * 1e9 / PartRate
		if got := p.WalkSeconds(80, 0, 1); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%+v: %v s, expected %v", p, got, want)
		}
		most := 80 * float64(p.Count-p.Slots+1) * 1e9 / PartRate
		many := p.WalkSeconds(80, 0, 1e6)
		if many <= want || many > most {
			t.Errorf("%+v: %v s for many walkers, expected more than %v, and %v at most", p, many, want, most)
		}
		if varied := p.WalkSeconds(80, 80*80, 1e6); varied <= many {
			t.Errorf("%+v: %v s for walks that stop at random, expected more than %v", p, varied, many)
		}
		p.SecondOrder = true
		if got := p.WalkSeconds(80, 0, 1); math.Abs(got-PartReads*want) > 1e-9*want {
			t.Errorf("%+v: %v s, expected %v", p, got, PartReads*want)
		}
		p.Bytes = 1
		if least := PartCopy * PartFew / 254 * 80; p.WalkSeconds(80, 0, 1e9) < least {
			t.Errorf("%+v: %v s for small parts, expected at least %v", p, p.WalkSeconds(80, 0, 1e9), least)
		}
	}
}

// A walker waits for few rows if it stays where it is, or ends, and it is not known which of those that stop is the last.
func TestStepsThatWaitForRows(t *testing.T) {
	on := app.Size{Vertices: 1 << 20, Edges: 1 << 24, Profile: &app.Profile{Neighbor: 300}}
	for _, c := range []struct {
		app             app.App
		steps, variance float64
	}{
		{&apps.DeepWalk{Length: 80}, 80, 0}, {&apps.MetropolisHastings{Length: 80}, 80 * MetropolisMoves, 0}, {&apps.PPR{Stop: 0.2}, 4, 16},
		{&apps.MultiDimensionalWalk{Length: 80, Dimension: 8}, 80 * PoolMoves, 0}, {&apps.TemporalWalk{Length: 80}, 1 + math.Log2(301), 0},
		{&apps.TemporalWalk{Length: 5}, 5, 0},
	} {
		call := Call{App: c.app, On: on, Samples: 9, RootWidth: 1}
		if steps, variance := call.partSteps(1); math.Abs(steps-c.steps) > 1 || math.Abs(variance-c.variance) > 10 {
			t.Errorf("%s: %v and %v, expected %v and %v", c.app.Name(), steps, variance, c.steps, c.variance)
		}
	}
}

// The estimate of a call in parts has the copies of its walks, trees or rows.
func TestEstimatesOfCallsInParts(t *testing.T) {
	e, walk := Estimate{GPU: 1, GraphUpload: 5}, Call{App: &apps.DeepWalk{Length: 80}, Samples: 1, RootWidth: 1}
	if walk.InParts(e, Parts{}) != e || walk.InParts(e, Parts{Count: 2, Slots: 2, Bytes: 1e9}).GPU <= 1 {
		t.Error("copies cost nothing, or a graph that fits is copied")
	}
	walks := Call{App: &apps.MultiIndependent{Length: 80}, Samples: 1, RootWidth: 8}
	walk.Samples = 8
	one, eight := Parts{Count: 9, Slots: 4, Bytes: 1e9}, Parts{Count: 9, Slots: 4, Bytes: 1e9, Walkers: 8}
	if walk.InParts(e, one) != walks.InParts(e, eight) {
		t.Error("walkers of a sample do not share copies")
	}
	// Rows that exceed the memory are copied in windows; those that many samples read are copied once.
	on := app.Size{Vertices: 1 << 20, Edges: 1 << 24, Profile: &app.Profile{Neighbor: 300, Degrees: []float64{10, 50, 1140}}}
	rows := Parts{Count: 1, Slots: 1, Gathered: true, Tables: 8 << 20, EdgeBytes: 4, Bytes: 72 << 20, SlotBytes: 72 << 20}
	for _, a := range []app.App{
		&apps.Snowball{Depth: 2, Fanout: 5}, &apps.Layer{StepSize: 10, MaxSize: 20}, &apps.LADIES{Sizes: []int{5, 5}}, &apps.RandomEdge{N: 9},
		&apps.Neighbor{Fanouts: []int{5, 5}, FrontierSize: 10},
	} {
		of := func(samples int, p Parts) float64 {
			c := Call{App: a, On: on, Samples: samples, RootWidth: 1}
			return c.InParts(Estimate{}, p).GPU
		}
		few, many, most := of(100, rows), of(10_000, rows), of(1<<30, rows)
		if !(few < many && many < most && most < GatherLayer*(GatherStart+float64(rows.Bytes)/GatherTables)) {
			t.Errorf("%s: %v, %v and %v s for more and more samples", a.Name(), few, many, most)
		}
		small := rows
		small.SlotBytes = 9 << 20
		if of(10_000, small) <= many {
			t.Errorf("%s: less memory makes the copies faster", a.Name())
		}
	}
}
