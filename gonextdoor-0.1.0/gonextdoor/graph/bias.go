package graph

import "math"

// Biases are a row's weights in fixed point. The unit is the power of two, 2^Scales[u], that brings the row's largest
// weight into [2^31, 2^32); a bias is the weight in units, rounded to the nearest (half to even), but
//
//   - a positive weight never becomes 0: below half a unit its bias is 1,
//   - a largest weight that would round to 2^32 has the bias 2^32-1,
//   - a zero weight has the bias 0. In a row of zeros all biases and the scale are 0.
//
// Error: if no positive weight of a row of d edges is below 2^-32 of the largest, a choice by biases differs from one by
// weights by at most d * 2^-32 in total variation. Each smaller positive weight is raised to one unit and adds at most 2^-31.

// Unit converts the weights of a row to biases. Multiplication by a power of two is exact, except for results far below half
// a unit. It needs two factors if 1/2^scale is not a float64.
type Unit struct {
	Scale  int16
	factor [2]float64
}

// UnitOf returns the unit of a row whose largest weight is positive.
func UnitOf(largest float64) Unit {
	_, e := math.Frexp(largest) // largest = f * 2^e with f in [1/2, 1)
	up := 32 - e                // from -992 to 1105
	half := min(up, 1000)
	return Unit{int16(e - 32), [2]float64{math.Ldexp(1, half), math.Ldexp(1, up-half)}}
}

// Bias returns the bias of a weight, which is at most the largest.
func (u Unit) Bias(weight float64) uint32 {
	x := uint64(math.RoundToEven(float64(weight*u.factor[0]) * u.factor[1]))
	if x == 0 && weight > 0 {
		return 1
	}
	return uint32(min(x, math.MaxUint32))
}

// Weight returns the weight of u's edge at a position: its bias times the unit of its row, or 1 if the graph is unweighted.
func (g *Graph) Weight(u uint32, position uint64) float64 {
	if g.Biases == nil {
		return 1
	}
	return math.Ldexp(float64(g.Biases[position]), int(g.Scales[u]))
}

// FixedPoint converts the weights of a row to biases and returns the scale of the row; largest is the largest weight, and
// biases must be zeros. It returns fits = false if a weight is outside [0, largest], because the array changed after it was
// checked.
func FixedPoint(largest float64, weights []float64, biases []uint32) (scale int16, fits bool) {
	if largest == 0 { // biases are zeros already
		for _, w := range weights {
			if w != 0 {
				return 0, false
			}
		}
		return 0, true
	}
	u := UnitOf(largest)
	for i, w := range weights {
		if !(w >= 0 && w <= largest) {
			return 0, false
		}
		biases[i] = u.Bias(w)
	}
	return u.Scale, true
}
