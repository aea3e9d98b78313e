package walk

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/plan"
)

// searchWords completes binary searches in ascending words, each of which is xored with flip before it is compared. For each
// walker i of the first open of Check, the search is among the Fraction[i] words from Edge[i] on, and Edge[i] becomes the first
// of them that is above Hash[i], or the end. If guessed is true, it begins near the word Count[i] after Edge[i]. It overwrites
// Check, Next and Count.
//
// The searches advance in lockstep, so that their cache misses overlap. No branch depends on a word, because the outcomes are
// unpredictable.
func searchWords(w *stage.Walkers, open int, words []uint64, flip uint64, guessed bool) {
	if !guessed {
		for _, i := range w.Check[:open] {
			w.Count[i%plan.Group] = w.Fraction[i%plan.Group] / 2
		}
	}
	for open = listSearches(w, open); open > 0; open = listSearches(w, open) {
		stage.PrefetchWords(unsafe.SliceData(words), w.Next[:open])
		for k, i := range w.Check[:open] {
			i %= plan.Group
			at, left, below := w.Count[i], w.Fraction[i], uint32(0)
			if words[w.Next[k]]^flip <= w.Hash[i] {
				below = 1
			}
			// The rest is the words after this one, or those before it.
			w.Edge[i] += uint64((at + 1) * below)
			left = at + below*(left-1-2*at)
			w.Fraction[i], w.Count[i] = left, left/2
			if guessed { // no guess is far off in most searches
				near := min(left, nearGuess+left/nearShare)
				w.Count[i] = min(near*below+(left-near)*(1-below), max(left, 1)-1)
			}
		}
		guessed = false
	}
}

// After a guess, a search continues nearGuess + n/nearShare words from it if n words are left.
const (
	nearGuess = 7
	nearShare = 32
)

// listSearches keeps in Check, of the first open walkers, those whose searches have words left. Next becomes the words to
// compare.
func listSearches(w *stage.Walkers, open int) (left int) {
	for _, i := range w.Check[:open] {
		i %= plan.Group
		w.Check[left], w.Next[left] = i, w.Edge[i]+uint64(w.Count[i])
		if w.Fraction[i] > 0 {
			left++
		}
	}
	return left
}
