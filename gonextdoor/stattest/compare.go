package stattest

import (
	"fmt"
	"math"
)

// Law gives every outcome that can be its probability.
type Law map[string]float64

// Sum gives the sum of all probabilities: 1, but for rounding.
func (l Law) Sum() float64 {
	sum := 0.0
	for _, p := range l {
		sum += p
	}
	return sum
}

// Uniform is the law of n equally likely outcomes, named by name.
func Uniform(n int, name func(i int) string) Law {
	l := make(Law, n)
	for i := range n {
		l[name(i)] = 1 / float64(n)
	}
	return l
}

// Compare draws n outcomes and compares them with the law. draw appends outcome i to out.
func Compare(l Law, n int, draw func(i int, out []byte) []byte) Result {
	if s := l.Sum(); math.Abs(s-1) > 1e-9 {
		panic(fmt.Sprintf("stattest: the probabilities of a law sum to %v", s))
	}
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
