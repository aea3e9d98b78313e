//go:build !amd64

package stage

// CanPermute reports whether PermuteRows is available.
func CanPermute() bool { return false }

// PermuteRows is made of AVX-512; where there is none, selector.PermuteAt serves every row.
func PermuteRows(*Rows, []uint32, *uint64, *int64, int64) int { return 0 }
