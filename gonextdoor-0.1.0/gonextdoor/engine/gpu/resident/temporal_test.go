package resident_test

import (
	"slices"
	"testing"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
)

func TestTemporalLayoutsEqualTheRowsOfTheView(t *testing.T) {
	on(t, func(d *cuda.Device, s cuda.Stream) {
		g := graphtest.Timed(random(300, 4000, 3))
		defer g.Close()
		view, err := index.TemporalView(g, index.TemporalOrder{Strict: true, Scale: 2}, graph.Options{})
		if err != nil {
			t.Fatal(err)
		}
		at, release, err := resident.Of(view, d).Hold(resident.Temporal|resident.Decay, s, graph.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		rows, m := index.TemporalRowsOf(view), g.NumEdges()
		for i, e := range read[quad](t, d, s, at.Temporal, m) {
			if want := rows.Edges[i]; e != (quad{want.Target, want.Count, uint32(want.First), 0}) {
				t.Fatalf("edge %d is %v, expected %+v", i, e, want)
			}
		}
		if !slices.Equal(read[uint32](t, d, s, at.TemporalPlaces, m), rows.Places) {
			t.Error("places differ")
		}
		if !slices.Equal(read[index.DecaySum](t, d, s, at.Decay, m), rows.Sums) {
			t.Error("sums differ")
		}
	})
}

func TestTemporalLayoutsNeedTimesAndAView(t *testing.T) {
	on(t, func(d *cuda.Device, s cuda.Stream) {
		for _, g := range []*graph.Graph{graphtest.Thicket(true), graphtest.Timed(graphtest.Thicket(true))} {
			for _, want := range []resident.Layout{resident.Temporal, resident.Decay} {
				if fits := resident.Fits(g, want) == nil; fits != (g.Times != nil) {
					t.Errorf("%v fits: %v", want, fits)
				}
				if _, _, err := resident.Of(g, d).Hold(want, s, graph.Options{}); err == nil {
					t.Errorf("%v is held without a view", want)
				}
			}
			g.Close()
		}
	})
}
