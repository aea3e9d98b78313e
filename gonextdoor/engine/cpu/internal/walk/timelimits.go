package walk

import (
	"math"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// limitsOf returns the limits in time of the walk in a row of the result.
func (t *temporal) limitsOf(row int) app.TimeRange {
	return t.limits.Of(t.rows.Order, t.Batch.Roots.Root(row))
}

// skip removes the edges before the start from the candidates of the first step of n walkers.
func (t *temporal) skip(w *stage.Walkers, n int) {
	for i, v := range w.Vertex[:n] {
		if start := t.limitsOf(int(w.Sample[i])).Start; start > math.MinInt64 {
			before := t.rows.Count(t.graph, v, w.First[i], w.Count[i], start, false)
			w.First[i], w.Count[i] = w.First[i]+uint64(before), w.Count[i]-before
		}
	}
}

// limit removes the edges after the end from the candidates of step s of n walkers.
func (t *temporal) limit(w *stage.Walkers, n, s int) {
	for i, v := range w.Vertex[:n] {
		limits := t.limitsOf(int(w.Sample[i]))
		end := limits.End
		if s == 0 {
			end = limits.FirstEnd
		}
		if end < math.MaxInt64 {
			w.Count[i] = t.rows.Count(t.graph, v, w.First[i], w.Count[i], end, true)
		}
	}
}

// chooseLimited is choose with limits for weights that decay. All edges to the end of the row may follow in time, those after
// the candidates past the limit.
func (t *temporal) chooseLimited(w *stage.Walkers, n int, term uint64) {
	for i, v := range w.Vertex[:n] {
		_, end := t.graph.Row(v)
		pick := selector.DecayBefore(rng.Mix(w.Key[i]^term), t.rows.Sums[w.First[i]:end], int(w.Count[i]))
		w.Position[i] = w.First[i] + uint64(pick)
	}
}
