package build

import (
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// ArcList is a list of edges of a graph in the order of a stream, each with the row that it belongs to. The reverse of an edge
// follows it directly.
type ArcList struct {
	Rows, Targets []uint32
	IDs           []uint64
	Weights       []float64 // nil: unweighted
	Labels        []int32   // nil: none
	Times         []int64   // nil: none
}

// MakeArcList returns an empty list with room for n arcs with the attributes of those of another list.
func MakeArcList(like *ArcList, n int) ArcList {
	l := ArcList{Rows: make([]uint32, 0, n), Targets: make([]uint32, 0, n), IDs: make([]uint64, 0, n)}
	if len(like.Weights) > 0 {
		l.Weights = make([]float64, 0, n)
	}
	if len(like.Labels) > 0 {
		l.Labels = make([]int32, 0, n)
	}
	if len(like.Times) > 0 {
		l.Times = make([]int64, 0, n)
	}
	return l
}

// Reset removes all arcs and keeps the memory.
func (l *ArcList) Reset() {
	l.Rows, l.Targets, l.IDs = l.Rows[:0], l.Targets[:0], l.IDs[:0]
	l.Weights, l.Labels, l.Times = l.Weights[:0], l.Labels[:0], l.Times[:0]
}

// Append adds arc i of another list, as an arc of a row.
func (l *ArcList) Append(from *ArcList, i int, row uint32) {
	l.Rows, l.Targets, l.IDs = append(l.Rows, row), append(l.Targets, from.Targets[i]), append(l.IDs, from.IDs[i])
	if len(from.Weights) > 0 {
		l.Weights = append(l.Weights, from.Weights[i])
	}
	if len(from.Labels) > 0 {
		l.Labels = append(l.Labels, from.Labels[i])
	}
	if len(from.Times) > 0 {
		l.Times = append(l.Times, from.Times[i])
	}
}

// EachArc calls f with the arcs of a block that was counted, in pieces. The row of an arc is its vertex. Pieces are valid
// during the call.
func (c *RowCounter) EachArc(b EdgeBlock, f func(*ArcList) error) error {
	if err := b.check(c); err != nil {
		return err
	}
	var read, arcs ArcList
	for lo := 0; lo < b.Sources.Len; lo += block {
		hi := min(lo+block, b.Sources.Len)
		if err := c.readBlock(b, lo, hi, &read); err != nil {
			return err
		}
		list := &read
		if c.Symmetric {
			list = &arcs
			list.Reset()
			for i, u := range read.Rows {
				list.Append(&read, i, u)
				if v := read.Targets[i]; u != v {
					list.Append(&read, i, v)
					list.Targets[len(list.Targets)-1] = u
				}
			}
		}
		if err := f(list); err != nil {
			return err
		}
	}
	return nil
}

// readBlock reads edges lo ... hi-1 of a block. It returns an error if they are not those that were counted.
func (c *RowCounter) readBlock(b EdgeBlock, lo, hi int, to *ArcList) error {
	n := hi - lo
	to.Rows, to.Targets = slices.Grow(to.Rows[:0], n)[:n], slices.Grow(to.Targets[:0], n)[:n]
	ids := uint64(len(c.Degrees))
	if c.numbers != nil {
		ids = uint64(len(c.numbers))
	}
	for _, x := range []struct {
		from graph.Array
		to   []uint32
	}{{b.Sources, to.Rows}, {b.Targets, to.Targets}} {
		if vertices(x.from, lo, x.to, ids) >= 0 {
			return refuseSecondPass()
		}
		if c.numbers != nil {
			for i, id := range x.to {
				x.to[i] = c.numbers[id]
			}
		}
	}
	to.IDs = slices.Grow(to.IDs[:0], n)[:n]
	for i := range n {
		to.IDs[i] = b.First + uint64(lo+i)
	}
	at := graph.EdgeOrder{First: lo}
	if c.Largest != nil {
		to.Weights = slices.Grow(to.Weights[:0], n)[:n]
		dtypes[b.Weights.Dtype].floats(b.Weights, at, to.Weights)
	}
	if c.Labelled {
		to.Labels = slices.Grow(to.Labels[:0], n)[:n]
		dtypes[b.Labels.Dtype].int32s(b.Labels, at, to.Labels)
	}
	if c.Timed {
		to.Times = slices.Grow(to.Times[:0], n)[:n]
		dtypes[b.Times.Dtype].int64s(b.Times, at, to.Times)
	}
	return nil
}

// refuseSecondPass returns the error for a stream that changed between the passes.
func refuseSecondPass() error {
	return refuse.Value("the edges changed between the two passes over them: let no other program write to the files")
}
