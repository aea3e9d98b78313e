package launch

// Sizes of kernels/selector/leafsums.cuh.
const (
	leafSize   = Warp // candidates of a leaf, at least
	mostLeaves = Warp * Warp * Warp
)

// LeavesOf returns the number of leaves for the sums of that many biases. It may be infinite.
func LeavesOf(candidates float64) int64 {
	return int64(max(Warp, min(candidates/leafSize, mostLeaves)))
}

// LeafSumWords returns the length of the memory for that many leaves, as leaf_sum_words does.
func LeafSumWords(leaves int64) int64 {
	if leaves == 0 {
		return 0
	}
	return 2 * (leaves + (leaves+Warp-1)/Warp + Warp)
}
