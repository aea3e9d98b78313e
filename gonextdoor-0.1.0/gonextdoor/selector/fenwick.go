package selector

import "math/bits"

// fenwick is a Fenwick tree (Fenwick 1994) of n numbers. Changing a number and finding one by its prefix sum take O(log n).
// Element i, from 1, is the sum of the numbers in (i - lowest bit of i, i].
type fenwick []uint64

// fill builds the tree of n numbers and returns their sum. It reuses the memory of the tree.
func fill[T uint32 | uint64](f *fenwick, numbers []T) (sum uint64) {
	n := len(numbers)
	if cap(*f) <= n {
		*f = make(fenwick, n+1)
	}
	t := (*f)[:n+1]
	*f = t
	clear(t)
	for i, x := range numbers {
		sum += uint64(x)
		t[i+1] += uint64(x)
		if up := i + 1 + (i+1)&-(i+1); up <= n {
			t[up] += t[i+1]
		}
	}
	return sum
}

// subtract subtracts x from number i.
func (f fenwick) subtract(i int, x uint64) {
	for i++; i < len(f); i += i & -i {
		f[i] -= x
	}
}

// find returns the first i whose inclusive prefix sum exceeds r: the sum of the numbers before i is at most r, and with number i
// it is larger.
func (f fenwick) find(r uint64) int {
	i := 0
	for step := 1 << bits.Len(uint(len(f)-1)) >> 1; step > 0; step >>= 1 {
		if i+step < len(f) && f[i+step] <= r {
			i += step
			r -= f[i]
		}
	}
	return i
}
