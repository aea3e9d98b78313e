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

// labor is the state of choices by the numbers of end points, which all transits of a hop share (LABOR).
type labor struct {
	stream   rng.Stream // of the numbers
	noAVX512 bool
	laborScratch
}

// laborScratch is scratch memory.
type laborScratch struct {
	highs, places    []uint32 // of the listed candidates: the high halves of their numbers, and their places in the row
	vertices         []uint32 // end points of the edges that are not excluded
	biases           []uint32 // their biases
	words, positions []uint64 // of the listed candidates of a weighted choice: their numbers and positions
	listed           []uint32 // their biases
}

const (
	// laborBlock is the number of vertices whose numbers are computed together.
	laborBlock = 1024
	// sampledBiases is the number of biases from which the sum of a longer row is estimated, in sampledRuns runs.
	sampledBiases = 256
	sampledRuns   = 4
	// prefetchedLines is the number of cache lines of a row that are prefetched. The CPU prefetches the rest of a longer row.
	prefetchedLines = 16
)

// SetLabor prepares choices by the numbers that the end points of edges have in a stream. Poisson sampling takes as many edges
// as have a small number, and ignores weights.
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

// takeSmallest writes the places, counted from first, of the k vertices with the smallest numbers, if there are more than k.
// It lists the numbers below a limit that slightly more than k of them are expected to pass, and raises the limit until k
// pass. The high halves decide: equal ones are of one vertex.
func (c *Choices) takeSmallest(k, first uint64, vertices []uint32, dst []uint64) int {
	most := uint64(len(vertices))
	for expected := slightlyMore(k); ; expected *= 2 {
		n := c.listSmall(uint32(selector.PoissonLimit(min(expected, most), most)>>32), vertices)
		if uint64(n) < k {
			continue
		}
		s := &c.shared
		if stage.Least(int(k), s.highs[:n], s.places, first, dst, !s.noAVX512) {
			return int(k)
		}
		return selector.SmallestAt(k, s.highs[:n], s.places[:n], first, dst)
	}
}

// takeRatios writes the places, counted from first, of the k vertices with the smallest ratios of number and bias. It lists
// those whose ratio is below a limit that slightly more than k are expected to pass, and raises the limit if fewer pass. If a
// few biases have most of the sum, that does not help, and it lists all.
func (c *Choices) takeRatios(k, first uint64, vertices, biases []uint32, dst []uint64) int {
	const tries = 4
	sum, expected := biasSum(biases), slightlyMore(k)
	for try := 1; ; try++ {
		last := try == tries || uint64(len(biases)) <= k
		if last {
			expected = sum
		}
		factor, shift := selector.RatioLimit(expected, sum)
		n := c.listRatios(factor, shift, first, vertices, biases)
		if uint64(n) >= k || last {
			s := &c.shared
			if k = min(k, uint64(n)); k == 0 {
				return 0
			}
			return selector.SmallestRatiosAt(k, s.words[:n], s.listed[:n], s.positions[:n], dst, &c.Scratch)
		}
		expected *= max(2, slightlyMore(k)/uint64(n+1))
	}
}

// biasSum returns the sum of some biases, estimated if there are many.
func biasSum(biases []uint32) (sum uint64) {
	n := len(biases)
	if n <= sampledBiases {
		for _, b := range biases {
			sum += uint64(b)
		}
		return sum
	}
	for i := range sampledRuns {
		for _, b := range biases[i*n/sampledRuns:][:sampledBiases/sampledRuns] {
			sum += uint64(b)
		}
	}
	return uint64(float64(sum) * (float64(n) / sampledBiases))
}

// listSmall lists the vertices of which the high half of the number is at most the limit, and returns their number.
func (c *Choices) listSmall(limit uint32, vertices []uint32) (n int) {
	s := &c.shared
	for done := 0; done < len(vertices); done += laborBlock {
		block := vertices[done:min(done+laborBlock, len(vertices))]
		s.reserve(n + len(block))
		n += stage.SmallNumbers(s.stream, block, limit, uint32(done), s.highs[n:], s.places[n:], !s.noAVX512)
	}
	return n
}

// listRatios lists the vertices whose ratio of number and bias is below factor * 2^shift, with their numbers, biases, and
// positions counted from first. It returns how many there are.
func (c *Choices) listRatios(factor uint32, shift uint, first uint64, vertices, biases []uint32) (n int) {
	s := &c.shared
	// 1. By the high halves of the numbers.
	limit := stage.RatioLimit{Factor: uint64(factor), Shift: uint64(shift)}
	for done := 0; done < len(vertices); done += laborBlock {
		end := min(done+laborBlock, len(vertices))
		s.reserve(n + end - done)
		n += stage.SmallRatios(s.stream, vertices[done:end], biases[done:end], limit, uint32(done), s.places[n:], !s.noAVX512)
	}
	// 2. By the numbers.
	s.words, s.positions, s.listed = s.words[:0], s.positions[:0], s.listed[:0]
	for _, p := range s.places[:n] {
		if word := s.stream.Number(vertices[p]); word>>shift < uint64(factor)*uint64(biases[p]) {
			s.words, s.positions, s.listed = append(s.words, word), append(s.positions, first+uint64(p)), append(s.listed, biases[p])
		}
	}
	return len(s.words)
}

// reserve makes highs and places long enough for n vertices, and for stage.Least.
func (s *laborScratch) reserve(n int) {
	if short := n + max(stage.SmallSlack, stage.LeastMost) - len(s.highs); short > 0 {
		s.highs = slices.Grow(s.highs, short)[:len(s.highs)+short]
		s.places = slices.Grow(s.places, short)[:len(s.places)+short]
	}
}

// Poisson returns the positions that LaborPoisson chooses in a row, in scratch memory that the next choice overwrites.
// excluded holds the positions of the row that are not candidates.
func (c *Choices) Poisson(fanout, first, degree uint64, excluded []uint64) []uint64 {
	s, vertices := &c.shared, c.row(first, degree)
	if len(excluded) > 0 {
		vertices, _ = c.without(first, degree, excluded)
	}
	limit := selector.PoissonLimit(fanout, uint64(len(vertices)))
	n := c.listSmall(uint32(limit>>32), vertices)
	s.positions = s.positions[:0]
	for i, p := range s.places[:n] {
		if s.highs[i] < uint32(limit>>32) || s.stream.Number(vertices[p]) <= limit {
			s.positions = append(s.positions, first+uint64(p))
		}
	}
	skip(s.positions, excluded)
	return s.positions
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
