package stage

import "unsafe"

// MaxPermuted is the largest fan-out that PermuteRows supports.
const MaxPermuted = 16

// Rows describes the rows that PermuteRows chooses from.
type Rows struct {
	Records unsafe.Pointer // Base of index.Packed
	Edges   uint64         // position in the record of a vertex without edges
	Stream  uint64         // rng.Stream of the hop
	Fanout  uint64         // at most MaxPermuted
}
