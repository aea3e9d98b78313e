package cpu

import (
	"math/bits"
	"slices"
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// buckets is a table by open addressing, for graphs with more vertices than plan.MaxStamps: the vertex in the high half
// of a word, its number plus 1 in the low one; 0 is empty.
type buckets struct {
	of    []uint64 // a power of two of them, at least half empty; all zero behind len
	shift uint64
}

const leastBuckets = 1 << 10

func newBuckets() *buckets {
	b := new(buckets)
	b.resize(leastBuckets)
	return b
}

func (b *buckets) gather(indices *uint32, positions []uint64, v []int64, _ []uint32) {
	stage.GatherBuckets(indices, unsafe.SliceData(b.of), positions, unsafe.SliceData(v), b.shift)
}

func (b *buckets) ask(v []int64, _ []uint32) {
	var at [plan.Lag]uint64
	for i, u := range v {
		at[i] = uint64(u) * rng.Gamma >> b.shift
	}
	stage.PrefetchWords(unsafe.SliceData(b.of), at[:len(v)])
}

func (b *buckets) number(v []int64, _ []uint32, n *nodes) error {
	n.vertices = slices.Grow(n.vertices, len(v))
	if most := len(n.vertices) + len(v); 2*most > len(b.of) {
		clear(b.of)
		b.resize(4 * most)
		for i, u := range n.vertices {
			b.of[b.find(u)] = uint64(u)<<32 | uint64(i+1)
		}
	}
	for i, u := range v {
		h := b.find(uint32(u))
		if b.of[h] == 0 {
			n.vertices = append(n.vertices, uint32(u))
			b.of[h] = uint64(u)<<32 | uint64(len(n.vertices))
		}
		v[i] = int64(uint32(b.of[h])) - 1
	}
	return nil
}

// find gives the bucket of u, or the empty one where it belongs.
func (b *buckets) find(u uint32) uint64 {
	mask := uint64(len(b.of) - 1)
	h := uint64(u) * rng.Gamma >> b.shift
	for b.of[h] != 0 && uint32(b.of[h]>>32) != u {
		h = (h + 1) & mask
	}
	return h
}

// reset leaves a table that fits a batch as large as the last: clearing a larger one would cost small batches more than
// all their other work.
func (b *buckets) reset(n *nodes) {
	clear(b.of)
	b.resize(max(leastBuckets, 3*len(n.vertices)))
}

// resize gives an empty table at least so many buckets.
func (b *buckets) resize(least int) {
	width := bits.Len(uint(least - 1))
	b.shift = uint64(64 - width)
	if cap(b.of) < 1<<width {
		b.of = make([]uint64, 1<<width)
	}
	b.of = b.of[:1<<width]
}

func (b *buckets) free() { b.of = nil }
