package build

import (
	"math"
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

// EdgeBlock is a block of a stream of edges: edge i leads from Sources[i] to Targets[i] and has the id First+i.
type EdgeBlock struct {
	First            uint64
	Sources, Targets graph.Array // integers
	Weights          graph.Array // integers or floats; optional
	Labels, Times    graph.Array // integers; optional
}

// RowCounter counts the edges of each row of a graph whose edges arrive in blocks. A stream is read twice: Count reads it for
// the first time, and Arcs for the second time, in the same blocks. In between, Number assigns the vertices.
//
// Ids of vertices are the vertices if all of 0 ... n-1 occur; otherwise the ids that occur are numbered in ascending order. The
// counter takes 4 bytes per id up to the largest, 12 if edges have weights. It is used by one goroutine.
type RowCounter struct {
	Symmetric bool // the reverse of every edge but self-loops is an edge too, with its id and attributes

	Degrees []uint32  // per vertex after Number
	Largest []float64 // the largest weight of each row; nil: unweighted
	Names   []int64   // the id of each vertex; nil: the vertices are the ids
	Edges   uint64    // in the stream
	Arcs    uint64    // edges of the graph

	Labelled, Timed      bool
	FirstTime, LastTime  int64 // of all edges; valid if there is one
	limit                uint64
	occurs               []uint64 // a bit per id: it is an end of an edge
	numbers              []uint32 // the vertex of each id; nil: the id
	scratch              [2][]int64
	degreeHeap, numbered []uint32
	largestHeap          []float64
}

// NewRowCounter returns a counter for ids below limit. first describes the stream: it has the arrays that all blocks have.
func NewRowCounter(first EdgeBlock, symmetric bool, limit uint64) *RowCounter {
	c := &RowCounter{Symmetric: symmetric, Labelled: first.Labels.Given(), Timed: first.Times.Given(), limit: min(limit, graph.MaxVertices)}
	c.FirstTime, c.LastTime = math.MaxInt64, math.MinInt64
	if first.Weights.Given() {
		c.Largest = []float64{}
	}
	return c
}

// Free frees the memory of the counter.
func (c *RowCounter) Free() {
	offheap.Free(c.degreeHeap)
	offheap.Free(c.largestHeap)
	offheap.Free(c.numbered)
	c.degreeHeap, c.largestHeap, c.numbered = nil, nil, nil
	c.Degrees, c.Largest, c.numbers = nil, nil, nil
}

// Count counts the edges of a block. It returns fits = false, and the counter is of no further use, if an id is negative or
// not below the limit.
func (c *RowCounter) Count(b EdgeBlock) (fits bool, err error) {
	if err := b.check(c); err != nil {
		return false, err
	}
	n := b.Sources.Len
	var weights []float64
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		src, dst, err := c.ends(b, lo, hi)
		if src == nil || err != nil {
			return false, err
		}
		if err := b.checkValues(lo, hi); err != nil {
			return false, err
		}
		if c.Largest != nil {
			weights = slices.Grow(weights[:0], block)[:hi-lo]
			dtypes[b.Weights.Dtype].floats(b.Weights, graph.EdgeOrder{First: lo}, weights)
		}
		if err := c.add(src, dst, weights); err != nil {
			return false, err
		}
	}
	c.countTimes(b)
	c.Edges += uint64(n)
	return true, nil
}

// check rejects a block whose arrays do not match each other or the stream.
func (b *EdgeBlock) check(c *RowCounter) error {
	for _, x := range []struct {
		name string
		graph.Array
	}{{"sources", b.Sources}, {"targets", b.Targets}} {
		if !x.Given() {
			return refuse.Type("%s was not given: expected an array of vertices", x.name)
		}
		if err := checkIntegers(x.Array, x.name); err != nil {
			return err
		}
	}
	if err := checkLen(b.Targets, "targets", b.Sources.Len, "sources"); err != nil {
		return err
	}
	if b.Weights.Given() != (c.Largest != nil) || b.Labels.Given() != c.Labelled || b.Times.Given() != c.Timed {
		return refuse.Value("a block of edges has other attributes than the first")
	}
	return b.attributes().checkShape(b.Sources.Len, "sources")
}

// attributes returns the arrays with one element per edge.
func (b *EdgeBlock) attributes() attributes {
	return attributes{weights: b.Weights, labels: b.Labels, times: b.Times}
}

// checkValues rejects values among elements lo ... hi-1 that the graph cannot hold. Errors have the position in the stream.
func (b *EdgeBlock) checkValues(lo, hi int) error {
	a := b.attributes()
	a.first = b.First
	return a.checkValues(lo, hi)
}

