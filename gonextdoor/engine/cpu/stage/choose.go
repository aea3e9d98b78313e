package stage

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// block is the number of walkers that the Go loops advance between prefetches.
const block = 16

// Constants of the reproducibility contract, under the names that the assembly uses.
const (
	gamma      = rng.Gamma
	mul1       = rng.Mul1
	mul2       = rng.Mul2
	degreeBits = index.PackedDegreeBits
	maxDegree  = index.MaxPackedDegree
)

// Without assembly, the constants would be unused.
var _ = [...]uint64{gamma, mul1, mul2, degreeBits, maxDegree}

// Term returns the number to xor with a key before rng.Mix to obtain the word at a slot.
func Term(slot uint64) uint64 { return (slot + 1) * rng.Gamma }

// Step is the difference between the terms of one slot in consecutive steps.
const Step = rng.Tries * rng.Gamma & (1<<64 - 1)

// Choose picks an edge for each of n walkers, all with the word of one term. It is
//
//	first, degree := row(Vertex[i])
//	index, fraction := rng.Below(rng.Mix(Key[i]^term), degree)
//	Position[i], Fraction[i] = first+index, fraction
//
// and prefetches the edge, or its alias slot. If choices search, see search.
func (t *Tables) Choose(w *Walkers, n int, term uint64) {
	switch {
	case t.segments.sums != nil:
		for i, key := range w.Key[:n] {
			w.Position[i] = rng.Mix(key ^ term)
		}
		t.search(w, w.Vertex[:n])
	case !t.assembly:
		choose(t, w, n, term)
	case t.Slots == nil:
		chooseIndex(t, w, n, term)
	default:
		chooseSlot(t, w, n, term)
	}
}

// choose is Choose in Go.
func choose(t *Tables, w *Walkers, n int, term uint64) {
	for lo := 0; lo < n; lo += block {
		for i := lo; i < min(lo+block, n); i++ {
			first, degree := t.row(w.Vertex[i])
			index, fraction := rng.Below(rng.Mix(w.Key[i]^term), degree)
			w.Position[i], w.Fraction[i] = first+index, fraction
		}
		t.prefetchChoices(w.Position[lo:min(lo+block, n)])
	}
}

// Propose is Choose with a term per walker, and a second fraction of the word. It is the loop of Choose and
//
//	Accept[i] = fraction              // unweighted: the bits that the choice left unused
//	Accept[i] = rng.Second(word)      // weighted
func (t *Tables) Propose(w *Walkers, n int) {
	switch {
	case t.segments.sums != nil:
		for i, key := range w.Key[:n] {
			w.Position[i] = rng.Mix(key ^ w.Term[i])
		}
		t.search(w, w.Vertex[:n])
	case !t.assembly:
		propose(t, w, n)
	case t.Slots == nil:
		proposeIndex(t, w, n)
	default:
		proposeSlot(t, w, n)
	}
}

// propose is Propose in Go.
func propose(t *Tables, w *Walkers, n int) {
	for lo := 0; lo < n; lo += block {
		for i := lo; i < min(lo+block, n); i++ {
			word := rng.Mix(w.Key[i] ^ w.Term[i])
			first, degree := t.row(w.Vertex[i])
			index, fraction := rng.Below(word, degree)
			w.Position[i], w.Fraction[i], w.Accept[i] = first+index, fraction, fraction
			if t.Slots != nil {
				w.Accept[i] = rng.Second(word)
			}
		}
		t.prefetchChoices(w.Position[lo:min(lo+block, n)])
	}
}

// Follow moves n walkers along the chosen edges. It writes the vertex of walker i to address out + i*stride, in bytes. It is
//
//	v := end(Position[i], Fraction[i])
//	Vertex[i], out[i*stride] = v, v
//
// and prefetches the record of the vertex.
func (t *Tables) Follow(w *Walkers, n int, out unsafe.Pointer, stride uintptr) {
	switch {
	case !t.assembly:
		follow(t, w, n, out, stride)
	case t.Slots == nil:
		followIndex(t, w, n, out, stride)
	default:
		followSlot(t, w, n, out, stride)
	}
}

// follow is Follow in Go.
func follow(t *Tables, w *Walkers, n int, out unsafe.Pointer, stride uintptr) {
	for lo := 0; lo < n; lo += block {
		for i := lo; i < min(lo+block, n); i++ {
			v := t.end(w.Position[i], w.Fraction[i])
			w.Vertex[i] = v
			*(*uint32)(unsafe.Add(out, uintptr(i)*stride)) = v
		}
		t.Prefetch(w.Vertex[lo:min(lo+block, n)])
	}
}
