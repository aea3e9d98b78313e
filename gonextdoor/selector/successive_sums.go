package selector

import "gonextdoor/gonextdoor/rng"

// SuccessiveSums is the fast form of SuccessiveSearch for a row given by the prefix sums of its biases. It writes the picks to
// dst, which needs room for min(k, the length of the row) elements, and returns their number. It is
//
//	copy(dst, SuccessiveSearch(key, k, biases, nil))
func SuccessiveSums(key rng.Key, k uint64, sums []uint64, dst []uint64, s *Scratch) int {
	if uint64(len(sums)) <= k {
		return withSum(sums, dst)
	}
	total := sums[len(sums)-1]
	if total == 0 {
		return 0
	}
	got := uint64(0)
	s.seen.reset(k)
	for first := uint64(0); first < AttemptsPerPick*k && got < k; { // several draws at a time, as many as may be needed
		n := min(k-got, uint64(len(s.found)), AttemptsPerPick*k-first)
		FindSums(key, first, sums, s.found[:n])
		for _, i := range s.found[:n] {
			if _, fresh := s.seen.add(i, got); fresh {
				dst[got] = i
				got++
			}
		}
		first += n
	}
	if got < k {
		s.biases = s.biases[:0]
		before := uint64(0)
		for _, sum := range sums {
			s.biases = append(s.biases, uint32(sum-before))
			before = sum
		}
		got = successiveScan(key, k, got, s.biases, dst, s)
	}
	return int(got)
}

// FindSums is Scan with each of the words from a slot on, over biases given by their prefix sums, the last of which is not 0.
// The binary searches advance in lockstep, so that their cache misses overlap.
func FindSums(key rng.Key, slot uint64, sums []uint64, found []uint64) {
	var rest [together]uint64
	total := sums[len(sums)-1]
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
				if at := found[i] + half; sums[at-1] <= r {
					found[i] = at
				}
			}
			left -= half
		}
		slot, found = slot+uint64(n), found[n:]
	}
}

// together is how many searches FindSums makes at a time.
const together = 16

func withSum(sums, dst []uint64) (got int) {
	before := uint64(0)
	for i, sum := range sums {
		if sum > before {
			dst[got] = uint64(i)
			got++
		}
		before = sum
	}
	return got
}
