package stage

import "gonextdoor/gonextdoor/rng"

// Keys writes the keys of samples with consecutive ids. It is
//
//	for i := range keys { keys[i] = stream.Key(first + i) }
func (t *Tables) Keys(keys []uint64, stream rng.Stream, first uint64) {
	done := 0
	if t.avx512 {
		done = len(keys) &^ 7
		keysAVX512(keys[:done], uint64(stream), first*rng.Gamma)
	}
	for i := done; i < len(keys); i++ {
		keys[i] = uint64(stream.Key(first + uint64(i)))
	}
}

// Words writes a word of each of n walkers to Term. It is
//
//	for i := range n { w.Term[i] = rng.Mix(w.Key[i] ^ term) }
//
// and may overwrite Term up to the next multiple of 8.
func (t *Tables) Words(w *Walkers, n int, term uint64) {
	if t.avx512 {
		wordsAVX512(w, n, term)
		return
	}
	for i, key := range w.Key[:n] {
		w.Term[i] = rng.Mix(key ^ term)
	}
}
