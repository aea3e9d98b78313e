package stattest

import (
	"fmt"
	"math"
)

// Distribution maps every possible outcome to its probability.
type Distribution map[string]float64

// Sum returns the sum of all probabilities, which is 1 except for rounding.
func (l Distribution) Sum() float64 {
	sum := 0.0
	for _, p := range l {
		sum += p
	}
	return sum
}

// Uniform returns the distribution of n equally likely outcomes. name returns the name of outcome i.
func Uniform(n int, name func(i int) string) Distribution {
	l := make(Distribution, n)
	for i := range n {
		l[name(i)] = 1 / float64(n)
	}
	return l
}

// Compare draws n outcomes and compares them with l. draw appends outcome i to out. It panics if the probabilities do not
// sum to 1. An outcome of probability 0 ends it at once.
func Compare(l Distribution, n int, draw func(i int, out []byte) []byte) Result {
	if s := l.Sum(); math.Abs(s-1) > 1e-9 {
		panic(fmt.Sprintf("stattest: the probabilities of a distribution sum to %v", s))
	}
	// 1. Count the outcomes.
	counts := make(map[string]*int, len(l))
	for outcome, p := range l {
		if p > 0 {
			counts[outcome] = new(int)
		}
	}
	var out []byte
	for i := range n {
		out = draw(i, out[:0])
		c := counts[string(out)]
		if c == nil {
			return Result{Draws: i + 1, Impossible: string(out)}
		}
		*c++
	}
	// 2. Pool rare outcomes, and compute the G statistic and the total variation distance.
	cells := pool(l, counts, n)
	r := Result{Draws: n, Cells: len(cells)}
	for _, c := range cells {
		if c.count > 0 {
			r.G += 2 * float64(c.count) * math.Log(float64(c.count)/c.expected)
		}
		r.Distance += math.Abs(float64(c.count)-c.expected) / float64(2*n)
	}
	r.Log10P = logTail(r.G/2, len(cells)) / math.Ln10
	r.Detects = Detects(n, len(cells))
	return r
}
