package walk_test

import (
	"fmt"
	"math"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/rng"
)

// Walks in order of time search rows longer than a group of walkers, with equal times and without, the extreme ones included.
func TestTemporalSearchesLongRows(t *testing.T) {
	const rim = 600
	for _, different := range []uint64{1, 3, 1 << 40} {
		var edges []graphtest.Edge
		for i := range uint32(rim) {
			edges = append(edges, graphtest.Edge{From: 0, To: i + 1, Bias: 1}, graphtest.Edge{From: i + 1, To: (i+1)%rim + 1, Bias: 1})
		}
		g := graphtest.Make(rim+2, false, graphtest.Both(edges)) // the last vertex has no edges
		g.Times = make([]int64, g.NumEdges())
		for p := range g.Times {
			time, _ := rng.Below(rng.Key(different).Word(uint64(p)), different)
			g.Times[p] = int64(time)
		}
		g.Times[1], g.Times[rim-1] = math.MinInt64, math.MaxInt64
		middle := int64(different / 2)
		for _, b := range []struct {
			bias  app.TimeBias
			scale uint64
		}{{app.UniformInTime, 0}, {app.LinearInTime, 0}, {app.ExponentialInTime, different/8 + 1}, {app.ExponentialInTime, 1 << 50}} {
			for _, a := range []apps.TemporalWalk{
				{},
				{Start: app.AllAt(middle)},
				{Start: app.AllAt(math.MinInt64), End: app.AllAt(math.MinInt64)},
				{Start: app.AllAt(0), Window: app.AllAt(middle), End: app.AllAt(middle + middle/2)},
				{End: app.AllAt(math.MaxInt64)},
				{End: app.AllAt(middle), Strict: true},
				{Direction: apps.Backward, Start: app.AllAt(middle), End: app.AllAt(1)},
				{Direction: apps.Backward, Start: app.AllAt(math.MaxInt64), Window: app.AllAt(math.MaxInt64)},
			} {
				a.Bias, a.Scale, a.Length = b.bias, b.scale, 4
				t.Run(fmt.Sprintf("%d/%+v", different, a), func(t *testing.T) { equalsSerial(t, &a, g) })
			}
		}
		g.Close()
	}
}
