package selector

import (
	"slices"

	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// Apart appends to picks k candidates of a row, drawn by Alias from the whole row, apart from those that are out: a draw
// that is out is drawn again, as Distinct does it. Without replacement a candidate is out once it was taken, and where no
// more than k are in, it appends all of them that have a bias, in their order. It is Successive, or Alias with
// replacement, where none is out.
func Apart(
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

// ApartAt is Apart's fast form, with those that are out listed in order: it writes the picks to dst, which has room for k,
// or for those that are in where they are fewer and none is taken twice, and gives their number. It is
//
//	copy(dst, Apart(key, k, row, biases, replace, out, nil))
func ApartAt(
	key rng.Key, k uint64, row []index.AliasSlot, biases []uint32, replace bool, out, dst []uint64, s *Scratch,
) (got int) {
	switch {
	case uint64(len(biases)-len(out)) <= k && !replace:
		return withoutOut(biases, out, dst)
	case len(row) == 0 || k == 0:
		return 0
	}
	drawn := uint64(0)
	if s.seen.reset(min(k, uint64(len(biases)))); replace {
		drawn = apartAgain(key, k, row, out, dst)
	} else {
		drawn = apartOnce(key, k, row, out, dst, s)
	}
	if drawn == k {
		return int(k)
	}
	s.biases = append(s.biases[:0], biases...)
	for _, i := range out {
		s.biases[i] = 0
	}
	if !replace {
		return int(successiveScan(key, k, drawn, s.biases, dst, s))
	}
	total := fill(&s.left, s.biases)
	for attempt := AttemptsPerPick * k; drawn < k && total > 0; attempt++ {
		r, _ := rng.Below(key.Word(attempt), total)
		dst[drawn] = uint64(s.left.find(r))
		drawn++
	}
	return int(drawn)
}

func apartOnce(key rng.Key, k uint64, row []index.AliasSlot, out, dst []uint64, s *Scratch) (got uint64) {
	for attempt := uint64(0); attempt < AttemptsPerPick*k && got < k; attempt++ {
		i := uint64(Alias(key.Word(attempt), row))
		if _, isOut := slices.BinarySearch(out, i); isOut {
			continue
		}
		if _, fresh := s.seen.add(i, got); fresh {
			dst[got] = i
			got++
		}
	}
	return got
}

func apartAgain(key rng.Key, k uint64, row []index.AliasSlot, out, dst []uint64) (got uint64) {
	for attempt := uint64(0); attempt < AttemptsPerPick*k && got < k; attempt++ {
		i := uint64(Alias(key.Word(attempt), row))
		if _, isOut := slices.BinarySearch(out, i); !isOut {
			dst[got] = i
			got++
		}
	}
	return got
}

func withoutOut(biases []uint32, out, dst []uint64) (got int) {
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
