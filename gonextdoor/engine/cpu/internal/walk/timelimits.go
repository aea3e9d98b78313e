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
	before := t.countUntil(w, n, math.MinInt64, func(limits app.TimeRange) int64 {
		return max(limits.Start, math.MinInt64+1) - 1 // at math.MinInt64 there is no start
	})
	for k, i := range before {
		w.First[i], w.Count[i] = w.First[i]+uint64(w.Candidate[k]), w.Count[i]-w.Candidate[k]
	}
}

// limit removes the edges after the end from the candidates of step s of n walkers.
func (t *temporal) limit(w *stage.Walkers, n, s int) {
	until := t.countUntil(w, n, math.MaxInt64, func(limits app.TimeRange) int64 {
		if s == 0 {
			return limits.FirstEnd
		}
		return limits.End
	})
	for k, i := range until {
		w.Count[i] = w.Candidate[k]
	}
}

// countUntil counts, of the candidates of n walkers, those until a time along the walk that their limits have, that time
// included. It returns the walkers whose time is not none, and writes the numbers of their candidates to w.Candidate. The binary
// searches advance in lockstep, without a branch, so that their cache misses overlap.
func (t *temporal) countUntil(w *stage.Walkers, n int, none int64, time func(app.TimeRange) int64) (of []uint32) {
	open := 0
	low, left, ends, rows := &w.Candidate, &w.Fraction, &w.Hash, &w.Edge
	for i, v := range w.Vertex[:n] {
		end := time(t.limitsOf(int(w.Sample[i])))
		w.Check[open], low[open], left[open], ends[open], rows[open] = uint32(i), 0, w.Count[i], uint64(end), t.graph.Indptr[v]
		if end != none {
			open++
		}
	}
	flip := t.rows.Order.Along(0)       // 0, or -1 to reverse times
	for searching := true; searching; { // among `left` edges from `low` on
		searching = false
		for k, i := range w.Check[:open] {
			if left[k] == 0 {
				continue
			}
			half, until := left[k]/2, uint32(0)
			place := t.rows.Places[w.First[i]+uint64(low[k]+half)]
			if t.graph.Times[rows[k]+uint64(place)]^flip <= int64(ends[k]) {
				until = 1
			}
			low[k] += (half + 1) * until
			left[k] = half - until*(2*half+1-left[k])
			searching = true
		}
	}
	return w.Check[:open]
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
