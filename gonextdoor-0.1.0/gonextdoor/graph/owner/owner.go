// Package owner assigns the vertices of a graph to parts. A part owns the rows of its vertices. The assignment affects how
// much work crosses from part to part, and never a sample.
package owner

import (
	"sort"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// MaxParts is the largest number of parts: an owner fits in 16 bits.
const MaxParts = 1 << 16

// Map is an assignment of vertices to the parts 0 ... Count-1. It has exactly one of its three arrays.
type Map struct {
	Count  int
	Bounds []uint32 // ranges: part i owns the vertices Bounds[i] ... Bounds[i+1]-1, and Bounds has Count+1 elements
	Narrow []uint8  // the owner of each vertex, for at most 256 parts
	Wide   []uint16 // the owner of each vertex, for more
}

// NewMap returns a map in which part 0 owns all vertices, for Set.
func NewMap(vertices, parts int) *Map {
	m := &Map{Count: parts}
	if parts <= 1<<8 {
		m.Narrow = make([]uint8, vertices)
	} else {
		m.Wide = make([]uint16, vertices)
	}
	return m
}

// Set assigns a vertex to a part. The map must not be ranges.
func (m *Map) Set(v uint32, part int) {
	if m.Narrow != nil {
		m.Narrow[v] = uint8(part)
	} else {
		m.Wide[v] = uint16(part)
	}
}

// Parts returns the number of parts.
func (m *Map) Parts() int { return m.Count }

// Range returns the vertices first ... end-1 of a part, and ok = false if the parts are not ranges.
func (m *Map) Range(part int) (first, end uint32, ok bool) {
	if m.Bounds == nil {
		return 0, 0, false
	}
	return m.Bounds[part], m.Bounds[part+1], true
}

// NumVertices returns the number of vertices.
func (m *Map) NumVertices() int {
	if m.Bounds != nil {
		return int(m.Bounds[m.Count])
	}
	return max(len(m.Narrow), len(m.Wide))
}

// Owner returns the part that owns v. It takes one read, or a binary search if the parts are ranges.
func (m *Map) Owner(v uint32) int {
	switch {
	case m.Narrow != nil:
		return int(m.Narrow[v])
	case m.Wide != nil:
		return int(m.Wide[v])
	default:
		return sort.Search(m.Count, func(i int) bool { return m.Bounds[i+1] > v })
	}
}

// Counts returns the number of vertices that each part owns. It returns an error if an owner is not a part.
func (m *Map) Counts() ([]int, error) {
	counts := make([]int, m.Count)
	if m.Bounds != nil {
		for i := range counts {
			counts[i] = int(m.Bounds[i+1]) - int(m.Bounds[i])
		}
		return counts, nil
	}
	for v := range m.NumVertices() {
		part := m.Owner(uint32(v))
		if part >= m.Count {
			return nil, refuse.Value("owner[%d] = %d: expected a part below %d", v, part, m.Count)
		}
		counts[part]++
	}
	return counts, nil
}

// Vertices returns the vertices that a part owns, in ascending order.
func (m *Map) Vertices(part int) (owned []uint32) {
	if m.Bounds != nil {
		for v := m.Bounds[part]; v < m.Bounds[part+1]; v++ {
			owned = append(owned, v)
		}
		return owned
	}
	for v := range uint32(m.NumVertices()) {
		if m.Owner(v) == part {
			owned = append(owned, v)
		}
	}
	return owned
}

// CheckParts returns an error unless a graph can have this number of parts.
func CheckParts(parts int) error {
	if parts < 1 || parts > MaxParts {
		return refuse.Value("parts = %d: expected from 1 to %d", parts, MaxParts)
	}
	return nil
}

// Ranges cuts the vertices of g into ranges with equal numbers of edges, up to one row.
func Ranges(g *graph.Graph, parts int) *Map {
	m := &Map{Count: parts, Bounds: make([]uint32, parts+1)}
	for i, bound := range g.RowRanges(parts) {
		m.Bounds[i] = uint32(bound)
	}
	return m
}

// RangesOf is Ranges of a graph whose degrees are known.
func RangesOf(degrees []uint32, parts int) *Map {
	var edges, before uint64
	for _, d := range degrees {
		edges += uint64(d)
	}
	m := &Map{Count: parts, Bounds: make([]uint32, parts+1)}
	v, n := 0, len(degrees)
	for i := 1; i < parts; i++ {
		share := edges / uint64(parts) * uint64(i)
		for v < n && before+uint64(degrees[v]) <= share {
			before += uint64(degrees[v])
			v++
		}
		m.Bounds[i] = uint32(v)
	}
	m.Bounds[parts] = uint32(n)
	return m
}
