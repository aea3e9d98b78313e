package file

import (
	"bytes"
	"hash/maphash"
)

var seed = maphash.MakeSeed() // random per process; numbers depend on the order of the words, never on their hashes

// words numbers the text ids of a block by first appearance, without a lock. parser.parseBlock then adds only the distinct
// words to the dictionary. Words point into the block and are valid as long as it is.
type words struct {
	slots  []uint32 // number + 1 of the word that hashes there, or 0
	words  [][]byte // by number
	hashes []uint64 // by number
}

// reset removes all words and keeps the memory.
func (w *words) reset() {
	if w.slots == nil {
		w.slots = make([]uint32, 1<<12)
	}
	clear(w.slots)
	w.words, w.hashes = w.words[:0], w.hashes[:0]
}

// number returns the number of a word, and assigns one if the word is new.
func (w *words) number(word []byte) uint32 {
	if 2*len(w.words) >= len(w.slots) {
		w.slots = make([]uint32, 4*len(w.slots))
		for i, h := range w.hashes {
			w.slots[free(w.slots, h)] = uint32(i + 1)
		}
	}
	h := maphash.Bytes(seed, word)
	mask := uint64(len(w.slots) - 1)
	i := h & mask
	for ; w.slots[i] != 0; i = (i + 1) & mask {
		if n := w.slots[i] - 1; w.hashes[n] == h && bytes.Equal(w.words[n], word) {
			return n
		}
	}
	w.words, w.hashes = append(w.words, word), append(w.hashes, h)
	w.slots[i] = uint32(len(w.words))
	return uint32(len(w.words) - 1)
}

// free returns the first free slot for a hash.
func free(slots []uint32, h uint64) uint64 {
	mask := uint64(len(slots) - 1)
	i := h & mask
	for slots[i] != 0 {
		i = (i + 1) & mask
	}
	return i
}
