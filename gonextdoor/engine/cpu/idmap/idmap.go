// Package idmap maps vertices to local ids, which count from 0 in the order of first appearance.
//
// Map takes one vertex at a time. The Numberers Dense, Hash and Disjoint take many edges at a time and prefetch.
// Set is a set of numbers, and Distinct tests whether vertices are different.
package idmap

import (
	"math/bits"

	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/rng"
)

// table is a hash table with open addressing, linear probing and Fibonacci hashing. Its owner keeps it at most half full.
type table struct {
	slots []uint64 // 0 if empty; the length is a power of two
	shift uint64   // 64 minus the binary logarithm of the number of slots
}

// find returns the index and the content of the slot of a key, or of the empty slot for it. The slot has content from its bit low
// on, which is not 0.
func (t *table) find(key, content, low uint64) (at, slot uint64) {
	slots := t.slots
	mask := uint64(len(slots) - 1)
	for at = key * rng.Gamma >> t.shift; ; at++ {
		slot = slots[at&mask]
		if slot == 0 || slot>>low == content {
			return at & mask, slot
		}
	}
}

// entries is a table of vertices and their local ids: vertex<<32 | local id + 1.
type entries struct{ table }

// find returns the index and the content of v's slot, or of the empty slot for it.
func (e *entries) find(v uint32) (at, slot uint64) { return e.table.find(uint64(v), uint64(v), 32) }

// Map assigns local ids to vertices one at a time. It takes 16 to 32 bytes per vertex. Call Reset before the first use. A
// Map serves one thread.
type Map struct {
	entries
	Count uint32 // ids assigned since the last Reset
}

// Reset empties the map and reserves capacity for most vertices; no more may be added. It clears the complete table, and
// panics like buffer.Grow if there is too little memory.
func (m *Map) Reset(most uint64) {
	size := uint64(2) << bits.Len64(most)
	m.shift, m.Count = uint64(65-bits.Len64(size)), 0
	if uint64(cap(m.slots)) < size {
		m.slots = buffer.Grow[uint64](nil, int(size))[:size]
		return
	}
	m.slots = m.slots[:size]
	clear(m.slots)
}

// Add returns the id of a vertex. A vertex without one gets the next id, and fresh is true.
func (m *Map) Add(v uint32) (id uint32, fresh bool) {
	at, slot := m.find(v)
	if slot != 0 {
		return uint32(slot) - 1, false
	}
	m.Count++
	m.slots[at] = uint64(v)<<32 | uint64(m.Count)
	return m.Count - 1, true
}

// Find returns the id of a vertex, or -1 if it has none.
func (m *Map) Find(v uint32) int32 {
	_, slot := m.find(v)
	return int32(uint32(slot)) - 1
}
