package stage

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph/index"
)

// The assembly of the walks uses SSE2 and PREFETCHT1, which every amd64 CPU supports. Functions whose name ends in AVX512 use
// AVX-512. PREFETCHT1 loads into the L2 cache, which supports several times as many outstanding misses as L1.
const haveAssembly = true

//go:noescape
func chooseIndex(t *Tables, w *Walkers, n int, term uint64)

//go:noescape
func chooseSlot(t *Tables, w *Walkers, n int, term uint64)

//go:noescape
func proposeIndex(t *Tables, w *Walkers, n int)

//go:noescape
func proposeSlot(t *Tables, w *Walkers, n int)

// proposeApartIndex is ProposeApart without weights if every row has index.SingleReach.
//
//go:noescape
func proposeApartIndex(t *Tables, w *Walkers, n int, o *Outliers, x *Strays)

// proposeApartSlot is ProposeApart with weights.
//
//go:noescape
func proposeApartSlot(t *Tables, w *Walkers, n int, o *Outliers, x *Strays)

//go:noescape
func followIndex(t *Tables, w *Walkers, n int, out unsafe.Pointer, stride uintptr)

//go:noescape
func followSlot(t *Tables, w *Walkers, n int, out unsafe.Pointer, stride uintptr)

//go:noescape
func drawIndex(t *Tables, w *Walkers, n int, c *WalkerBatch, term uint64)

//go:noescape
func drawSlot(t *Tables, w *Walkers, n int, c *WalkerBatch, term uint64)

//go:noescape
func stopIndex(t *Tables, w *Walkers, n int, c *WalkerBatch) (kept int)

//go:noescape
func stopSlot(t *Tables, w *Walkers, n int, c *WalkerBatch) (kept int)

//go:noescape
func writeRunsAVX512(runs []EdgeRun, indices *uint32, n int, places, ends, positions *int64)

//go:noescape
func strideAVX512(t *Tables, w *Walkers, n int, c *WalkerBatch, term uint64) (kept int)

//go:noescape
func decideIndex(t *Tables, w *Walkers, n int, r *SecondOrder) (checks int)

//go:noescape
func decideSlot(t *Tables, w *Walkers, n int, r *SecondOrder) (checks int)

//go:noescape
func advance(w *Walkers, n int, e *End) (events int)

//go:noescape
func seek(w *Walkers, checks int, e *Edges)

//go:noescape
func probe(w *Walkers, checks int, e *Edges) (left int)

// keysAVX512 is Keys for a multiple of 8 ids; term is the first id times rng.Gamma.
//
//go:noescape
func keysAVX512(keys []uint64, stream, term uint64)

// wordsAVX512 is Tables.Words.
//
//go:noescape
func wordsAVX512(w *Walkers, n int, term uint64)

// compactAVX512 is Compact for at least one sample.
//
//go:noescape
func compactAVX512(out *uint32, offsets *int64, roots, lengths, rows *uint32, n, base int) (next int)

// hintedAVX512 is Tables.Hinted.
//
//go:noescape
func hintedAVX512(w *Walkers, records *index.DecayRecord, n int) (open int)

// markedAVX512 is Marked for at least 16 ends. Their number must be a multiple of 16.
//
//go:noescape
func markedAVX512(bits *uint64, ends []uint32, hits *uint32) int

// smallNumbersAVX512 is SmallNumbers.
//
//go:noescape
func smallNumbersAVX512(stream uint64, vertices []uint32, limit, first uint32, highs, places *uint32) int

// smallRatiosAVX512 is SmallRatios.
//
//go:noescape
func smallRatiosAVX512(stream uint64, vertices []uint32, biases *uint32, factor, shift uint64, first uint32, places *uint32) int

// leastAVX512 is Least, for 1 to LeastMost numbers. It returns k, or -1.
//
//go:noescape
func leastAVX512(highs []uint32, k uint64, places *uint32, first uint64, dst *uint64) int

// searchRowsAVX512 is RowSearches.Search for a multiple of SearchBlock searches. It does not change left.
//
//go:noescape
func searchRowsAVX512(indices *uint32, low *uint64, left, target *uint32, n int)

// sumLabelled returns the sum of the biases of the edges with a label, for at least 4 edges. Their number must be a multiple of 4.
// If biases is nil, it returns the number of these edges, below 2^32.
//
//go:noescape
func sumLabelled(labels *int32, biases *uint32, n int, label int32) uint64

// aboveLabelled passes groups of 4 of n edges while the sum of their biases with a label does not exceed r, which it lessens by the
// sum.
//
//go:noescape
func aboveLabelled(labels *int32, biases *uint32, n int, label int32, r uint64) (passed int, left uint64)
