package build

import (
	"encoding/binary"
	"math"

	"gonextdoor/gonextdoor/refuse"
)

// countsHead is the beginning of the counts of a RowCounter as bytes. The arrays follow it: degrees, bits of ids, weights.
type countsHead struct {
	Rows, Edges, Arcs         uint64
	FirstTime, LastTime       int64
	Weighted, Labelled, Timed bool
	_                         [5]byte
}

// CountsSize returns the number of bytes that PutCounts writes.
func (c *RowCounter) CountsSize() int {
	n := len(c.Degrees)
	return binary.Size(countsHead{}) + 4*n + 8*((n+63)/64) + 8*len(c.Largest)
}

// PutCounts writes what Count has counted, for Merge in another process. Call it before Number.
func (c *RowCounter) PutCounts(to []byte) {
	n := len(c.Degrees)
	head := countsHead{
		Rows: uint64(n), Edges: c.Edges, Arcs: c.Arcs, FirstTime: c.FirstTime, LastTime: c.LastTime,
		Weighted: c.Largest != nil, Labelled: c.Labelled, Timed: c.Timed,
	}
	for _, part := range []any{head, c.Degrees, c.occurs[:(n+63)/64], c.Largest} {
		k, err := binary.Encode(to, binary.LittleEndian, part)
		if err != nil {
			panic(err) // the buffer is too small
		}
		to = to[k:]
	}
}

// Merge adds the counts of another part of the same stream, as PutCounts wrote them. Parts are merged in any order, before
// Number.
func (c *RowCounter) Merge(from []byte) error {
	var head countsHead
	k, err := binary.Decode(from, binary.LittleEndian, &head)
	if err != nil {
		return refuse.Value("counts of %d bytes: expected %d or more", len(from), binary.Size(head))
	}
	n := int(head.Rows)
	weights := 0
	if head.Weighted {
		weights = n
	}
	switch {
	case head.Rows > c.limit || len(from) != k+4*n+8*((n+63)/64)+8*weights:
		return refuse.Value("counts of %d bytes for %d ids: they are damaged", len(from), head.Rows)
	case head.Weighted != (c.Largest != nil) || head.Labelled != c.Labelled || head.Timed != c.Timed:
		return refuse.Value("the counts are of edges with other attributes")
	}
	if err := c.grow(n); err != nil {
		return err
	}
	degrees, occurs, largest := from[k:][:4*n], from[k+4*n:][:8*((n+63)/64)], from[len(from)-8*weights:]
	for v := range n {
		sum := uint64(c.Degrees[v]) + uint64(binary.LittleEndian.Uint32(degrees[4*v:]))
		if sum >= math.MaxUint32 {
			return tooManyEdges(v)
		}
		c.Degrees[v] = uint32(sum)
	}
	for i := range len(occurs) / 8 {
		c.occurs[i] |= binary.LittleEndian.Uint64(occurs[8*i:])
	}
	for v := range weights {
		c.Largest[v] = max(c.Largest[v], math.Float64frombits(binary.LittleEndian.Uint64(largest[8*v:])))
	}
	c.Edges, c.Arcs = c.Edges+head.Edges, c.Arcs+head.Arcs
	c.FirstTime, c.LastTime = min(c.FirstTime, head.FirstTime), max(c.LastTime, head.LastTime)
	return nil
}
