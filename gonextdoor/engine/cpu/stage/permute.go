package stage

import "unsafe"

// MaxPermuted is the largest fan-out that PermuteRows serves.
const MaxPermuted = 16

// Rows says what PermuteRows chooses from.
type Rows struct {
	Records unsafe.Pointer // index.Packed's Base
	Edges   uint64         // where sinks' records point
	Stream  uint64         // rng.Stream of the hop
	Fanout  uint64         // at most MaxPermuted
}
