package walk

import (
	"math"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph/index"
)

// limitsOf returns the limits in time of the walk in a row of the result.
func (t *temporal) limitsOf(row uint64) app.TimeRange {
	return t.limits.Of(t.rows.Order, t.Batch.Roots.Root(int(row)))
}

// skip removes the edges before the start from the candidates of the first step of n walkers, and stores their ends in Out.
func (t *temporal) skip(w *stage.Walkers, n int) {
	if t.times == nil {
		return
	}
	for i, row := range w.Sample[:n] {
		limits := t.limitsOf(row)
		w.Hash[i], w.Out[i] = index.TimeAlong(limits.Start)-1, index.TimeAlong(limits.End)
	}
	if !t.limits.Start.Given() {
		return
	}
	all := w.Accept[:copy(w.Accept[:n], w.Count[:n])]
	t.countUntil(w, n)
	for i, row := range w.Sample[:n] {
		before := w.Candidate[i]
		if t.limitsOf(row).Start == math.MinInt64 { // no time is before the least one
			before = 0
		}
		w.First[i], w.Count[i] = w.First[i]+uint64(before), all[i]-before
	}
}

// limit removes the edges after the end from the candidates of step s of n walkers. Accept becomes the number of candidates
// before that.
func (t *temporal) limit(w *stage.Walkers, n, s int) {
	if t.times == nil {
		return
	}
	copy(w.Accept[:n], w.Count[:n])
	switch {
	case s == 0:
		for i, row := range w.Sample[:n] {
			w.Hash[i] = index.TimeAlong(t.limitsOf(row).FirstEnd)
		}
	case t.limits.End.Given():
		copy(w.Hash[:n], w.Out[:n])
	default:
		return
	}
	t.countUntil(w, n)
	copy(w.Count[:n], w.Candidate[:n])
}

// countUntil counts, of the candidates of n walkers, those until the time in Hash, that time included. It writes the numbers to
// Candidate, and overwrites Count.
func (t *temporal) countUntil(w *stage.Walkers, n int) {
	// 1. Keep all candidates of the walkers whose last one is until the time.
	for i, count := range w.Count[:n] {
		w.Next[i] = w.First[i] + uint64(max(count, 1)) - 1
	}
	stage.PrefetchWords(unsafe.SliceData(t.times), w.Next[:n])
	open := 0
	for i, last := range w.Next[:n] {
		count := w.Count[i]
		w.Check[open], w.Edge[i], w.Fraction[i] = uint32(i), w.First[i]+uint64(count), 0
		if t.times[last] > w.Hash[i] && count > 0 {
			w.Edge[i], w.Fraction[i] = w.First[i], count-1
			open++
		}
	}
	// 2. Search for the times of the others.
	searchWords(w, open, t.times, 0, false)
	for i, end := range w.Edge[:n] {
		w.Candidate[i] = uint32(end - w.First[i])
	}
}
