package build

import (
	"math"
	"math/bits"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// block is the number of edges that are read at a time.
const block = 4096

// weigh computes the biases of a graph, which owns them. read fills dst with the weights of the edges at positions lo, lo+1,
// ...
func weigh(g *graph.Graph, j *job.Job, threads int, read func(lo int, dst []float64)) (err error) {
	if g.Biases, err = offheap.Make[uint32](g.NumEdges()); err != nil {
		return err
	}
	graph.Own(g, g.Biases)
	if g.Scales, err = offheap.Make[int16](g.NumVertices()); err != nil {
		return err
	}
	graph.Own(g, g.Scales)
	scratch := make([][]float64, parallel.Workers(threads, g.NumVertices(), graph.VertexChunk))
	return parallel.ForWorker(j, threads, g.NumVertices(), graph.VertexChunk, func(worker, lo, hi int) error {
		if scratch[worker] == nil {
			scratch[worker] = make([]float64, block)
		}
		for u := lo; u < hi; {
			end, err := weighRows(g, u, hi, scratch[worker], read)
			if err != nil {
				return err
			}
			u = end
		}
		return nil
	})
}

// weighRows sets the biases of row u and of the rows after it, below hi, whose weights fit in scratch together. It returns the
// next row.
func weighRows(g *graph.Graph, u, hi int, scratch []float64, read func(lo int, dst []float64)) (int, error) {
	first := int(g.Indptr[u])
	if int(g.Indptr[u+1])-first > len(scratch) {
		return u + 1, weighLong(g, u, scratch, read)
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
		if g.Scales[u], fits = graph.FixedPoint(largest, weights, g.Biases[lo:up]); !fits {
			return end, refuseChange("weights")
		}
	}
	return end, nil
}

// weighLong sets the biases of a row that does not fit in scratch. It reads the row twice.
func weighLong(g *graph.Graph, u int, scratch []float64, read func(lo int, dst []float64)) error {
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
		if g.Scales[u], fits = graph.FixedPoint(largest, weights, g.Biases[lo:lo+len(weights)]); !fits {
			return refuseChange("weights")
		}
	}
	return nil
}

// extent returns the largest weight and the sum.
func extent(weights []float64) (largest, sum float64) {
	for _, w := range weights {
		largest, sum = max(largest, w), sum+w
	}
	return largest, sum
}

// checkSum rejects an infinite sum of weights.
func checkSum(u int, sum float64) error {
	if math.IsInf(sum, 1) {
		return refuse.Value("weights: the sum of the weights of vertex %d exceeds %g", u, math.MaxFloat64)
	}
	return nil
}

// bitsFor returns the number of bits that represent all numbers below n.
func bitsFor(n int) uint { return uint(bits.Len64(uint64(max(n, 1) - 1))) }
