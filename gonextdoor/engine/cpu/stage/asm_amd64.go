package stage

import "unsafe"

// The assembly of the walks uses SSE2 and PREFETCHT1 alone, which every amd64 processor has, but for the forms named
// wide, which use AVX-512. T1 asks for a line in the second cache: it has several times the outstanding misses of the
// first.
const haveAssembly = true

//go:noescape
func chooseIndex(t *Tables, w *Walkers, n int, term uint64)

//go:noescape
func chooseSlot(t *Tables, w *Walkers, n int, term uint64)

//go:noescape
func proposeIndex(t *Tables, w *Walkers, n int)

//go:noescape
func proposeSlot(t *Tables, w *Walkers, n int)

//go:noescape
func followIndex(t *Tables, w *Walkers, n int, out unsafe.Pointer, stride uintptr)

//go:noescape
func followSlot(t *Tables, w *Walkers, n int, out unsafe.Pointer, stride uintptr)

//go:noescape
func drawIndex(t *Tables, w *Walkers, n int, c *Crowd, term uint64)

//go:noescape
func drawSlot(t *Tables, w *Walkers, n int, c *Crowd, term uint64)

//go:noescape
func stopIndex(t *Tables, w *Walkers, n int, c *Crowd) (kept int)

//go:noescape
func stopSlot(t *Tables, w *Walkers, n int, c *Crowd) (kept int)

//go:noescape
func strideWide(t *Tables, w *Walkers, n int, c *Crowd, term uint64) (kept int)

//go:noescape
func decideIndex(t *Tables, w *Walkers, n int, r *Rule) (checks int)

//go:noescape
func decideSlot(t *Tables, w *Walkers, n int, r *Rule) (checks int)

//go:noescape
func advance(w *Walkers, n int, e *End) (events int)

//go:noescape
func seek(w *Walkers, checks int, e *Edges)

//go:noescape
func probe(w *Walkers, checks int, e *Edges) (left int)

// keysWide gives the keys of ids whose first, times rng.Gamma, is term; their number is a multiple of 8.
//
//go:noescape
func keysWide(keys []uint64, stream, term uint64)

// layWide is Lay for at least one sample.
//
//go:noescape
func layWide(out *uint32, offsets *int64, roots, lengths, rows *uint32, n, base int) (next int)

// markedWide is Marked for at least 16 ends, their number being a multiple of 16.
//
//go:noescape
func markedWide(bits *uint64, ends []uint32, hits *uint32) int
