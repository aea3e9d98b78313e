package selector

import (
	"slices"

	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// Excluding appends k candidates of a row to picks, weighted by their biases and none of them excluded; out reports whether
// candidate i is excluded. Each draw is an Alias draw from the complete row, repeated as in Distinct while its result is
// ineligible. Without replacement, a drawn candidate becomes ineligible, and if at most k candidates are eligible at the start,
// all of them with a non-zero bias are appended in row order. If no candidate is excluded, Excluding equals Successive, or
// Alias with replacement. docs/reproducibility-selectors.md calls it Apart.
func Excluding(
	key rng.Key, k uint64, row []index.AliasSlot, biases []uint32, replace bool, out func(i uint64) bool, picks []uint64,
) []uint64 {
	in, left := make([]bool, len(biases)), uint64(0)
	for i := range in {
		if in[i] = !out(uint64(i)); in[i] {
			left++
		}
	}
	if left <= k && !replace {
		for i, b := range biases {
			if in[i] && b > 0 {
				picks = append(picks, uint64(i))
			}
		}
		return picks
	}
	draw := func(word uint64) int64 { return Alias(word, row) }
	bias := func(i int) uint64 {
		if !in[i] {
			return 0
		}
		return uint64(biases[i])
	}
	take := func(i uint64) bool {
		was := in[i]
		in[i] = was && replace
		return was
	}
	return Distinct(key, k, len(biases), draw, bias, take, picks)
}

// ExcludingAt is the fast form of Excluding; out lists the excluded candidates in ascending order. It writes the picks to dst
// and returns their number. dst must hold k picks, or the eligible candidates if they are fewer and the draw is without
// replacement. It is
//
//	copy(dst, Excluding(key, k, row, biases, replace, out, nil))
//
// in O(k) expected time, and O(n + k log n) if AttemptsPerPick * k draws do not suffice.
func ExcludingAt(
	key rng.Key, k uint64, row []index.AliasSlot, biases []uint32, replace bool, out, dst []uint64, s *Scratch,
) (got int) {
	// 1. If at most k candidates are eligible, return all of them.
	switch {
	case uint64(len(biases)-len(out)) <= k && !replace:
		return allBut(biases, out, dst)
	case len(row) == 0 || k == 0:
		return 0
	}
	// 2. Draw from the alias table of the complete row.
	n := uint64(0)
	if s.seen.reset(min(k, uint64(len(biases)))); replace {
		n = excludingRepeatedly(key, k, row, out, dst)
	} else {
		n = excludingOnce(key, k, row, out, dst, s)
	}
	if n == k {
		return int(k)
	}
	// 3. Draw the missing picks from the biases of the eligible candidates.
	s.biases = append(s.biases[:0], biases...)
	for _, i := range out {
		s.biases[i] = 0
	}
	if !replace {
		return int(successiveScan(key, k, n, s.biases, dst, s))
	}
	total := fill(&s.left, s.biases)
	for attempt := AttemptsPerPick * k; n < k && total > 0; attempt++ {
		r, _ := rng.Below(key.Word(attempt), total)
		dst[n] = uint64(s.left.find(r))
		n++
	}
	return int(n)
}

// excludingOnce draws up to k distinct eligible candidates to dst and returns the number that the allowed attempts gave.
func excludingOnce(key rng.Key, k uint64, row []index.AliasSlot, out, dst []uint64, s *Scratch) (got uint64) {
	for attempt := uint64(0); attempt < AttemptsPerPick*k && got < k; attempt++ {
		i := uint64(Alias(key.Word(attempt), row))
		if _, excluded := slices.BinarySearch(out, i); excluded {
			continue
		}
		if _, fresh := s.seen.add(i, got); fresh {
			dst[got] = i
			got++
		}
	}
	return got
}

// excludingRepeatedly is excludingOnce with replacement.
func excludingRepeatedly(key rng.Key, k uint64, row []index.AliasSlot, out, dst []uint64) (got uint64) {
	for attempt := uint64(0); attempt < AttemptsPerPick*k && got < k; attempt++ {
		i := uint64(Alias(key.Word(attempt), row))
		if _, excluded := slices.BinarySearch(out, i); !excluded {
			dst[got] = i
			got++
		}
	}
	return got
}

// allBut writes all candidates with a non-zero bias that are not excluded to dst, in row order, and returns their number.
func allBut(biases []uint32, out, dst []uint64) (got int) {
	for i, b := range biases {
		if len(out) > 0 && out[0] == uint64(i) {
			out = out[1:]
		} else if b > 0 {
			dst[got] = uint64(i)
			got++
		}
	}
	return got
}
