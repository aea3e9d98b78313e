package idmap

import (
	"math/bits"
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// Disjoint maps pairs of a tree and a vertex to local ids: each seed node has a separate tree, and a vertex is a
// different node in each of them. It is a hash map with open addressing and linear probing, outside the Go heap.
//
// Unlike Hash it needs two words per entry, since the key has 64 bits. The batch number in the second word makes Reset take
// constant time.
type Disjoint struct {
	cells []cell // a power of two, at least twice the number of entries
	shift uint64 // 64 minus the binary logarithm of the number of cells
	batch uint32 // number of the current batch; cells of earlier ones count as empty
	count int    // entries
}

// cell is an entry of a Disjoint map.
type cell struct {
	node   uint64 // nodeOf(tree, vertex)
	batch  uint32 // number of the batch that wrote the cell
	number uint32 // the local id
}

const minCells = 1 << 10

// NewDisjoint returns an empty map.
func NewDisjoint() (*Disjoint, error) {
	d := &Disjoint{batch: 1}
	return d, d.resize(minCells)
}

// resize replaces the table by an empty one of at least the given number of cells. The caller frees the old one.
func (d *Disjoint) resize(least int) error {
	width := bits.Len(uint(least - 1))
	cells, err := offheap.Make[cell](1 << width)
	if err == nil {
		d.cells, d.shift = cells, uint64(64-width)
	}
	return err
}

// Gather implements Numberer.
func (d *Disjoint) Gather(indices *uint32, positions []uint64, v []int64, trees []uint32) {
	for i, p := range positions {
		v[i] = int64(*(*uint32)(unsafe.Add(unsafe.Pointer(indices), p*4)))
	}
	d.Prefetch(v, trees)
}

// Prefetch implements Numberer.
func (d *Disjoint) Prefetch(v []int64, trees []uint32) {
	var at [plan.Lag]uint64
	for i, u := range v {
		at[i] = 2 * (nodeOf(trees[i], uint32(u)) * rng.Gamma >> d.shift) // a cell is two words
	}
	stage.PrefetchWords((*uint64)(unsafe.Pointer(unsafe.SliceData(d.cells))), at[:len(v)])
}

// nodeOf packs a node into one word.
func nodeOf(tree, vertex uint32) uint64 { return uint64(tree)<<32 | uint64(vertex) }

// Number implements Numberer. It returns an error if the table cannot grow.
func (d *Disjoint) Number(v []int64, trees []uint32, n *Nodes) error {
	if 2*(d.count+len(v)) > len(d.cells) {
		if err := d.grow(len(v)); err != nil {
			return err
		}
	}
	mask := uint64(len(d.cells) - 1)
	for i, u := range v {
		node := nodeOf(trees[i], uint32(u))
		h := node * rng.Gamma >> d.shift
		for d.cells[h].batch == d.batch && d.cells[h].node != node {
			h = (h + 1) & mask
		}
		c := &d.cells[h]
		if c.batch != d.batch {
			*c = cell{node, d.batch, uint32(len(n.Vertices))}
			n.Vertices, n.Trees = append(n.Vertices, uint32(u)), append(n.Trees, trees[i])
			d.count++
		}
		v[i] = int64(c.number)
	}
	return nil
}

// grow moves the entries to a table with capacity for more additional ones.
func (d *Disjoint) grow(more int) error {
	old := d.cells
	if err := d.resize(4 * (d.count + more)); err != nil {
		return err
	}
	mask := uint64(len(d.cells) - 1)
	for _, c := range old {
		if c.batch != d.batch {
			continue
		}
		h := c.node * rng.Gamma >> d.shift
		for d.cells[h].batch == d.batch {
			h = (h + 1) & mask
		}
		d.cells[h] = c
	}
	offheap.Free(old)
	return nil
}

// Reset implements Numberer. It takes constant time, except once in 2^32 batches.
func (d *Disjoint) Reset(*Nodes) {
	d.count = 0
	if d.batch++; d.batch == 0 {
		clear(d.cells)
		d.batch = 1
	}
}

// Free implements Numberer.
func (d *Disjoint) Free() { offheap.Free(d.cells) }
