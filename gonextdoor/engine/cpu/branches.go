package cpu

import (
	"math/bits"
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// branches numbers the nodes of disjoint trees, which are a tree and a vertex each, by open addressing.
type branches struct {
	cells []cell // a power of two of them, at least half empty
	shift uint64
	batch uint32 // the number of the batch: what an earlier one left in a cell counts as nothing, and need not be cleared
	count int
}

// cell holds the tree and the vertex of a node, the batch that it belongs to, and its number.
type cell struct {
	node          uint64
	batch, number uint32
}

const leastCells = 1 << 10

func newBranches() (*branches, error) {
	b := &branches{batch: 1}
	return b, b.resize(leastCells)
}

// resize gives an empty table of at least so many cells.
func (b *branches) resize(least int) error {
	width := bits.Len(uint(least - 1))
	cells, err := offheap.Make[cell](1 << width)
	if err == nil {
		b.cells, b.shift = cells, uint64(64-width)
	}
	return err
}

func (b *branches) gather(indices *uint32, positions []uint64, v []int64, trees []uint32) {
	for i, p := range positions {
		v[i] = int64(*(*uint32)(unsafe.Add(unsafe.Pointer(indices), p*4)))
	}
	b.ask(v, trees)
}

func (b *branches) ask(v []int64, trees []uint32) {
	var at [plan.Lag]uint64
	for i, u := range v {
		at[i] = 2 * (nodeOf(trees[i], uint32(u)) * rng.Gamma >> b.shift) // a cell is two words
	}
	stage.PrefetchWords((*uint64)(unsafe.Pointer(unsafe.SliceData(b.cells))), at[:len(v)])
}

// nodeOf is a node in one word.
func nodeOf(tree, vertex uint32) uint64 { return uint64(tree)<<32 | uint64(vertex) }

func (b *branches) number(v []int64, trees []uint32, n *nodes) error {
	if 2*(b.count+len(v)) > len(b.cells) {
		if err := b.grow(len(v)); err != nil {
			return err
		}
	}
	mask := uint64(len(b.cells) - 1)
	for i, u := range v {
		node := nodeOf(trees[i], uint32(u))
		h := node * rng.Gamma >> b.shift
		for b.cells[h].batch == b.batch && b.cells[h].node != node {
			h = (h + 1) & mask
		}
		c := &b.cells[h]
		if c.batch != b.batch {
			*c = cell{node, b.batch, uint32(len(n.vertices))}
			n.vertices, n.trees = append(n.vertices, uint32(u)), append(n.trees, trees[i])
			b.count++
		}
		v[i] = int64(c.number)
	}
	return nil
}

// grow makes room for so many more.
func (b *branches) grow(more int) error {
	old := b.cells
	if err := b.resize(4 * (b.count + more)); err != nil {
		return err
	}
	mask := uint64(len(b.cells) - 1)
	for _, c := range old {
		if c.batch != b.batch {
			continue
		}
		h := c.node * rng.Gamma >> b.shift
		for b.cells[h].batch == b.batch {
			h = (h + 1) & mask
		}
		b.cells[h] = c
	}
	offheap.Free(old)
	return nil
}

func (b *branches) reset(*nodes) {
	b.count = 0
	if b.batch++; b.batch == 0 {
		clear(b.cells)
		b.batch = 1
	}
}

func (b *branches) free() { offheap.Free(b.cells) }
