package streamstore_test

import (
	"bytes"
	"testing"

	"gonextdoor/gonextdoor/internal/streamstore"
)

// Copies of any length and alignment are exact, and write nothing outside.
func TestCopiesAreExact(t *testing.T) {
	source, pattern := make([]byte, 1000), []byte{0xaa}
	for i := range source {
		source[i] = byte(i*7 + 1)
	}
	for n := 0; n < 400; n += 1 + n/50 {
		for first := range 65 {
			got := bytes.Repeat(pattern, 600)
			streamstore.Bytes(got[first:first+n], source[first%9:first%9+n])
			want := bytes.Repeat(pattern, 600)
			copy(want[first:], source[first%9:first%9+n])
			if !bytes.Equal(got, want) {
				t.Fatalf("%d bytes at %d differ", n, first)
			}
		}
	}
}

// BenchmarkCopies copies pieces that are in the cache to memory that is not, as a transfer to the host does.
func BenchmarkCopies(b *testing.B) {
	piece, all := make([]byte, 2<<20), make([]byte, 256<<20)
	for i := range all {
		all[i] = 1
	}
	for name, way := range map[string]func(to, from []byte){
		"cached":   func(to, from []byte) { copy(to, from) },
		"streamed": streamstore.Bytes,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(all)))
			for b.Loop() {
				for at := 0; at < len(all); at += len(piece) {
					way(all[at:at+len(piece)], piece)
				}
			}
		})
	}
}
