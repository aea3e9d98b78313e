package selector

import "gonextdoor/gonextdoor/rng"

// DepleteAt is Deplete's fast form where the biases sum to less than 2^64: picks i has the word at slot from+i of the key.
// A pick takes out itself and, where alike is not nil, all that are in its ring: alike[i] is the next of those that go
// with i, and i itself where none does. All picks together take n + k log n steps. It is
//
//	Deplete(key, k, biases, func(i uint64) { for j := range its ring { biases[j] = 0 } }, picks), words from slot from on
//
// and leaves the biases as they are, but for rings.
func DepleteAt(key rng.Key, from, k uint64, biases []uint64, alike []uint32, picks []uint64, s *Scratch) []uint64 {
	total := fill(&s.left, biases)
	for slot := from; slot < from+k && total > 0; slot++ {
		r, _ := rng.Below(key.Word(slot), total)
		i := uint64(s.left.find(r))
		picks = append(picks, i)
		if alike == nil {
			s.left.subtract(int(i), biases[i])
			total -= biases[i]
			continue
		}
		for j := uint32(i); ; {
			s.left.subtract(int(j), biases[j])
			total -= biases[j]
			biases[j] = 0
			if j = alike[j]; j == uint32(i) {
				break
			}
		}
	}
	return picks
}

// ScanAt is the fast form of several choices by Scan where the biases sum to less than 2^64. It is
//
//	for j := range k { append Scan(key.Word(j), biases) to picks }
//
// in n + k log n steps.
func ScanAt(key rng.Key, k uint64, biases, picks []uint64, s *Scratch) []uint64 {
	total := fill(&s.left, biases)
	for j := range k {
		r, _ := rng.Below(key.Word(j), total)
		picks = append(picks, uint64(s.left.find(r)))
	}
	return picks
}
