package idmap

import (
	"math/bits"
	"slices"
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// Hash is a Numberer for graphs with more than plan.MaxDenseIDs vertices. Its size depends on the number of entries, not of
// vertices: it takes 16 to 64 bytes per entry on the Go heap, and about one memory access per edge.
type Hash struct{ entries }

// minSlots is the smallest size between two batches.
const minSlots = 1 << 10

// NewHash returns an empty map.
func NewHash() *Hash {
	h := new(Hash)
	h.resize(minSlots)
	return h
}

// Gather implements Numberer.
func (h *Hash) Gather(indices *uint32, positions []uint64, v []int64, _ []uint32) {
	stage.GatherHash(indices, unsafe.SliceData(h.slots), positions, unsafe.SliceData(v), h.shift)
}

// Prefetch implements Numberer.
func (h *Hash) Prefetch(v []int64, _ []uint32) {
	var at [plan.Lag]uint64
	for i, u := range v {
		at[i] = uint64(u) * rng.Gamma >> h.shift
	}
	stage.PrefetchWords(unsafe.SliceData(h.slots), at[:len(v)])
}

// Number implements Numberer. It returns no error.
func (h *Hash) Number(v []int64, _ []uint32, n *Nodes) error {
	n.Vertices = slices.Grow(n.Vertices, len(v))
	if most := len(n.Vertices) + len(v); 2*most > len(h.slots) {
		h.rehash(4*most, n.Vertices)
	}
	for i, u := range v {
		at, slot := h.find(uint32(u))
		if slot == 0 {
			n.Vertices = append(n.Vertices, uint32(u))
			slot = uint64(u)<<32 | uint64(len(n.Vertices))
			h.slots[at] = slot
		}
		v[i] = int64(uint32(slot)) - 1
	}
	return nil
}

// rehash moves the entries of all vertices to a table of at least the given number of slots.
func (h *Hash) rehash(least int, vertices []uint32) {
	clear(h.slots)
	h.resize(least)
	for id, u := range vertices {
		at, _ := h.find(u)
		h.slots[at] = uint64(u)<<32 | uint64(id+1)
	}
}

// Reset implements Numberer. The table shrinks to the size of the last batch, since clearing the table of a large batch would
// take longer than all other work of a small one.
func (h *Hash) Reset(n *Nodes) {
	clear(h.slots)
	h.resize(max(minSlots, 3*len(n.Vertices)))
}

// resize sets the size of an empty table to at least the given number of slots. All words of its memory past len(h.slots) are
// 0.
func (h *Hash) resize(least int) {
	width := bits.Len(uint(least - 1))
	h.shift = uint64(64 - width)
	if cap(h.slots) < 1<<width {
		h.slots = make([]uint64, 1<<width)
	}
	h.slots = h.slots[:1<<width]
}

// Free implements Numberer.
func (h *Hash) Free() { h.slots = nil }
