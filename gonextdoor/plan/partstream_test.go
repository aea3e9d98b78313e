package plan

import (
	"math"
	"testing"

	"gonextdoor/gonextdoor/apps"
)

// The time of a step is that of the copies until a part that is chosen uniformly at random is in a slot, if parts are copied
// in turn.
func TestStepSecondsOfParts(t *testing.T) {
	for _, p := range []Parts{
		{Count: 16, Slots: 4, Bytes: 16e9}, {Count: 8, Slots: 2, Bytes: 8e9}, {Count: 3, Slots: 3, Bytes: 3e9}, {Count: 254, Slots: 2, Bytes: 254e9},
	} {
		copies := 0
		for part := range p.Count { // those in slots are 0 to Slots-2, the next copies bring the others in order
			copies += max(0, part-(p.Slots-2))
		}
		want := float64(copies) / float64(p.Count) * 1e9 / PartRate
		if got := p.StepSeconds(); math.Abs(got-want) > 1e-12 {
			t.Errorf("%+v: %v s, expected %v", p, got, want)
		}
		p.SecondOrder = true
		if got := p.StepSeconds(); math.Abs(got-PartReads*want) > 1e-12 {
			t.Errorf("%+v: %v s, expected %v", p, got, PartReads*want)
		}
	}
	e, walk := Estimate{GPU: 1, GraphUpload: 5}, Call{App: &apps.DeepWalk{Length: 80}, Samples: 1, RootWidth: 1}
	if walk.InParts(e, Parts{}) != e || walk.InParts(e, Parts{Count: 2, Slots: 2, Bytes: 1e9}).GPU <= 1 {
		t.Error("copies cost nothing, or a graph that fits is copied")
	}
	walks := Call{App: &apps.MultiIndependent{Length: 80}, Samples: 1, RootWidth: 8}
	one, eight := Parts{Count: 9, Slots: 4, Bytes: 1e9}, Parts{Count: 9, Slots: 4, Bytes: 1e9, Walkers: 8}
	if walk.InParts(e, one) != walks.InParts(e, eight) {
		t.Error("walkers of a sample do not share copies")
	}
}
