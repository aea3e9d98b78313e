package file

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unsafe"
)

const (
	faultNoNumber = "the weight is not a number; weight=False reads the edges without weights"
	faultTooSmall = "the weight is not 0, but too small for a float64: weights below 4.9e-324 are not kept; scale them"
	faultNegative = "a weight must be finite and not negative; weight=False reads the edges without weights"
)

// number parses a weight, or returns why it is not one. Decimals of up to 16 characters take a fast path; all others are
// parsed by strconv.
func number(field []byte) (float64, string) {
	if v, n := decimal(field); n == len(field) && n > 0 {
		return v, ""
	}
	v, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(field), len(field)), 64)
	switch {
	case err != nil && !math.IsInf(v, 0):
		return 0, faultNoNumber
	case !(v >= 0) || math.IsInf(v, 0):
		return 0, faultNegative
	case v == 0 && !zero(field):
		return 0, faultTooSmall
	}
	return math.Abs(v), "" // turns -0 into 0
}

// zero reports whether all digits of the mantissa are 0, so that a result of 0 is exact and not an underflow.
func zero(field []byte) bool {
	text := strings.ToLower(string(field))
	if _, hexadecimal, found := strings.Cut(text, "0x"); found { // for example 0x0.8p-2000
		mantissa, _, _ := strings.Cut(hexadecimal, "p")
		return !strings.ContainsAny(mantissa, "123456789abcdef")
	}
	mantissa, _, _ := strings.Cut(text, "e")
	return !strings.ContainsAny(mantissa, "123456789")
}

var tens = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16}

// decimal parses digits with at most one point from the beginning of b, and returns the number and its length in bytes. The
// length is 0 if there is no digit or the digits are too many for an exact result.
//
// A mantissa below 2^53 and the powers of ten up to 10^22 are exact float64 values, so one division rounds correctly.
func decimal(b []byte) (float64, int) {
	var mantissa uint64
	point, i := -1, 0
	for ; i < len(b) && i < 17; i++ {
		c := b[i]
		if d := uint64(c - '0'); d <= 9 {
			mantissa = mantissa*10 + d
		} else if c == '.' && point < 0 {
			point = i
		} else {
			break
		}
	}
	digits := i
	if point >= 0 {
		digits--
	}
	if digits == 0 || i == 17 || mantissa >= 1<<53 {
		return 0, 0
	}
	if point < 0 {
		return float64(mantissa), i
	}
	return float64(mantissa) / tens[i-point-1], i
}

// integer parses an id, or returns why it is not one.
func integer(field []byte) (int64, string) {
	v, err := strconv.ParseInt(unsafe.String(unsafe.SliceData(field), len(field)), 10, 64)
	if err == nil {
		return v, ""
	}
	if err.(*strconv.NumError).Err == strconv.ErrRange {
		return 0, fmt.Sprintf("the id %s does not fit in 64 bits", shortened(field))
	}
	return 0, fmt.Sprintf("%q is not an integer, but the ids of the first edge are", shortened(field))
}

// digits parses the digits at the beginning of eight bytes of text, little-endian, and returns their value and number. It has
// no branches.
func digits(eight uint64) (uint64, int) {
	w := eight ^ 0x3030303030303030
	others := (w + 0x7676767676767676 | w) & 0x8080808080808080 // the high bit of the first byte that is not a digit is exact
	n := bits.TrailingZeros64(others) >> 3
	return eightDigits(w << ((8 - n) * 8 & 63)), n
}

// eightDigits returns the number whose decimal digits are the bytes of w, most significant digit in the lowest byte. It
// combines digits into pairs, and the four pairs in one step.
func eightDigits(w uint64) uint64 {
	w = w*10 + w>>8
	return ((w&0x000000ff000000ff)*0x000f424000000064 + (w>>16&0x000000ff000000ff)*0x0000271000000001) >> 32
}

// moreDigits parses up to two digits after the eight that gave v, which covers 32-bit ids. It returns 0, 0 if there are more.
func moreDigits(text []byte, v uint64) (uint64, int) {
	for n := 8; n <= 10; n++ {
		d := uint64(text[n] - '0')
		if d > 9 {
			return v, n
		}
		v = v*10 + d
	}
	return 0, 0
}
