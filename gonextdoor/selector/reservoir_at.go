package selector

import "math"

// AddRow offers candidates first, first+1 and so on, one for each bias. It is
//
//	for i, b := range biases { r.Add(first+i, uint64(b)) }
func (r *Reserve) AddRow(first int, biases []uint32) {
	sum, least := r.sum, r.least()
	for i, b := range biases {
		if sum += uint64(b); sum >= least {
			r.sum = sum - uint64(b)
			r.Add(first+i, uint64(b))
			least = r.least()
		}
	}
	r.sum = sum
}

// least gives the sum at which the next candidate is taken.
func (r *Reserve) least() uint64 {
	switch {
	case r.held == 0:
		return 1
	case r.next == 0:
		return math.MaxUint64
	default:
		return r.next
	}
}
