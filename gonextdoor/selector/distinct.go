package selector

import "gonextdoor/gonextdoor/rng"

// Distinct appends to picks k candidates, drawn again while a draw is refused: the candidate is out, because it or its
// like was picked before. It is
//
//	for k picks { draw, again while refused(i) }
//
// and after AttemptsPerPick*k draws, for each pick still missing, Scan over bias, which is 0 for whatever is out: the
// same law, since a draw that is thrown away tells nothing of the next. It ends early when no bias is left.
//
// draw gives a candidate in proportion to its bias, or -1 where the draw itself came to nothing; take says whether the
// candidate is in, and has it out from then on where picks must differ.
func Distinct(
	key rng.Key, k uint64, n int, draw func(word uint64) int64, bias func(i int) uint64, take func(i uint64) bool, picks []uint64,
) []uint64 {
	first := len(picks)
	attempt := uint64(0)
	for ; attempt < AttemptsPerPick*k && uint64(len(picks)-first) < k; attempt++ {
		if i := draw(key.Word(attempt)); i >= 0 && take(uint64(i)) {
			picks = append(picks, uint64(i))
		}
	}
	for ; uint64(len(picks)-first) < k; attempt++ {
		i := Scan(key.Word(attempt), n, bias)
		if i < 0 {
			break
		}
		take(uint64(i))
		picks = append(picks, uint64(i))
	}
	return picks
}
