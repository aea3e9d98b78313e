package stage

import (
	"unsafe"

	"gonextdoor/gonextdoor/rng"
)

const (
	high1 = rng.High1
	high2 = rng.High2
	high3 = rng.High3
)

// The multipliers of rng.Stream.High, for the assembly.
var _ = [...]uint32{high1, high2, high3}

// SmallSlack is the number of elements that lists need in addition to the number of vertices.
const SmallSlack = 16

// SmallNumbers finds the vertices of which the high half of the number in a stream is at most a limit. It writes these halves,
// and their places counted from first, and returns their number. highs and places need as many elements as there are
// vertices, and SmallSlack. It is
//
//	for i, u := range vertices { if stream.High(u) <= limit { highs[n], places[n] = stream.High(u), first + i; n++ } }
func SmallNumbers(stream rng.Stream, vertices []uint32, limit, first uint32, highs, places []uint32, avx512 bool) int {
	h, p := unsafe.SliceData(highs), unsafe.SliceData(places)
	if avx512 && hasAVX512 {
		return smallNumbersAVX512(uint64(stream), vertices, limit, first, h, p)
	}
	n := uint64(0)
	for i, u := range vertices { // without a branch: which numbers are small is unpredictable
		high := stream.High(u)
		*at(h, n), *at(p, n) = high, first+uint32(i)
		if high <= limit {
			n++
		}
	}
	return int(n)
}

// RatioLimit is a limit on ratios of number and bias: Factor * 2^Shift, with Factor below 2^32.
type RatioLimit struct{ Factor, Shift uint64 }

// SmallRatios finds the vertices whose ratio of number and bias may be below a limit, by the high half of the number. It finds
// each whose ratio is below, and few others. A vertex of bias 0 has no ratio. It writes their places, counted from first, and
// returns their number. places needs as many elements as in SmallNumbers. It is
//
//	for i, u := range vertices {
//		if stream.High(u)<<32>>limit.Shift < limit.Factor*biases[i] { places[n] = first + i; n++ }
//	}
func SmallRatios(stream rng.Stream, vertices, biases []uint32, limit RatioLimit, first uint32, places []uint32, avx512 bool) int {
	p, b := unsafe.SliceData(places), biases[:len(vertices)]
	if avx512 && hasAVX512 {
		return smallRatiosAVX512(uint64(stream), vertices, unsafe.SliceData(b), limit.Factor, limit.Shift, first, p)
	}
	n := uint64(0)
	for i, u := range vertices {
		*at(p, n) = first + uint32(i)
		if uint64(stream.High(u))<<32>>limit.Shift < limit.Factor*uint64(b[i]) {
			n++
		}
	}
	return int(n)
}

// LeastMost is the largest number of candidates of Least.
const LeastMost = 32

// Least writes first plus the places of the k smallest of the numbers to dst, in the order given, and returns true. It returns
// false if equal numbers leave the choice open, there are more than LeastMost, or the CPU does not support it. highs and
// places must have LeastMost elements past their begin.
func Least(k int, highs, places []uint32, first uint64, dst []uint64, avx512 bool) bool {
	if !avx512 || !hasAVX512 || len(highs) > LeastMost {
		return false
	}
	_, _, _ = highs[:LeastMost], places[:LeastMost], dst[:k]
	return leastAVX512(highs, uint64(k), unsafe.SliceData(places), first, unsafe.SliceData(dst)) == k
}
