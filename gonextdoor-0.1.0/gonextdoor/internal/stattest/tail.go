package stattest

import "math"

var log10Alpha = math.Log10(Alpha)

// logTail returns an upper bound of the logarithm of the probability that G/2 of ideal draws is at least t. It holds for any
// number of draws:
//
//	P(G/2 >= t) <= (t/m)^m * e^(m-t),  m = cells-1
//
// since the moment generating function of G/2 is no more than that of a gamma variable of shape m (Agrawal,
// "Finite-sample concentration of the multinomial in relative entropy", IEEE Trans. Inf. Theory 2020).
func logTail(t float64, cells int) float64 {
	m := float64(cells - 1)
	switch {
	case t <= m:
		return 0
	case m == 0:
		return -t
	}
	return m*math.Log(t/m) + m - t
}

// critical returns the smallest G/2 whose bound is at most Alpha.
func critical(cells int) float64 {
	low, high := float64(cells-1), 10*float64(cells)-20*math.Log(Alpha)
	for range 100 {
		middle := (low + high) / 2
		if logTail(middle, cells) > math.Log(Alpha) {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// Power is the probability with which a test detects a deviation of size Detects.
const Power = 0.999

// Detects returns the smallest total variation distance that a test with n draws and the given number of cells detects with
// probability Power, for any wrong distribution:
//
//	sqrt(critical/2n) + sqrt(cells-1)/(2 sqrt(n)) + sqrt(ln(1/(1-Power))/2n)
//
// The first term is Pinsker's inequality: beyond it G is critical. The second bounds the expected distance of the counts
// from the distribution that they are drawn from, the third its excess (McDiarmid).
func Detects(n, cells int) float64 {
	d := math.Sqrt(critical(cells)/2) + math.Sqrt(float64(cells-1))/2 + math.Sqrt(-math.Log(1-Power)/2)
	return min(1, d/math.Sqrt(float64(n)))
}
