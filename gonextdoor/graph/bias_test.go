package graph

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// adversarial gives rows of weights that a fixed point may stumble over.
func adversarial() map[string][]float64 {
	r := rand.New(rand.NewPCG(21, 22))
	rows := map[string][]float64{
		"one":                     {3},
		"equal":                   {1, 1, 1, 1},
		"zeros":                   {0, 0, 0},
		"a zero":                  {0, 5, 0},
		"rounds to 2^32":          {math.Nextafter(2, 1), 1, math.Nextafter(1, 0), 1e-5},
		"halves":                  {1 << 31, 0.5, 1.5, 2.5, 3.5},
		"least":                   {1, 0x1p-32, math.Nextafter(0x1p-32, 0)},
		"subnormal":               {5e-324, 1e-323, 0},
		"subnormal, one":          {5e-324},
		"between subnormal":       {0x1p-1022, math.Nextafter(0x1p-1022, 0), 5e-324},
		"huge":                    {1.7e308, 1, 5e-324, 0},
		"huge, alone":             {math.MaxFloat64},
		"all magnitudes":          {1e308, 1e200, 1e100, 1, 1e-100, 1e-200, 1e-300, 5e-324},
		"many small beside large": append([]float64{1e12}, make([]float64, 999)...),
	}
	for i := range rows["many small beside large"][1:] {
		rows["many small beside large"][1+i] = 1
	}
	for range 200 { // weights over 12 orders of magnitude
		row := make([]float64, 1+r.IntN(300))
		for i := range row {
			row[i] = math.Pow(10, 12*r.Float64()-6)
		}
		rows["random "+string(rune(len(rows)))] = row
	}
	return rows
}

// TestBiasesAreWeightsInUnits compares every bias with exact arithmetic.
func TestBiasesAreWeightsInUnits(t *testing.T) {
	for name, weights := range adversarial() {
		g := star(t, weights)
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

// exactBias rounds weight/unit half to even in exact arithmetic, within what a bias may be.
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

// TestBiasBound holds the total variation to what bias.go promises: d * 2^-32, and 2^-31 for each weight that was raised.
func TestBiasBound(t *testing.T) {
	worst := 0.0
	for name, weights := range adversarial() {
		g := star(t, weights)
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

// star gives a graph whose vertex 0 has edges to itself with weights.
func star(t testing.TB, weights []float64) *Graph {
	t.Helper()
	g, err := FromCSR(CSR{
		Indptr: ArrayOf([]int64{0, int64(len(weights))}), Indices: ArrayOf(make([]uint8, len(weights))),
		Weights: ArrayOf(weights), NumVertices: Unknown,
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestLongRowsAreWeighedAlike compares rows beyond the scratch, which are read twice, with the rule.
func TestLongRowsAreWeighedAlike(t *testing.T) {
	weights := make([]float64, 3*block+7)
	for i := range weights {
		weights[i] = float64(i)
	}
	g := star(t, weights)
	defer g.Close()
	u := unitOf(float64(len(weights) - 1))
	for i, w := range weights {
		if g.Biases[i] != u.bias(w) || g.Weight(0, uint64(i)) != w {
			t.Fatalf("weight %v: bias %d, taken for %v", w, g.Biases[i], g.Weight(0, uint64(i)))
		}
	}
}
