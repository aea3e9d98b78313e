package selector

import (
	"slices"

	"gonextdoor/gonextdoor/rng"
)

// PermuteAt is the fast form of Permute. It writes first plus each pick to dst, which must have min(k, n) elements or more,
// and returns their number. It is
//
//	for i, p := range Permute(key, k, n, nil) { dst[i] = first + p }
func PermuteAt(key rng.Key, k, n, first uint64, dst []uint64, s *Scratch) int {
	switch {
	case n <= k:
		dst = dst[:n]
		for i := range dst {
			dst[i] = first + uint64(i)
		}
		return int(n)
	case k > filtered:
		permuteListed(key, k, n, first, dst[:k], s)
	default:
		permuteFiltered(key, k, n, first, dst[:k])
	}
	return int(k)
}

// permuteFiltered makes all draws before it searches for duplicates.
func permuteFiltered(key rng.Key, k, n, first uint64, dst []uint64) {
	top, slot := n-k, uint64(0)
	for i := range dst {
		slot += rng.Gamma
		top++
		r, _ := rng.Below(rng.Mix(uint64(key)^slot), top)
		dst[i] = first + r
	}
	Settle(n, first, dst)
}

// Settle turns the draws of Permute, each with first added, into its picks, if there are fewer draws than candidates:
//
//	for i, r := range dst { if r is in dst[:i], before j { insert first+n-len(dst)+i at j } }
//
// It searches the picks so far only if a 64-bit filter says that r may be one of them.
func Settle(n, first uint64, dst []uint64) {
	var filter uint64
	top := first + n - uint64(len(dst))
	for i, r := range dst {
		if filter>>(r&63)&1 != 0 {
			if at := slices.Index(dst[:i], r); at >= 0 {
				copy(dst[at+1:i+1], dst[at:i])
				r = top + uint64(i)
				dst[at] = r
			}
		}
		filter |= 1 << (r & 63)
	}
}

// permuteListed stores the picks as a linked list from the last to the first, in which "right before r" is the element after
// r, and writes the list to dst at the end. It takes O(k) expected time; insertion into an array takes up to O(k^2).
func permuteListed(key rng.Key, k, n, first uint64, dst []uint64, s *Scratch) {
	s.seen.reset(k)
	s.next = slices.Grow(s.next[:0], int(k))[:k]
	const end = ^uint64(0)
	head := end
	for i := range k {
		top := n - k + i
		r, _ := rng.Below(key.Word(i), top+1)
		at, fresh := s.seen.add(r, i)
		if fresh {
			dst[i], s.next[i] = r, head
			head = i
			continue
		}
		s.seen.add(top, i)
		dst[i], s.next[i] = top, s.next[at]
		s.next[at] = i
	}
	unroll(head, first, dst, s.next)
}

// unroll writes the values of a list, dst[head], dst[next[head]] and so on, to dst from its end to its beginning, and adds
// first to each. It overwrites next.
func unroll(head, first uint64, dst, next []uint64) {
	// 1. Replace each link by the final index of its value.
	for i := len(dst) - 1; i >= 0; i-- {
		head, next[head] = next[head], uint64(i)
	}
	// 2. Permute the values in place, cycle by cycle.
	for i := range dst {
		for next[i] != uint64(i) {
			to := next[i]
			dst[i], dst[to] = dst[to], dst[i]
			next[i], next[to] = next[to], to
		}
		dst[i] += first
	}
}
