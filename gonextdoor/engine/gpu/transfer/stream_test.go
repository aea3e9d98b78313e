package transfer

import (
	"bytes"
	"testing"

	"gonextdoor/gonextdoor/plan"
)

// Copies of any length and alignment are exact, and write nothing outside.
func TestStreamedCopiesAreExact(t *testing.T) {
	source, pattern := make([]byte, 1000), []byte{0xaa}
	for i := range source {
		source[i] = byte(i*7 + 1)
	}
	for _, whole := range []int{0, plan.TransferStreamed} {
		for n := 0; n < 400; n += 1 + n/50 {
			for first := range 65 {
				got := bytes.Repeat(pattern, 600)
				streamed(got[first:first+n], source[first%9:first%9+n], whole)
				want := bytes.Repeat(pattern, 600)
				copy(want[first:], source[first%9:first%9+n])
				if !bytes.Equal(got, want) {
					t.Fatalf("%d bytes at %d of a transfer of %d bytes differ", n, first, whole)
				}
			}
		}
	}
}

// BenchmarkCopies copies pieces that are in the cache to memory that is not, as a transfer to the host does.
func BenchmarkCopies(b *testing.B) {
	piece, all := make([]byte, plan.TransferPiece), make([]byte, 256<<20)
	for i := range all {
		all[i] = 1
	}
	for name, whole := range map[string]int{"cached": 0, "streamed": plan.TransferStreamed} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(all)))
			for b.Loop() {
				for at := 0; at < len(all); at += len(piece) {
					streamed(all[at:at+len(piece)], piece, whole)
				}
			}
		})
	}
}
