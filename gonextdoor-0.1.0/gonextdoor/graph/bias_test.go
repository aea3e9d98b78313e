package graph_test

import (
	"math"
	"math/big"
	"testing"

	"gonextdoor/gonextdoor/graph/graphtest"
)

// TestBiasesAreWeightsInUnits compares every bias with exact arithmetic.
func TestBiasesAreWeightsInUnits(t *testing.T) {
	for name, weights := range graphtest.HardWeights() {
		g := graphtest.Loops(t, weights)
		largest := 0.0
		for _, w := range weights {
			largest = max(largest, w)
		}
		unit := new(big.Rat)
		if e := int(g.Scales[0]); e >= 0 {
			unit.SetInt(new(big.Int).Lsh(big.NewInt(1), uint(e)))
		} else {
			unit.SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(-e)))
		}
		if largest > 0 {
			top := new(big.Rat).Quo(new(big.Rat).SetFloat64(largest), unit)
			if top.Cmp(big.NewRat(1<<31, 1)) < 0 || top.Cmp(big.NewRat(1<<32, 1)) >= 0 {
				t.Errorf("%s: the largest weight is %v units", name, top.FloatString(1))
			}
		}
		for i, w := range weights {
			if want := exactBias(w, unit); g.Biases[i] != want {
				t.Errorf("%s: weight %g has bias %d, expected %d", name, w, g.Biases[i], want)
			}
			if w == 0 && g.Weight(0, uint64(i)) != 0 || w > 0 && g.Weight(0, uint64(i)) == 0 && g.Scales[0] > -1074 {
				t.Errorf("%s: weight %g is taken for %g", name, w, g.Weight(0, uint64(i)))
			}
		}
		g.Close()
	}
}

// exactBias rounds weight/unit half to even in exact arithmetic, and clamps it to the range of biases.
func exactBias(weight float64, unit *big.Rat) uint32 {
	if weight == 0 {
		return 0
	}
	x := new(big.Rat).Quo(new(big.Rat).SetFloat64(weight), unit)
	floor := new(big.Int).Quo(x.Num(), x.Denom())
	rest := new(big.Rat).Sub(x, new(big.Rat).SetInt(floor))
	if c := rest.Cmp(big.NewRat(1, 2)); c > 0 || c == 0 && floor.Bit(0) == 1 {
		floor.Add(floor, big.NewInt(1))
	}
	return uint32(min(max(floor.Uint64(), 1), math.MaxUint32))
}

// TestBiasBound checks the bound of the total variation in bias.go: d * 2^-32, plus 2^-31 for each weight that was raised.
func TestBiasBound(t *testing.T) {
	worst := 0.0
	for name, weights := range graphtest.HardWeights() {
		g := graphtest.Loops(t, weights)
		sum, biases, largest := new(big.Rat), int64(0), 0.0
		for i, w := range weights {
			sum.Add(sum, new(big.Rat).SetFloat64(w))
			biases += int64(g.Biases[i])
			largest = max(largest, w)
		}
		if largest == 0 {
			g.Close()
			continue
		}
		variation, bound := new(big.Rat), new(big.Rat)
		for i, w := range weights {
			p := new(big.Rat).Quo(new(big.Rat).SetFloat64(w), sum)
			p.Sub(p, big.NewRat(int64(g.Biases[i]), biases))
			variation.Add(variation, p.Abs(p))
			if bound.Add(bound, big.NewRat(1, 1<<32)); w > 0 && w < largest*0x1p-32 {
				bound.Add(bound, big.NewRat(1, 1<<31))
			}
		}
		variation.Quo(variation, big.NewRat(2, 1))
		ratio, _ := new(big.Rat).Quo(variation, bound).Float64()
		if worst = max(worst, ratio); ratio > 1 {
			t.Errorf("%s: total variation is %g of its bound", name, ratio)
		}
		g.Close()
	}
	t.Logf("the worst row uses %.3f of its bound", worst)
	if worst < 0.05 {
		t.Error("no row comes near the bound: the test shows nothing")
	}
}

// TestLongRowsAreWeighedAlike compares the biases of a row beyond the builder's buffer, which is read in pieces, with exact
// arithmetic.
func TestLongRowsAreWeighedAlike(t *testing.T) {
	weights := make([]float64, 3*4096+7)
	for i := range weights {
		weights[i] = float64(i)
	}
	g := graphtest.Loops(t, weights)
	defer g.Close()
	unit := new(big.Rat).SetFloat64(math.Ldexp(1, int(g.Scales[0])))
	if top := g.Biases[len(weights)-1]; top < 1<<31 {
		t.Fatalf("the largest weight has bias %d", top)
	}
	for i, w := range weights {
		if g.Biases[i] != exactBias(w, unit) || g.Weight(0, uint64(i)) != w {
			t.Fatalf("weight %v: bias %d, taken for %v", w, g.Biases[i], g.Weight(0, uint64(i)))
		}
	}
}
