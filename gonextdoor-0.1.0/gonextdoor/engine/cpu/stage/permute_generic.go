//go:build !amd64

package stage

// CanPermute reports whether PermuteRows is available.
func CanPermute() bool { return false }

// PermuteRows needs AVX-512. Without it, selector.PermuteAt serves every row.
func PermuteRows(*Rows, []uint32, *uint64, *int64, int64) int { return 0 }
