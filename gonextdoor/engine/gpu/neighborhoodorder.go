package gpu

import (
	"slices"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// order is what a draw's kernels are told, as it is copied to the card: a word that sync_grid counts in, one for what went
// wrong, then arrays one behind the other. Their places are in bytes.
type order struct {
	steps, words, seedAt, vertices, seeds, bytes int
	excluded                                     []int // by relation
	stepCount, seedCount                         int
	left                                         [][]uint64 // positions that are left out, by relation
}

const orderHead = 128 // bytes; the second half begins with the word for faults

// newOrder lays the arrays out.
func (d *draw) newOrder() (o order, err error) {
	h := d.from.Graph
	if o.left, err = d.leftOut(); err != nil {
		return o, err
	}
	at := orderHead
	take := func(bytes int) (first int) {
		first, at = at, at+(bytes+7)/8*8
		return first
	}
	for _, b := range d.batches {
		o.seedCount += b.Seeds.Count()
	}
	o.stepCount = len(d.app.Fanouts) * len(h.Relations)
	o.steps = take(o.stepCount * int(unsafe.Sizeof(kernels.Step{})))
	o.words, o.seedAt = take(8*len(d.batches)), take(8*(d.lists+1))
	o.vertices = take(8 * len(h.Counts))
	for _, positions := range o.left {
		o.excluded = append(o.excluded, take(8*len(positions)))
	}
	o.seeds = take(4 * o.seedCount)
	o.bytes = at
	return o, nil
}

// hubDegree is how many edges of a row a block does by itself.
func (d *draw) hubDegree() int {
	if t := d.from.Engine.Tuning.NeighborhoodHub; t > 0 {
		return t
	}
	return plan.NeighborhoodHub
}

// leftOut gives the positions of excluded edges. All batches of a launch leave out the same.
func (d *draw) leftOut() ([][]uint64, error) {
	h := d.from.Graph
	left := make([][]uint64, len(h.Relations))
	if len(d.batches) == 0 {
		return left, nil
	}
	for r, ids := range d.batches[0].Seeds.Excluded {
		inverse, err := index.InverseOf(h.Relations[r].Graph)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			left[r] = inverse.Append(left[r], uint64(id))
		}
		slices.Sort(left[r])
		left[r] = slices.Compact(left[r])
	}
	return left, nil
}

// write fills the order in, for the card's memory at an address.
func (d *draw) write(o order, to unsafe.Pointer, at uint64) {
	h := d.from.Graph
	clear(unsafe.Slice((*byte)(to), orderHead))
	steps := unsafe.Slice((*kernels.Step)(unsafe.Add(to, o.steps)), o.stepCount)
	for i, fanouts := range d.app.Fanouts {
		for r, rel := range h.Relations {
			s := kernels.Step{
				G: d.graphs[r], Fanout: uint64(int64(fanouts[r])), Hop: uint64(i), Relation: uint64(r), Destination: uint64(rel.Destination),
				Source: uint64(rel.Source), Weighted: flag(d.app.Weighs(rel.Graph)), HopBegin: uint64(i * len(h.Relations)),
				DueBegin: ^uint64(0), Excluded: at + uint64(o.excluded[r]), ExcludedCount: uint64(len(o.left[r])),
			}
			if fanouts[r] >= 0 {
				s.Replace = flag(d.app.Replace)
			}
			s.Hubs = flag(rel.Graph.MaxDegree() > uint64(d.hubDegree()) && (fanouts[r] < 0 || s.Weighted == 1 && s.Replace == 0))
			if d.app.Expand == app.New && i > 0 {
				s.DueBegin = uint64((i - 1) * len(h.Relations))
			}
			steps[i*len(h.Relations)+r] = s
		}
	}
	copyTo(to, o.words, d.words())
	copyTo(to, o.vertices, unsigned(h.Counts))
	for r, positions := range o.left {
		copyTo(to, o.excluded[r], positions)
	}
	seedAt := unsafe.Slice((*uint64)(unsafe.Add(to, o.seedAt)), d.lists+1)
	seeds := unsafe.Slice((*uint32)(unsafe.Add(to, o.seeds)), o.seedCount)
	list, count := 0, 0
	for _, b := range d.batches {
		for _, vertices := range b.Seeds.Vertices {
			seedAt[list] = uint64(count)
			count += copy(seeds[count:], vertices)
			list++
		}
	}
	seedAt[list] = uint64(count)
}

func (d *draw) words() []uint64 {
	words := make([]uint64, len(d.batches))
	for i, b := range d.batches {
		words[i] = b.Word
	}
	return words
}

func unsigned(numbers []int) []uint64 {
	all := make([]uint64, len(numbers))
	for i, n := range numbers {
		all[i] = uint64(n)
	}
	return all
}

func copyTo(base unsafe.Pointer, at int, from []uint64) {
	copy(unsafe.Slice((*uint64)(unsafe.Add(base, at)), len(from)), from)
}

func flag(yes bool) uint64 {
	if yes {
		return 1
	}
	return 0
}
