package index

import (
	"bytes"
	"math"
	"math/bits"

	"gonextdoor/gonextdoor/refuse"
)

// Normalization is a way to normalise an adjacency matrix A. A(v, u) is the number of edges from v to u, plus 1 if u = v: a
// loop is added at every vertex, as graph convolutions do. D(v) is the sum of row v of A, 1 + Degree(v).
type Normalization int

// The normalisations.
const (
	SymmetricNorm Normalization = iota // A(v, u) / sqrt(D(v) D(u)): Kipf & Welling, ICLR'17
	RowNorm                            // A(v, u) / D(v)
)

// UnmarshalJSON reads "symmetric" or "row".
func (n *Normalization) UnmarshalJSON(b []byte) error {
	switch string(bytes.TrimSpace(b)) {
	case `"symmetric"`:
		*n = SymmetricNorm
	case `"row"`:
		*n = RowNorm
	default:
		return refuse.Value("normalization = %s: expected \"symmetric\" or \"row\"", b)
	}
	return nil
}

// Source returns the factor of a row with D = d, and Target that of a column: the value of an edge from v to u is
// Source(D(v)) * Target(D(u)).
func (n Normalization) Source(d uint64) float64 {
	if n == RowNorm {
		return 1 / float64(d)
	}
	return 1 / math.Sqrt(float64(d))
}

// Target returns the factor of a column with D = d.
func (n Normalization) Target(d uint64) float64 {
	if n == RowNorm {
		return 1
	}
	return 1 / math.Sqrt(float64(d))
}

// The importance of u for some rows is the sum over their v of the square of the normalised A(v, u). As an integer it is
//
//	max(1, sum over v of A(v, u)^2 * Share(D(v), unit), by Column(sum, D(u)))
//
// in units of 2^-unit. No importance is 0, each is rounded down at most twice, and their sum is below 2^64.

// Unit returns the unit for a number of rows and the sum of their D.
func (n Normalization) Unit(rows, sum uint64) uint {
	if n == RowNorm { // a row's squares sum to 1 at most
		return uint(63 - bits.Len64(rows))
	}
	return uint(63 - bits.Len64(sum)) // and A(v, u)^2 / (D(v) D(u)) to D(v)
}

// Share returns the contribution of a row with D = d for A(v, u) = 1.
func (n Normalization) Share(d uint64, unit uint) uint64 {
	share := uint64(1) << unit / d
	if n == RowNorm {
		share /= d
	}
	return share
}

// Column converts the sum of the shares for a vertex with D = d to its importance.
func (n Normalization) Column(sum, d uint64) uint64 {
	if n == SymmetricNorm {
		sum /= d
	}
	return max(1, sum)
}
