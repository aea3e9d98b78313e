package resident_test

import (
	"testing"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
)

func TestUnweightedAndUnlabelledGraphs(t *testing.T) {
	on(t, func(d *cuda.Device, s cuda.Stream) {
		g := graphtest.Thicket(false)
		defer g.Close()
		r := resident.Of(g, d)
		for _, want := range []resident.Layout{resident.Alias, resident.Biases, resident.Labels, resident.ByLabel, resident.WideAlias, resident.Prefix} {
			if err := resident.Fits(g, want); err == nil {
				t.Errorf("%v fits", want)
			}
			if _, _, err := r.Hold(want, s, graph.Options{}); err == nil {
				t.Errorf("%v is held", want)
			}
		}
		at, release, err := r.Hold(resident.Packed|resident.Wide|resident.Bloom, s, graph.Options{})
		if err != nil {
			t.Fatal(err)
		}
		release()
		if at.Alias != 0 || at.Biases != 0 || at.Labels != 0 || at.Packed == 0 || at.Wide == 0 || at.Bloom == 0 {
			t.Errorf("%+v", at)
		}
	})
}
