package launch

import "gonextdoor/kernels"

// leafSize is the least number of candidates of a leaf.
const leafSize = kernels.WarpSize

// LeavesOf returns the number of leaves for the sums of that many biases. It may be infinite.
func LeavesOf(candidates float64) int64 {
	return int64(max(kernels.WarpSize, min(candidates/leafSize, kernels.MostLeaves)))
}

// LeafSumWords returns the length of the memory for that many leaves, as leaf_sum_words does.
func LeafSumWords(leaves int64) int64 {
	if leaves == 0 {
		return 0
	}
	return 2 * (leaves + (leaves+kernels.WarpSize-1)/kernels.WarpSize + kernels.WarpSize)
}
