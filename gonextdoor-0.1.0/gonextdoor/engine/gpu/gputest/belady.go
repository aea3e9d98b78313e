package gputest

import (
	"cmp"
	"slices"

	"gonextdoor/gonextdoor/engine/gpu/features"
)

// Belady is the definition of a cache of rows that evicts the row whose next announced use is last. It is serial, and keeps the
// batches themselves.
type Belady struct {
	Owners    []int // per slot its row, or -1
	Announced [][]uint32
	Classes   []uint8 // per row; nil: all are equal
	next      int     // the number of the batch that is read next
}

// NewBelady returns a cache with some rows in its first slots.
func NewBelady(slots int, placed []uint32) *Belady {
	b := &Belady{Owners: make([]int, slots)}
	for i := range b.Owners {
		b.Owners[i] = -1
		if i < len(placed) {
			b.Owners[i] = int(placed[i])
		}
	}
	return b
}

// never is the distance of a row of class 0 without an announced use. An empty slot has never+features.Classes.
const never = 1 << 30

// distance returns the number of batches from the present one to the next use of a row.
func (b *Belady) distance(row int) int {
	if row < 0 {
		return never + features.Classes
	}
	for k := b.next + 1; k < len(b.Announced); k++ {
		if slices.Contains(b.Announced[k], uint32(row)) {
			return k - b.next
		}
	}
	if b.Classes != nil {
		return never + int(b.Classes[row])
	}
	return never
}

// Read reads a batch, the next that was announced if any was. It returns how many rows of the result are missed, and updates the
// cache: missed rows, those that are needed first in front, replace rows that are needed later, the last in front.
func (b *Belady) Read(ids []uint32) (missed int) {
	if b.next == len(b.Announced) {
		b.Announced = append(b.Announced, ids)
	}
	// 1. The places in the result at which rows are missed first.
	var entering, leaving []int
	seen := map[uint32]bool{}
	for i, id := range ids {
		if slices.Contains(b.Owners, int(id)) {
			continue
		}
		missed++
		if !seen[id] {
			seen[id] = true
			entering = append(entering, i)
		}
	}
	for slot := range b.Owners {
		leaving = append(leaving, slot)
	}
	// 2. Pair them by distance.
	enters := func(i int) int { return b.distance(int(ids[i])) }
	leaves := func(slot int) int { return b.distance(b.Owners[slot]) }
	slices.SortStableFunc(entering, func(i, j int) int { return cmp.Compare(enters(i), enters(j)) })
	slices.SortStableFunc(leaving, func(i, j int) int { return cmp.Compare(leaves(j), leaves(i)) })
	swaps := 0
	for swaps < min(len(entering), len(leaving)) && enters(entering[swaps]) < leaves(leaving[swaps]) {
		swaps++
	}
	// 3. Match both in the order of their numbers.
	entering, leaving = entering[:swaps], leaving[:swaps]
	slices.Sort(entering)
	slices.Sort(leaving)
	for k, slot := range leaving {
		b.Owners[slot] = int(ids[entering[k]])
	}
	b.next++
	return missed
}

// Forget drops the batches that were announced and not read.
func (b *Belady) Forget() { b.Announced = b.Announced[:b.next] }
