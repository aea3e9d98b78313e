package selector

import (
	"slices"

	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// SuccessiveAt is the fast form of Successive. It writes first plus each pick to dst, which must have min(k, len(biases))
// elements or more, and returns their number. It is
//
//	for i, p := range Successive(key, k, row, biases, nil) { dst[i] = first + p }
//
// in O(k) expected time, and O(n + k log n) if AttemptsPerPick * k draws do not suffice.
func SuccessiveAt(key rng.Key, k uint64, row []index.AliasSlot, biases []uint32, first uint64, dst []uint64, s *Scratch) int {
	if uint64(len(biases)) <= k {
		return withBias(biases, first, dst)
	}
	if len(row) == 0 {
		return 0
	}
	got := uint64(0)
	if k > filtered {
		got = successiveHashed(key, k, row, dst, s)
	} else {
		got = successiveFiltered(key, k, row, dst)
	}
	if got < k {
		got = successiveScan(key, k, got, biases, dst, s)
	}
	dst = dst[:got]
	for i := range dst {
		dst[i] += first
	}
	return int(got)
}

// withBias writes first plus each candidate that has a bias to dst, and returns their number.
func withBias(biases []uint32, first uint64, dst []uint64) (got int) {
	for i, b := range biases {
		if b > 0 {
			dst[got] = first + uint64(i)
			got++
		}
	}
	return got
}

// successiveFiltered draws up to k distinct candidates and returns their number. It searches the earlier picks for a draw only
// if a 64-bit filter says that the draw may be one of them.
func successiveFiltered(key rng.Key, k uint64, row []index.AliasSlot, dst []uint64) (got uint64) {
	var filter uint64
	for attempt := range AttemptsPerPick * k {
		i := uint64(Alias(key.Word(attempt), row))
		if filter>>(i&63)&1 != 0 && slices.Contains(dst[:got], i) {
			continue
		}
		filter |= 1 << (i & 63)
		dst[got] = i
		if got++; got == k {
			break
		}
	}
	return got
}

// successiveHashed is successiveFiltered with a hash table of the picks, for large k.
func successiveHashed(key rng.Key, k uint64, row []index.AliasSlot, dst []uint64, s *Scratch) (got uint64) {
	s.seen.reset(k)
	for attempt := range AttemptsPerPick * k {
		i := uint64(Alias(key.Word(attempt), row))
		if _, fresh := s.seen.add(i, got); !fresh {
			continue
		}
		dst[got] = i
		if got++; got == k {
			break
		}
	}
	return got
}

// successiveScan makes the picks that are missing after all attempts; got picks are in dst. The remaining biases are in a
// Fenwick tree, so all scans together take O(n + k log n).
func successiveScan(key rng.Key, k, got uint64, biases []uint32, dst []uint64, s *Scratch) uint64 {
	total := fill(&s.left, biases)
	take := func(i uint64) {
		s.left.subtract(int(i), uint64(biases[i]))
		total -= uint64(biases[i])
	}
	for _, i := range dst[:got] {
		take(i)
	}
	for attempt := AttemptsPerPick * k; got < k && total > 0; attempt++ {
		r, _ := rng.Below(key.Word(attempt), total)
		i := uint64(s.left.find(r))
		dst[got] = i
		got++
		take(i)
	}
	return got
}
