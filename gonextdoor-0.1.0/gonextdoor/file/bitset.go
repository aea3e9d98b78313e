package file

import (
	"math/bits"
	"sync/atomic"

	"gonextdoor/gonextdoor/offheap"
)

// bitset is a numbering of ids in a dense range, with one bit per id from low on. The number of an id is the count of set bits
// below its own. Its arrays are outside the Go heap.
type bitset struct {
	low    int64
	words  []uint64
	prefix []uint32 // after rank: set bits before each word
	count  uint64   // after rank: all set bits
}

// newBitset returns an empty bitset for n ids.
func newBitset(low int64, n uint64) (*bitset, error) {
	words, err := offheap.Make[uint64](int((n + 63) / 64))
	return &bitset{low: low, words: words}, err
}

// mark sets the bits of ids. Several goroutines may call it concurrently.
func mark[T uint32 | int64](b *bitset, ids []T) {
	var last T
	for i, v := range ids {
		if i > 0 && v == last { // edge lists are usually sorted by source
			continue
		}
		last = v
		place := uint64(int64(v) - b.low)
		word, bit := &b.words[place>>6], uint64(1)<<(place&63)
		if atomic.LoadUint64(word)&bit == 0 { // most bits are set already, and a load is cheaper than an atomic OR
			atomic.OrUint64(word, bit)
		}
	}
}

// rank computes the prefix sums that of needs.
func (b *bitset) rank() (err error) {
	if b.prefix, err = offheap.Make[uint32](len(b.words)); err != nil {
		return err
	}
	for i, w := range b.words {
		b.prefix[i] = uint32(b.count)
		b.count += uint64(bits.OnesCount64(w))
	}
	return nil
}

// of returns the number of an id whose bit is set, in constant time.
func (b *bitset) of(id int64) uint32 {
	place := uint64(id - b.low)
	return b.prefix[place>>6] + uint32(bits.OnesCount64(b.words[place>>6]&(1<<(place&63)-1)))
}

// names returns the ids in ascending order.
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

// Free returns the memory of the set.
func (b *bitset) Free() {
	offheap.Free(b.words)
	offheap.Free(b.prefix)
	b.words, b.prefix = nil, nil
}
