package stage

import (
	"math/bits"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// Outliers holds the factors of selector.Outliers, and the Reach of the rows. Only NewOutliers makes it.
type Outliers struct {
	Back, ShortBack, ShortNear uint64

	Reach []index.Reach // by vertex; nil: every row has index.SingleReach

	single, singleShort uint64 // number of slots of Back if every share is 1
	nowhere             uint64 // packed record of a vertex without edges
	edges               uint64 // Tables.Edges
	//lint:ignore U1000 outliers_amd64.s reads it
	zero uint64
}

// NewOutliers returns the outliers of walks on the graph of t.
func NewOutliers(t *Tables, back, shortBack, shortNear uint64, reach []index.Reach) Outliers {
	return Outliers{
		Back: back, ShortBack: shortBack, ShortNear: shortNear, Reach: reach,
		single: slots(1<<32, back), singleShort: slots(1<<32, shortBack),
		nowhere: t.Edges<<index.PackedDegreeBits | 1, edges: t.Edges,
	}
}

// Of returns the Reach of a row.
func (o *Outliers) Of(row uint32) index.Reach {
	if o.Reach == nil {
		return index.SingleReach
	}
	return o.Reach[row]
}

// Strays lists the walkers of a group whose tries drew a slot outside their row.
type Strays struct {
	Count  int
	Walker [plan.Group]uint32
	Slot   [plan.Group]uint64 // counted from the first slot outside the row
	Near   [plan.Group]uint64 // number of slots of the region Near
}

// regions returns the numbers of slots of Near and Back for a step from v, which has d edges, if the previous vertex has from
// edges.
func (o *Outliers) regions(v uint32, from, d uint64) (near, back uint64) {
	near, long, short := uint64(0), o.single, o.singleShort
	if o.Reach == nil {
		near = slots(from<<32, o.ShortNear) * uint64(bit(from < d)) // no branch
	} else {
		most := o.Reach[v].Most()
		over, share := bits.Mul64(most, from)
		near, long, short = slots(share, o.ShortNear), slots(most, o.Back), slots(most, o.ShortBack)
		if over > 0 || share >= d<<32 {
			near = 0
		}
	}
	if near == 0 {
		short = long
	}
	return near, short
}

// Place returns the place within its region of a slot outside the row, counted from the first such slot, and whether the
// region is Near. near is the number of slots of that, and from the number of edges of the previous vertex. It has no branch.
func (o *Outliers) Place(slot, near uint64, fraction uint32, from uint64) (place app.Place, isNear bool) {
	is := uint64(bit(slot < near))
	factor := [...]uint64{o.Back, o.ShortBack, o.ShortNear}[uint64(bit(near > 0))+is]
	return app.Place{Slot: slot - (1-is)*near, Fraction: fraction, Scale: is*from + 1 - is, Factor: factor}, is == 1
}

// EdgeOfPrevious returns the number of the edge of the previous vertex, which has from edges, that a try in the region Near
// proposes by its word.
func EdgeOfPrevious(word, from uint64) uint64 {
	n, _ := rng.Below(rng.Key(word).Word(0), from)
	return n
}

// ProposeApart is Propose for tries with outliers. It is
//
//	word := rng.Mix(Key[i]^Term[i])
//	first, d := row(Vertex[i])
//	regions := o.Regions(d, degree of Previous[i], Reach of Vertex[i])       // selector.Outliers
//	slot, fraction := rng.Below(word, regions.Back)
//	Position[i], Fraction[i] = first+slot, fraction
//	Accept[i] = 0 if regions.Short(), otherwise as in Propose
//
// If the slot is not of the row, Position[i] is the sentinel, and the walker and the slot are listed in x. Walkers that are at
// a dead end or have no previous vertex propose as without outliers. No branch depends on a walker, because the outcomes are
// unpredictable.
func (t *Tables) ProposeApart(w *Walkers, n int, o *Outliers, x *Strays) {
	switch {
	case !t.assembly || (t.Slots == nil) != (o.Reach == nil):
		proposeApart(t, w, n, o, x)
	case t.Slots == nil:
		proposeApartIndex(t, w, n, o, x)
	default:
		proposeApartSlot(t, w, n, o, x)
	}
}

// proposeApart is ProposeApart in Go.
func proposeApart(t *Tables, w *Walkers, n int, o *Outliers, x *Strays) {
	strays := 0
	for i := range n {
		word := rng.Mix(w.Key[i] ^ w.Term[i])
		v, previous := w.Vertex[i], w.Previous[i]
		first, d := t.row(v)
		from := t.Degree(previous)
		// 1. The sizes of the regions.
		near, back := uint64(0), uint64(0)
		if previous != graph.None && first != t.Edges {
			near, back = o.regions(v, from, d)
		}
		// 2. The slot.
		slot, fraction := rng.Below(word, d+near+back)
		accept := fraction
		if t.Slots != nil {
			accept = rng.Second(word)
		}
		if near > 0 {
			accept = 0
		}
		position := first + slot
		x.Walker[strays], x.Slot[strays], x.Near[strays] = uint32(i), slot-d, near
		if slot >= d {
			position = t.Edges
		}
		strays += int(bit(slot >= d))
		w.Position[i], w.Fraction[i], w.Accept[i] = position, fraction, accept
	}
	x.Count = strays
	t.prefetchChoices(w.Position[:n])
}

// slots returns share*factor, both with 32 fraction bits, rounded up to an integer.
func slots(share, factor uint64) uint64 {
	n, fraction := bits.Mul64(share, factor)
	_, carry := bits.Add64(fraction, 1<<64-1, 0)
	return n + carry
}

// PrefetchReach prefetches the Reach of the accepted candidates of n walkers. positions is scratch memory.
func (t *Tables) PrefetchReach(w *Walkers, n int, o *Outliers, positions *[plan.Group]uint64) {
	if t.pure || o.Reach == nil {
		return
	}
	k := uint32(0)
	for i := range n {
		positions[k%plan.Group] = uint64(w.Candidate[i])
		k += w.Accepted[i]
	}
	PrefetchSlots(unsafe.Pointer(unsafe.SliceData(o.Reach)), positions[:k])
}
