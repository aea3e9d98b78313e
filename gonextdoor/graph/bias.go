package graph

import (
	"math"
	"math/bits"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// Biases are a row's weights in fixed point. The unit is the power of two, 2^Scales[u], that brings the row's largest
// weight into [2^31, 2^32); a bias is the weight in units, rounded to the nearest (half to even), but
//
//   - a positive weight never becomes 0: below half a unit its bias is 1,
//   - a largest weight that would round to 2^32 has the bias 2^32-1,
//   - a zero weight has the bias 0. In a row of zeros all biases and the scale are 0.
//
// What it costs: let a row of d edges have no positive weight below 2^-32 of its largest. Then a choice by biases
// differs from one by weights, in total variation, by at most d * 2^-32. Each smaller positive weight is raised to one
// unit and adds at most 2^-31.

// unit is a row's unit: it turns weights into biases. Multiplying by a power of two is exact (but for results far
// below half a unit), and two factors are needed where 1/2^scale is no float64.
type unit struct {
	scale  int16
	factor [2]float64
}

// unitOf gives the unit of a row whose largest weight is positive.
func unitOf(largest float64) unit {
	_, e := math.Frexp(largest) // largest = f * 2^e with f in [1/2, 1)
	up := 32 - e                // from -992 to 1105
	half := min(up, 1000)
	return unit{int16(e - 32), [2]float64{math.Ldexp(1, half), math.Ldexp(1, up-half)}}
}

// bias gives a weight in units.
func (u unit) bias(weight float64) uint32 {
	x := uint64(math.RoundToEven(float64(weight*u.factor[0]) * u.factor[1]))
	if x == 0 && weight > 0 {
		return 1
	}
	return uint32(min(x, math.MaxUint32))
}

// Weight gives the weight of u's edge at a position, as its bias means it; 1 in an unweighted graph.
func (g *Graph) Weight(u uint32, position uint64) float64 {
	if g.Biases == nil {
		return 1
	}
	return math.Ldexp(float64(g.Biases[position]), int(g.Scales[u]))
}

// block is how many edges are read in one go where all of them do not fit a scratch.
const block = 4096

// weigh gives the graph its biases. read fills dst with the weights of the edges at positions lo, lo+1, ...
func (g *Graph) weigh(j *job.Job, threads int, read func(lo int, dst []float64)) (err error) {
	if g.Biases, err = offheap.Make[uint32](g.NumEdges()); err != nil {
		return err
	}
	owned(g, g.Biases)
	if g.Scales, err = offheap.Make[int16](g.NumVertices()); err != nil {
		return err
	}
	owned(g, g.Scales)
	scratch := make([][]float64, parallel.Workers(threads, g.NumVertices(), vertexChunk))
	return parallel.ForWorker(j, threads, g.NumVertices(), vertexChunk, func(worker, lo, hi int) error {
		if scratch[worker] == nil {
			scratch[worker] = make([]float64, block)
		}
		for u := lo; u < hi; {
			end, err := g.weighRows(u, hi, scratch[worker], read)
			if err != nil {
				return err
			}
			u = end
		}
		return nil
	})
}

// vertexChunk is how many rows a thread takes at a time.
const vertexChunk = 1 << 12

// weighRows weighs row u, and those after it below hi whose weights fit the scratch with it; it gives the first row
// that is left.
func (g *Graph) weighRows(u, hi int, scratch []float64, read func(lo int, dst []float64)) (int, error) {
	first := int(g.Indptr[u])
	if int(g.Indptr[u+1])-first > len(scratch) {
		return u + 1, g.weighLong(u, scratch, read)
	}
	end := u + 1
	for end < hi && int(g.Indptr[end+1])-first <= len(scratch) {
		end++
	}
	read(first, scratch[:int(g.Indptr[end])-first])
	for ; u < end; u++ {
		lo, up := int(g.Indptr[u]), int(g.Indptr[u+1])
		weights := scratch[lo-first : up-first]
		largest, sum := extent(weights)
		if err := checkSum(u, sum); err != nil {
			return end, err
		}
		var fits bool
		if g.Scales[u], fits = fix(largest, weights, g.Biases[lo:up]); !fits {
			return end, refuseChange("weights")
		}
	}
	return end, nil
}

// weighLong weighs one row that does not fit the scratch, reading it twice.
func (g *Graph) weighLong(u int, scratch []float64, read func(lo int, dst []float64)) error {
	first, end := int(g.Indptr[u]), int(g.Indptr[u+1])
	var largest, sum float64
	for lo := first; lo < end; lo += len(scratch) {
		weights := scratch[:min(len(scratch), end-lo)]
		read(lo, weights)
		l, s := extent(weights)
		largest, sum = max(largest, l), sum+s
	}
	if err := checkSum(u, sum); err != nil {
		return err
	}
	for lo := first; lo < end; lo += len(scratch) {
		weights := scratch[:min(len(scratch), end-lo)]
		read(lo, weights)
		var fits bool
		if g.Scales[u], fits = fix(largest, weights, g.Biases[lo:lo+len(weights)]); !fits {
			return refuseChange("weights")
		}
	}
	return nil
}

func extent(weights []float64) (largest, sum float64) {
	for _, w := range weights {
		largest, sum = max(largest, w), sum+w
	}
	return largest, sum
}

func checkSum(u int, sum float64) error {
	if math.IsInf(sum, 1) {
		return refuse.Value("weights: those of vertex %d have a sum beyond %g, which exceeds the fixed point", u, math.MaxFloat64)
	}
	return nil
}

// fix turns weights of a row into biases, and gives the row's scale. Weights that do not fit, since they are not from 0
// to the largest, were written to after they were checked.
func fix(largest float64, weights []float64, biases []uint32) (scale int16, fits bool) {
	if largest == 0 { // off-heap arrays begin as zeros
		for _, w := range weights {
			if w != 0 {
				return 0, false
			}
		}
		return 0, true
	}
	u := unitOf(largest)
	for i, w := range weights {
		if !(w >= 0 && w <= largest) {
			return 0, false
		}
		biases[i] = u.bias(w)
	}
	return u.scale, true
}

// bitsFor gives how many bits write numbers below n.
func bitsFor(n int) uint { return uint(bits.Len64(uint64(max(n, 1) - 1))) }