// ends reads the ends of edges lo ... hi-1 and makes room for them. It returns nil for an id that does not
// fit.
func (c *RowCounter) ends(b EdgeBlock, lo, hi int) (src, dst []int64, err error) {
	most := int64(-1)
	for k, a := range []graph.Array{b.Sources, b.Targets} {
		c.scratch[k] = slices.Grow(c.scratch[k][:0], block)[:hi-lo]
		if ints(a, lo, c.scratch[k]) >= 0 {
			return nil, nil, nil
		}
		for _, id := range c.scratch[k] {
			if uint64(id) >= c.limit { // negative ids too
				return nil, nil, nil
			}
			most = max(most, id)
		}
	}
	return c.scratch[0], c.scratch[1], c.grow(int(most) + 1)
}

// grow makes room for ids below n.
func (c *RowCounter) grow(n int) (err error) {
	if n <= len(c.Degrees) {
		return nil
	}
	if n > len(c.degreeHeap) {
		size := max(n, min(2*len(c.degreeHeap), int(c.limit)), 1<<12)
		if c.degreeHeap, err = regrown(c.degreeHeap, size); err != nil {
			return err
		}
		if c.Largest != nil {
			if c.largestHeap, err = regrown(c.largestHeap, size); err != nil {
				return err
			}
		}
		c.occurs = append(c.occurs, make([]uint64, (size+63)/64-len(c.occurs))...)
	}
	c.Degrees = c.degreeHeap[:n]
	if c.Largest != nil {
		c.Largest = c.largestHeap[:n]
	}
	return nil
}

// regrown returns a copy of an array with n elements, and frees the array.
func regrown[T any](s []T, n int) ([]T, error) {
	larger, err := offheap.Make[T](n)
	if err != nil {
		return s, err
	}
	copy(larger, s)
	offheap.Free(s)
	return larger, nil
}

// add counts edges whose ends fit.
func (c *RowCounter) add(src, dst []int64, weights []float64) error {
	for i, u := range src {
		v := dst[i]
		c.occurs[u/64] |= 1 << (u % 64)
		c.occurs[v/64] |= 1 << (v % 64)
		c.Degrees[u]++
		c.Arcs++
		if c.Degrees[u] == math.MaxUint32 {
			return tooManyEdges(int(u))
		}
		if c.Largest != nil {
			c.Largest[u] = max(c.Largest[u], weights[i])
		}
		if !c.Symmetric || u == v {
			continue
		}
		c.Degrees[v]++
		c.Arcs++
		if c.Degrees[v] == math.MaxUint32 {
			return tooManyEdges(int(v))
		}
		if c.Largest != nil {
			c.Largest[v] = max(c.Largest[v], weights[i])
		}
	}
	return nil
}

// tooManyEdges returns the error for a row that is too long.
func tooManyEdges(v int) error {
	return refuse.Value("vertex %d has more than %d edges: expected fewer than 2^32", v, uint32(math.MaxUint32)-1)
}

// countTimes updates the first and last time.
func (c *RowCounter) countTimes(b EdgeBlock) {
	if !c.Timed {
		return
	}
	var times [block]int64
	for lo := 0; lo < b.Times.Len; lo += block {
		part := times[:min(block, b.Times.Len-lo)]
		dtypes[b.Times.Dtype].int64s(b.Times, graph.EdgeOrder{First: lo}, part)
		for _, t := range part {
			c.FirstTime, c.LastTime = min(c.FirstTime, t), max(c.LastTime, t)
		}
	}
}

// Number assigns the vertices after the last Count. From then on, Degrees and Largest are per vertex.
func (c *RowCounter) Number() error {
	n := 0
	for v := range c.Degrees {
		if c.occurs[v/64]>>(v%64)&1 != 0 {
			n++
		}
	}
	if n == len(c.Degrees) {
		c.occurs = nil
		return nil
	}
	var err error
	if c.numbered, err = offheap.Make[uint32](len(c.Degrees)); err != nil {
		return err
	}
	c.numbers, c.Names = c.numbered, make([]int64, 0, n)
	for v := range c.Degrees {
		if c.occurs[v/64]>>(v%64)&1 == 0 {
			continue
		}
		k := len(c.Names)
		c.numbers[v] = uint32(k)
		c.Names = append(c.Names, int64(v))
		c.Degrees[k] = c.Degrees[v]
		if c.Largest != nil {
			c.Largest[k] = c.Largest[v]
		}
	}
	c.Degrees = c.Degrees[:n]
	if c.Largest != nil {
		c.Largest = c.Largest[:n]
	}
	c.occurs = nil
	return nil
}

// NumVertices returns the number of vertices after Number.
func (c *RowCounter) NumVertices() int { return len(c.Degrees) }
