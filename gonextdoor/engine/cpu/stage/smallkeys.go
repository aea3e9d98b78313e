package stage

import (
	"unsafe"

	"gonextdoor/gonextdoor/rng"
)

// SmallKeysSlack is the number of elements that keys and places need in addition to the number of vertices.
const SmallKeysSlack = 8

// SmallKeys finds the vertices whose key in a stream is at most a limit. It writes these keys, and their places counted from
// first, and returns their number. Keys and places need as many elements as there are vertices, and SmallKeysSlack. It is
//
//	for i, u := range vertices { if stream.Key(u) <= limit { keys[n], places[n] = stream.Key(u), first + i; n++ } }
func SmallKeys(stream rng.Stream, vertices []uint32, limit, first uint64, keys, places []uint64, avx512 bool) int {
	k, p := unsafe.SliceData(keys), unsafe.SliceData(places)
	if avx512 && hasAVX512 {
		return smallKeysAVX512(uint64(stream), vertices, limit, first, k, p)
	}
	n := uint64(0)
	for i, u := range vertices { // without a branch: which keys are small is unpredictable
		key := uint64(stream.Key(uint64(u)))
		*at(k, n), *at(p, n) = key, first+uint64(i)
		if key <= limit {
			n++
		}
	}
	return int(n)
}

// RatioLimit is a limit on ratios of key and bias: Factor * 2^Shift, with Factor below 2^32.
type RatioLimit struct{ Factor, Shift uint64 }

// SmallRatios is SmallKeys for ratios of key and bias: it finds the vertices whose ratio is below a limit. A vertex of bias 0 has
// no ratio. It is
//
//	for i, u := range vertices { if stream.Key(u)>>limit.Shift < limit.Factor*biases[i] { append, as in SmallKeys } }
func SmallRatios(
	stream rng.Stream, vertices, biases []uint32, limit RatioLimit, first uint64, keys, places []uint64, avx512 bool,
) int {
	k, p, b := unsafe.SliceData(keys), unsafe.SliceData(places), biases[:len(vertices)]
	if avx512 && hasAVX512 {
		return smallRatiosAVX512(uint64(stream), vertices, unsafe.SliceData(b), limit.Factor, limit.Shift, first, k, p)
	}
	n := uint64(0)
	for i, u := range vertices {
		key := uint64(stream.Key(uint64(u)))
		*at(k, n), *at(p, n) = key, first+uint64(i)
		if key>>limit.Shift < limit.Factor*uint64(b[i]) {
			n++
		}
	}
	return int(n)
}
