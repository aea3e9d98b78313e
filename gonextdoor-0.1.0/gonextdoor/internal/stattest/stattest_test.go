package stattest

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func drawer(r *rand.Rand, l []float64) func(int, []byte) []byte {
	return func(_ int, out []byte) []byte {
		u := r.Float64()
		for i, p := range l {
			if u < p || i == len(l)-1 {
				return strconv.AppendInt(out, int64(i), 10)
			}
			u -= p
		}
		panic("no outcome")
	}
}

func distribution(p []float64) Distribution {
	l := Distribution{}
	for i, x := range p {
		l[strconv.Itoa(i)] = x
	}
	return l
}

// The bound is compared with the exact tail of a binomial distribution, at every value of G.
func TestTailBoundsTheExactOne(t *testing.T) {
	const n, p = 30, 0.2
	g := func(k int) float64 {
		s := 0.0
		for _, c := range []struct{ o, e float64 }{{float64(k), n * p}, {float64(n - k), n * (1 - p)}} {
			if c.o > 0 {
				s += c.o * math.Log(c.o/c.e)
			}
		}
		return s
	}
	mass := func(k int) float64 {
		a, _ := math.Lgamma(n + 1)
		b, _ := math.Lgamma(float64(k) + 1)
		c, _ := math.Lgamma(float64(n-k) + 1)
		return math.Exp(a - b - c + float64(k)*math.Log(p) + float64(n-k)*math.Log(1-p))
	}
	for k := range n + 1 {
		exact := 0.0
		for j := range n + 1 {
			if g(j) >= g(k)-1e-12 {
				exact += mass(j)
			}
		}
		if bound := math.Exp(logTail(g(k), 2)); bound < exact*(1-1e-12) {
			t.Errorf("k = %d: bound %g below the exact tail %g", k, bound, exact)
		}
	}
}

func TestCriticalMeetsAlpha(t *testing.T) {
	for _, cells := range []int{1, 2, 10, 500, 20000} {
		if got := logTail(critical(cells), cells); math.Abs(got-math.Log(Alpha)) > 1e-6 {
			t.Errorf("%d cells: log tail at the critical value = %g, want %g", cells, got, math.Log(Alpha))
		}
	}
}

// The p-values of a correct sampler must not be too small: at level 0.05, at most 5 % of runs fail (the bound is not tight).
func TestCorrectDistributionPasses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	p := []float64{0.5, 0.3, 0.1, 0.07, 0.03}
	low := 0
	for range 1000 {
		res := Compare(distribution(p), 300, drawer(r, p))
		if res.Failed() {
			t.Fatal(res)
		}
		if res.Log10P < math.Log10(0.05) {
			low++
		}
	}
	if low > 80 {
		t.Errorf("%d of 1000 p-values below 0.05", low)
	}
}

// A distribution at the distance Detects must fail with probability Power.
func TestDetectsWhatItSays(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const n, cells = 5000, 20
	d := Detects(n, cells)
	right, wrong := make([]float64, cells), make([]float64, cells)
	for i := range cells {
		right[i], wrong[i] = 1.0/cells, 1.0/cells+d*2/cells*float64(1-2*(i%2))
	}
	missed := 0
	for range 300 {
		if !Compare(distribution(right), n, drawer(r, wrong)).Failed() {
			missed++
		}
	}
	if missed > 3 {
		t.Errorf("missed %d of 300 distributions at distance %.4f", missed, d)
	}
}

func TestImpossibleOutcomeFails(t *testing.T) {
	for _, l := range []Distribution{{"a": 1}, {"a": 1, "b": 0}} {
		r := Compare(l, 10, func(i int, out []byte) []byte { return append(out, "ab"[i/9]) })
		if !r.Failed() || r.Impossible != "b" || r.Draws != 10 {
			t.Errorf("distribution %v: got %v", l, r)
		}
	}
}

func TestPoolKeepsAllDraws(t *testing.T) {
	l := Distribution{"a": 0.9, "b": 0.05, "c": 0.03, "d": 0.0199, "e": 0.0001}
	counts := map[string]*int{}
	for o := range l {
		counts[o] = new(int)
	}
	*counts["a"], *counts["e"], *counts["d"] = 90, 3, 7
	total, expected := 0, 0.0
	for _, c := range pool(l, counts, 100) {
		total += c.count
		expected += c.expected
		if c.expected < leastExpected {
			t.Errorf("a cell expects only %g", c.expected)
		}
	}
	if total != 100 || math.Abs(expected-100) > 1e-9 {
		t.Errorf("pooled %d draws, expected %g", total, expected)
	}
}
