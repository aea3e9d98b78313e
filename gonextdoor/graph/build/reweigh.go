package build

import (
	"math"

	"gonextdoor/gonextdoor/graph"
)

// weigh sets the biases and the scale of a changed row of the result, whose pieces these are. The biases of the edges that it
// keeps have been copied; they change if the row gets another unit. It is FixedPoint of the weights, without conversions in
// a row that keeps its unit.
func (m *merge) weigh(u uint32, pieces []piece) error {
	first, end := m.to.Row(u)
	biases, scale := m.to.Biases[first:end], 0
	if int(u) < m.from.NumVertices() {
		scale = int(m.from.Scales[u])
	}
	largest, err := m.largestWeight(biases, scale, pieces)
	if err != nil {
		return err
	}
	if m.to.Scales[u] = 0; largest == 0 { // the biases are zeros
		return nil
	}
	unit := graph.UnitOf(largest)
	if err := m.checkSumOf(u, unit, biases, scale, pieces); err != nil {
		return err
	}
	m.to.Scales[u] = unit.Scale
	at := uint64(0)
	for _, p := range pieces {
		part := biases[at : at+p.n]
		at += p.n
		if p.added {
			for i, w := range m.weights[p.from:][:p.n] {
				part[i] = unit.Bias(w)
			}
		} else if int(unit.Scale) != scale {
			for i, b := range part {
				part[i] = unit.Bias(math.Ldexp(float64(b), scale))
			}
		}
	}
	return nil
}

// fullBias is the least bias that only the largest weights of a row have: those that determine its unit.
const fullBias = 1 << 31

// largestWeight returns a weight that determines the unit of a row: the largest of the edges that are added and of those that
// are kept, or one of the latter with the same unit.
func (m *merge) largestWeight(biases []uint32, scale int, pieces []piece) (float64, error) {
	largest, kept, at := 0.0, uint32(0), uint64(0)
	for _, p := range pieces {
		part := biases[at : at+p.n]
		at += p.n
		if p.added {
			for _, w := range m.weights[p.from:][:p.n] {
				if !(w >= 0) || math.IsInf(w, 1) {
					return 0, refuseChange("weights")
				}
				largest = max(largest, w)
			}
			continue
		}
		for i := 0; i < len(part) && kept < fullBias; i++ {
			kept = max(kept, part[i])
		}
	}
	return max(largest, math.Ldexp(float64(kept), scale)), nil
}

// checkSumOf rejects a row of an infinite sum of weights. It adds them up only if a bound of the sum is infinite.
func (m *merge) checkSumOf(u uint32, unit graph.Unit, biases []uint32, scale int, pieces []piece) error {
	if !math.IsInf(math.Ldexp(float64(len(biases))*(1<<32), int(unit.Scale)), 1) {
		return nil
	}
	sum, at := 0.0, uint64(0)
	for _, p := range pieces {
		part := biases[at : at+p.n]
		at += p.n
		if p.added {
			for _, w := range m.weights[p.from:][:p.n] {
				sum += w
			}
			continue
		}
		for _, b := range part {
			sum += math.Ldexp(float64(b), scale)
		}
	}
	return checkSum(int(u), sum)
}
