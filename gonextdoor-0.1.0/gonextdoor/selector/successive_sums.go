package selector

import "gonextdoor/gonextdoor/rng"

// SuccessiveSums is the fast form of SuccessiveSearch for candidates given by the prefix sums of their biases, each with the
// sum before the candidates added. It writes the picks to dst, which must have min(k, len(sums)) elements or more, and returns
// their number. It is
//
//	copy(dst, SuccessiveSearch(key, k, biases, nil))
func SuccessiveSums(key rng.Key, k, before uint64, sums []uint64, dst []uint64, s *Scratch) int {
	if uint64(len(sums)) <= k {
		return withSum(before, sums, dst)
	}
	if sums[len(sums)-1] == before {
		return 0
	}
	// 1. Draw in batches of at most the number of missing picks.
	got := uint64(0)
	s.seen.reset(k)
	for first := uint64(0); first < AttemptsPerPick*k && got < k; {
		n := min(k-got, uint64(len(s.found)), AttemptsPerPick*k-first)
		FindSums(key, first, before, sums, s.found[:n])
		for _, i := range s.found[:n] {
			if _, fresh := s.seen.add(i, got); fresh {
				dst[got] = i
				got++
			}
		}
		first += n
	}
	// 2. Draw the missing picks from the biases.
	if got < k {
		s.biases = s.biases[:0]
		previous := before
		for _, sum := range sums {
			s.biases = append(s.biases, uint32(sum-previous))
			previous = sum
		}
		got = successiveScan(key, k, got, s.biases, dst, s)
	}
	return int(got)
}

// FindSums is Scan for len(found) words of the key from a slot on, over biases given by their prefix sums, each with the sum
// before them added. The last sum must not be `before`. The binary searches advance in lockstep, so that their cache misses overlap.
func FindSums(key rng.Key, slot, before uint64, sums []uint64, found []uint64) {
	var rest [together]uint64
	total := sums[len(sums)-1] - before
	for len(found) > 0 {
		n := min(len(found), together)
		for i := range n {
			rest[i], _ = rng.Below(key.Word(slot+uint64(i)), total)
			found[i] = 0
		}
		// found[i] is the number of sums known to be at most rest[i]; the answer is among the next left ones, or after them.
		for left := uint64(len(sums)); left > 0; {
			half := (left + 1) / 2
			for i, r := range rest[:n] {
				if at := found[i] + half; sums[at-1]-before <= r {
					found[i] = at
				}
			}
			left -= half
		}
		slot, found = slot+uint64(n), found[n:]
	}
}

// together is the number of searches that FindSums makes at a time.
const together = 16

// withSum writes the candidates that have a bias to dst, and returns their number.
func withSum(before uint64, sums, dst []uint64) (got int) {
	previous := before
	for i, sum := range sums {
		if sum > previous {
			dst[got] = uint64(i)
			got++
		}
		previous = sum
	}
	return got
}
