package stage

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph/index"
)

// hintsAt is the offset of the hints of a record, whose layout hinted_amd64.s reads.
//
//lint:ignore U1000 hinted_amd64.s reads it
const hintsAt = unsafe.Offsetof(index.DecayRecord{}.Hints)

// hinted is the number of candidates with a near hint.
//
//lint:ignore U1000 hinted_amd64.s reads it
const hinted = index.HintedCandidates

// Hinted chooses a candidate for each of n walkers, by the word Term[i] and the hints of record Position[i]. Position[i] becomes
// First[i] plus the candidate, or plus the least one that near hints leave. It lists the walkers for which hints do not decide in
// Check, their records in Next, and returns their number.
func (t *Tables) Hinted(w *Walkers, records []index.DecayRecord, n int) (open int) {
	if t.avx512 {
		return hintedAVX512(w, unsafe.SliceData(records), n)
	}
	for i, at := range w.Position[:n] {
		word, r := w.Term[i], &records[at]
		least, largest := r.Hints.Choice(word)
		even := -r.Hints.Even() // all bits are set if the hints are even
		// Words are mapped for r.Count candidates, with those after the end of the walk.
		choice := least&^even | int(index.EvenChoice(word, r.Count))&even
		w.Position[i] = w.First[i] + uint64(choice)
		w.Check[open], w.Next[open] = uint32(i), at
		if ((largest-least)|least/index.HintedCandidates|r.Hints.Far())&^even != 0 {
			open++
		}
	}
	return open
}
