package selector

import (
	"sort"

	"gonextdoor/gonextdoor/rng"
)

// SuccessiveSums is SuccessiveSearch's fast form, for a row that is given by the running sums of its biases: it writes the
// picks to dst, which has room for min(k, the row's length), and gives their number. It is
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
	for attempt := uint64(0); attempt < AttemptsPerPick*k && got < k; attempt++ {
		i := FindSum(key.Word(attempt), sums)
		if _, fresh := s.seen.add(i, got); fresh {
			dst[got] = i
			got++
		}
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

// FindSum is Scan over biases that are given by their running sums, of which the last is not 0.
func FindSum(word uint64, sums []uint64) uint64 {
	r, _ := rng.Below(word, sums[len(sums)-1])
	return uint64(sort.Search(len(sums), func(i int) bool { return sums[i] > r }))
}

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
