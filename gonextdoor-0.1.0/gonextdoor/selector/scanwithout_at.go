package selector

import "gonextdoor/gonextdoor/rng"

// ScanWithoutAt is the fast form of ScanWithout for biases that sum to less than 2^64. Pick i uses the word at slot from+i of
// the key. A pick removes itself and, if alike is not nil, its ring: alike[i] is the next member of the ring of i, or i itself
// if the ring has no other. All picks together take O(n + k log n). It is
//
//	ScanWithout(key, k, biases, func(i uint64) { for j := range ring of i { biases[j] = 0 } }, picks), words from slot from on
//
// It sets the biases of rings to 0 and leaves all others unchanged.
func ScanWithoutAt(key rng.Key, from, k uint64, biases []uint64, alike []uint32, picks []uint64, s *Scratch) []uint64 {
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

// ScanAt is the fast form of k draws by Scan, with replacement, for biases that sum to less than 2^64. It is
//
//	for j := range k { append Scan(key.Word(j), biases) to picks }
//
// in O(n + k log n).
func ScanAt(key rng.Key, k uint64, biases, picks []uint64, s *Scratch) []uint64 {
	total := fill(&s.left, biases)
	for j := range k {
		r, _ := rng.Below(key.Word(j), total)
		picks = append(picks, uint64(s.left.find(r)))
	}
	return picks
}
