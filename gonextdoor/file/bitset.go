package file

import (
	"math/bits"
	"sync/atomic"

	"gonextdoor/gonextdoor/offheap"
)

// bitset is a numbering of ids in a dense range: one bit per id from low on.
type bitset struct {
	low    int64
	words  []uint64
	before []uint32 // after rank: bits that are set before each word
	count  uint64   // after rank: of all bits that are set
}

func newBitset(low int64, n uint64) (*bitset, error) {
	words, err := offheap.Make[uint64](int((n + 63) / 64))
	return &bitset{low: low, words: words}, err
}

// mark sets the bits of ids; several goroutines may do so at once.
func mark[T uint32 | int64](b *bitset, ids []T) {
	var last T
	for i, v := range ids {
		if i > 0 && v == last { // lists of edges are mostly sorted by source
			continue
		}
		last = v
		place := uint64(int64(v) - b.low)
		word, bit := &b.words[place>>6], uint64(1)<<(place&63)
		if atomic.LoadUint64(word)&bit == 0 { // most are set already, and reading is cheaper
			atomic.OrUint64(word, bit)
		}
	}
}

// rank counts the bits.
func (b *bitset) rank() (err error) {
	if b.before, err = offheap.Make[uint32](len(b.words)); err != nil {
		return err
	}
	for i, w := range b.words {
		b.before[i] = uint32(b.count)
		b.count += uint64(bits.OnesCount64(w))
	}
	return nil
}

func (b *bitset) of(id int64) uint32 {
	place := uint64(id - b.low)
	return b.before[place>>6] + uint32(bits.OnesCount64(b.words[place>>6]&(1<<(place&63)-1)))
}

func (b *bitset) names() ([]int64, error) {
	ids, err := offheap.Make[int64](int(b.count))
	if err != nil {
		return nil, err
	}
	n := 0
	for i, w := range b.words {
		for ; w != 0; w &= w - 1 {
			ids[n] = b.low + int64(i)<<6 + int64(bits.TrailingZeros64(w))
			n++
		}
	}
	return ids, nil
}

// Free ends the life of the set.
func (b *bitset) Free() {
	offheap.Free(b.words)
	offheap.Free(b.before)
	b.words, b.before = nil, nil
}
