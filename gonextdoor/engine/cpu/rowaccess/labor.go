package rowaccess

import (
	"math"
	"slices"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// labor is the state of choices by the keys of end points, which all transits of a hop share (LABOR).
type labor struct {
	stream   rng.Stream // the key of an end point is its random number
	noAVX512 bool
	laborScratch
}

// laborScratch is scratch memory.
type laborScratch struct {
	keys, places []uint64 // of the candidates
	vertices     []uint32 // end points of the edges that are not excluded
	biases       []uint32 // their biases
	listed       []uint32 // biases of the candidates whose keys are listed
}

const (
	// laborBlock is the number of vertices whose keys are computed together.
	laborBlock = 1024
	// prefetchedLines is the number of cache lines of a row that are prefetched. The CPU prefetches the rest of a longer row.
	prefetchedLines = 16
)

// SetLabor prepares choices by the keys that the end points of edges have in a stream. Poisson sampling takes as many edges as
// have a small key, and ignores weights.
func (c *Choices) SetLabor(g *graph.Graph, stream rng.Stream, poisson bool, weighted app.Weighted, noAVX512 bool) {
	c.Graph, c.Slots, c.Dated, c.latest = g, nil, nil, false
	c.shared.stream, c.shared.noAVX512 = stream, noAVX512
	switch {
	case poisson:
		c.Way = LaborPoisson
	case weighted == app.Yes:
		c.Way = WeightedLabor
	default:
		c.Way = Labor
	}
}

// takeLabor is Take for Labor and WeightedLabor.
func (c *Choices) takeLabor(fanout, first, degree uint64, dst []uint64) int {
	if c.Way == WeightedLabor {
		return c.takeRatios(fanout, first, c.row(first, degree), c.Graph.Biases[first:first+degree], dst)
	}
	if degree <= fanout {
		return wholeRow(first, degree, dst)
	}
	return c.takeSmallest(fanout, first, c.row(first, degree), dst)
}

// row returns the end points of a row.
func (c *Choices) row(first, degree uint64) []uint32 { return c.Graph.Indices[first : first+degree] }

// wholeRow writes the positions of a complete row.
func wholeRow(first, degree uint64, dst []uint64) int {
	dst = dst[:degree]
	for i := range dst {
		dst[i] = first + uint64(i)
	}
	return int(degree)
}

// slightlyMore returns the number of candidates that are listed for k picks: fewer than k are in one of 50 lists.
func slightlyMore(k uint64) uint64 { return k + uint64(2*math.Sqrt(float64(k))) + 2 }

// takeSmallest writes the places, counted from first, of the k vertices with the smallest keys, if there are more than k. It
// lists the keys below a limit that slightly more than k of them are expected to pass, and raises the limit until k pass.
func (c *Choices) takeSmallest(k, first uint64, vertices []uint32, dst []uint64) int {
	most := uint64(len(vertices))
	for expected := slightlyMore(k); ; expected *= 2 {
		if n := c.listSmall(selector.PoissonLimit(min(expected, most), most), first, vertices); uint64(n) >= k {
			return selector.SmallestAt(k, c.shared.keys[:n], c.shared.places[:n], dst)
		}
	}
}

// takeRatios writes the places, counted from first, of the k vertices with the smallest ratios of key and bias. It lists those
// whose ratio is below a limit that slightly more than k are expected to pass, and raises the limit if fewer pass. If a few
// biases have most of the sum, that does not help, and it lists all.
func (c *Choices) takeRatios(k, first uint64, vertices, biases []uint32, dst []uint64) int {
	const tries = 4
	sum, positive := uint64(0), uint64(0)
	for _, b := range biases {
		sum += uint64(b)
		if b > 0 {
			positive++
		}
	}
	if k = min(k, positive); k == 0 {
		return 0
	}
	expected := slightlyMore(k)
	for try := 1; ; try++ {
		if positive == k || try == tries {
			expected = sum
		}
		factor, shift := selector.RatioLimit(expected, sum)
		n := c.listRatios(factor, shift, first, vertices, biases)
		if uint64(n) >= k {
			listed := slices.Grow(c.shared.listed[:0], n)[:n]
			for i, p := range c.shared.places[:n] {
				listed[i] = biases[p-first]
			}
			c.shared.listed = listed
			return selector.SmallestRatiosAt(k, c.shared.keys[:n], listed, c.shared.places[:n], dst, &c.Scratch)
		}
		expected *= max(2, slightlyMore(k)/uint64(n+1))
	}
}

// listSmall lists the vertices whose key is at most the limit, and returns their number.
func (c *Choices) listSmall(limit, first uint64, vertices []uint32) (n int) {
	s := &c.shared
	for done := 0; done < len(vertices); done += laborBlock {
		block := vertices[done:min(done+laborBlock, len(vertices))]
		s.reserve(n + len(block))
		n += stage.SmallKeys(s.stream, block, limit, first+uint64(done), s.keys[n:], s.places[n:], !s.noAVX512)
	}
	return n
}

// listRatios lists the vertices whose ratio of key and bias is below factor * 2^shift, and returns their number.
func (c *Choices) listRatios(factor uint32, shift uint, first uint64, vertices, biases []uint32) (n int) {
	s := &c.shared
	limit := stage.RatioLimit{Factor: uint64(factor), Shift: uint64(shift)}
	for done := 0; done < len(vertices); done += laborBlock {
		end := min(done+laborBlock, len(vertices))
		s.reserve(n + end - done)
		block, weights := vertices[done:end], biases[done:end]
		n += stage.SmallRatios(s.stream, block, weights, limit, first+uint64(done), s.keys[n:], s.places[n:], !s.noAVX512)
	}
	return n
}

// reserve makes keys and places long enough for n vertices.
func (s *laborScratch) reserve(n int) {
	if short := n + stage.SmallKeysSlack - len(s.keys); short > 0 {
		s.keys = slices.Grow(s.keys, short)[:len(s.keys)+short]
		s.places = slices.Grow(s.places, short)[:len(s.places)+short]
	}
}

// Poisson returns the positions that LaborPoisson chooses in a row, in scratch memory that the next choice overwrites.
// excluded holds the positions of the row that are not candidates.
func (c *Choices) Poisson(fanout, first, degree uint64, excluded []uint64) []uint64 {
	vertices := c.row(first, degree)
	if len(excluded) > 0 {
		vertices, _ = c.without(first, degree, excluded)
	}
	n := c.listSmall(selector.PoissonLimit(fanout, uint64(len(vertices))), first, vertices)
	places := c.shared.places[:n]
	skip(places, excluded)
	return places
}

// LaborWithout is Take for Labor and WeightedLabor in a row with excluded positions.
func (c *Choices) LaborWithout(fanout, first, degree uint64, excluded, dst []uint64) (n int) {
	vertices, biases := c.without(first, degree, excluded)
	switch {
	case c.Way == WeightedLabor:
		n = c.takeRatios(fanout, first, vertices, biases, dst)
	case uint64(len(vertices)) <= fanout:
		n = wholeRow(first, uint64(len(vertices)), dst)
	default:
		n = c.takeSmallest(fanout, first, vertices, dst)
	}
	skip(dst[:n], excluded)
	return n
}

// without returns the end points and the biases of the edges of a row that are not excluded.
func (c *Choices) without(first, degree uint64, excluded []uint64) (vertices, biases []uint32) {
	vertices, biases = c.shared.vertices[:0], c.shared.biases[:0]
	weighted := c.Way == WeightedLabor
	for from, i := first, 0; ; i++ {
		end := first + degree
		if i < len(excluded) {
			end = excluded[i]
		}
		vertices = append(vertices, c.Graph.Indices[from:end]...)
		if weighted {
			biases = append(biases, c.Graph.Biases[from:end]...)
		}
		if i == len(excluded) {
			break
		}
		from = end + 1
	}
	c.shared.vertices, c.shared.biases = vertices, biases
	return vertices, biases
}

// skip turns ascending positions that do not count the excluded ones into positions of the row.
func skip(positions, excluded []uint64) {
	skipped := 0
	for i, p := range positions {
		for skipped < len(excluded) && excluded[skipped]-uint64(skipped) <= p {
			skipped++
		}
		positions[i] = p + uint64(skipped)
	}
}

// prefetchLabor prefetches the beginning of a row.
func (c *Choices) prefetchLabor(first, degree uint64) {
	const perLine = 16 // vertices
	n := uint64(0)
	for i := uint64(0); i < degree && n < prefetchedLines; i += perLine {
		c.ahead[n] = first + i
		n++
	}
	stage.PrefetchIndices(unsafe.SliceData(c.Graph.Indices), c.ahead[:n])
	if c.Way == WeightedLabor {
		stage.PrefetchIndices(unsafe.SliceData(c.Graph.Biases), c.ahead[:n])
	}
}
