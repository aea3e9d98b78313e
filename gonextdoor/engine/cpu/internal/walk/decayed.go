package walk

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/rng"
)

// chooseDecayed is choose by selector.DecayBefore: the last candidate whose sum is above a level. Position[i] is the record of
// the last edge, whose hints decide most choices.
func (t *temporal) chooseDecayed(w *stage.Walkers, n, s int, term uint64) {
	t.Tables.Words(w, n, term)
	if t.times != nil {
		t.limitWords(w, n)
	}
	open := 0
	if s == 0 && t.limits.Start.Given() { // hints are for rows without the edges that skip removed
		for i, first := range w.First[:n] {
			w.Check[i], w.Position[i] = uint32(i), first
			w.Edge[i], w.Fraction[i], w.Count[i] = first+1, w.Count[i]-1, share(w.Count[i]-1, w.Term[i])
		}
		open = n
	} else {
		open = t.chooseHinted(w, n)
	}
	t.chooseSearched(w, open)
}

// chooseHinted chooses a candidate for each of n walkers by hints. It lists those for which they do not decide in Check, sets
// Edge, Fraction and Count to the first candidate that may be past the choice, the number of such candidates and a guess of the
// first of them, and returns the number of these walkers.
func (t *temporal) chooseHinted(w *stage.Walkers, n int) (open int) {
	open = t.Tables.Hinted(w, t.records, n)
	for k, i := range w.Check[:open] {
		least, largest, guess := uint32(w.Position[i]-w.First[i]), w.Count[i]-1, uint32(0)
		if hints := &t.records[w.Next[k]].Hints; hints.Far() != 0 {
			least, largest = hints.Range(w.Term[i], w.Count[i])
			guess = share(largest-least, w.Term[i]<<3)
		}
		w.Edge[i], w.Fraction[i], w.Count[i] = w.First[i]+uint64(least)+1, largest-least, guess
	}
	return open
}

// share returns how many of n candidates of equal weight a word passes over; the largest word passes over none.
func share(n uint32, word uint64) uint32 {
	passed, _ := rng.Below(^word, uint64(n))
	return uint32(passed)
}

// chooseSearched completes the choices of the listed walkers by binary search in the sums of weights.
func (t *temporal) chooseSearched(w *stage.Walkers, open int) {
	if open == 0 {
		return
	}
	sums := t.rows.Sums
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(sums))), len(sums))
	for k, i := range w.Check[:open] {
		w.Next[k] = w.First[i]
	}
	stage.PrefetchWords(&words[0], w.Next[:open])
	listed := w.Candidate[:copy(w.Candidate[:open], w.Check[:open])] // searchWords overwrites Check
	for _, i := range listed {
		// A sum is above a level if its complement is at most the complement of the level, less 1.
		w.Hash[i] = ^uint64(sums[w.First[i]].Times(w.Term[i])) - 1
	}
	searchWords(w, open, words, ^uint64(0), true)
	for _, i := range listed {
		w.Position[i] = w.Edge[i] - 1
	}
}

// limitWords maps the words of the walkers that have lost candidates to a limit to those that select one of the others.
func (t *temporal) limitWords(w *stage.Walkers, n int) {
	// 1. List the walkers, and prefetch the sums from their first candidate on and past the last one.
	open := 0
	for i := range n {
		w.Check[open], w.Edge[open], w.Next[open] = uint32(i), w.First[i], w.First[i]+uint64(w.Count[i])
		if w.Count[i] < w.Accept[i] {
			open++
		}
	}
	words := (*uint64)(unsafe.Pointer(unsafe.SliceData(t.rows.Sums)))
	stage.PrefetchWords(words, w.Edge[:open])
	stage.PrefetchWords(words, w.Next[:open])
	// 2. Map their words.
	for k, i := range w.Check[:open] {
		w.Term[i] = t.rows.Sums[w.Edge[k]].Above(t.rows.Sums[w.Next[k]], w.Term[i])
	}
}
