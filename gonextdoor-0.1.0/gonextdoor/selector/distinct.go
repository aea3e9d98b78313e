package selector

import "gonextdoor/gonextdoor/rng"

// Distinct appends k candidates to picks. A draw is repeated while its candidate is rejected because it or an equivalent one
// was picked before. It is
//
//	for k picks { draw, again while rejected(i) }
//
// After AttemptsPerPick*k draws, each missing pick is drawn by Scan over bias, which is 0 for every rejected candidate. The
// distribution is the same, because a rejected draw is independent of the next. Distinct stops early if all biases are 0.
//
// draw returns a candidate in proportion to its bias, or -1 if the draw itself failed. take reports whether the candidate is
// eligible and, if picks must differ, makes it ineligible.
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
