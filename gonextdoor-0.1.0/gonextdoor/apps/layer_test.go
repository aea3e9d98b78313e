package apps

import (
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph/graphtest"
)

func TestLayersRefuseSizes(t *testing.T) {
	for _, c := range []struct {
		app  app.App
		text string
	}{
		{&FastGCN{Sizes: []int{3, 0}}, "sizes[1] = 0: expected at least 1"},
		{&LADIES{Sizes: []int{1 << 28}}, "sizes = [268435456]: expected fewer than 2^28 vertices per sample"},
		{&LADIES{Sizes: []int{1 << 62, 1 << 62}}, "sizes = [4611686018427387904 4611686018427387904]: expected fewer than 2^28 vertices per sample"},
		{&Layer{StepSize: 0, MaxSize: 1}, "step_size = 0: expected at least 1 and less than 2^28"},
		{&Layer{StepSize: 1, MaxSize: 1 << 28}, "max_size = 268435456: expected at least 1 and less than 2^28"},
		{&MVS{Batch: 0}, "batch = 0: expected from 1 to 268435456"},
		{&MVS{Batch: 1, Fanouts: []int{-2}}, "fanouts[0] = -2: expected at least 1, or -1 for all"},
	} {
		if err := c.app.Check(); err == nil || err.Error() != c.text {
			t.Errorf("%v, expected %s", err, c.text)
		}
	}
}

// Biases of different rows keep the ratios of their weights, down to 2^-40 of the largest; no positive one becomes 0.
func TestLayerBringsWeightsToOneUnit(t *testing.T) {
	g := graphtest.Make(3, true, []graphtest.Edge{{From: 0, To: 1, Bias: 1 << 31}, {From: 1, To: 2, Bias: 3}, {From: 1, To: 0, Bias: 0}})
	bound, err := (&Layer{StepSize: 1, MaxSize: 1, Bias: app.ByWeight}).Bind(g)
	if err != nil {
		t.Fatal(err)
	}
	l := bound.(*Layer)
	bias := l.CollectiveSteps().Bias
	large, none, small := bias.Of(g, 0, 0, 1), bias.Of(g, 1, 1, 0), bias.Of(g, 1, 2, 2)
	if large != 1<<31<<8 || small != 3<<8 || none != 0 {
		t.Errorf("biases %d, %d and %d of weights 2^31, 3 and 0", large, small, none)
	}
}
