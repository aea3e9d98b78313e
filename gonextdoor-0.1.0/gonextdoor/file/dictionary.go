package file

import (
	"bytes"

	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

// dictionary numbers the text ids of a file by first appearance. It is an open-addressing hash table, at most half full, whose
// arrays are outside the Go heap. It is not safe for concurrent use: parser calls it under its lock.
type dictionary struct {
	slots   []uint32 // number + 1 of the id that hashes there, or 0
	hashes  []uint64 // by number
	text    []byte   // all ids, concatenated
	offsets []uint64 // id n is text[offsets[n]:offsets[n+1]]
}

// join adds the words of the next block and returns the number of each in the file.
func (d *dictionary) join(w *words) ([]uint32, error) {
	to := make([]uint32, len(w.words))
	for i, word := range w.words {
		if err := d.reserve(len(word)); err != nil {
			return nil, err
		}
		to[i] = d.number(word, w.hashes[i])
	}
	return to, nil
}

// number returns the number of a word with hash h, and assigns the next number if the word is new.
func (d *dictionary) number(word []byte, h uint64) uint32 {
	mask := uint64(len(d.slots) - 1)
	i := h & mask
	for ; d.slots[i] != 0; i = (i + 1) & mask {
		if n := d.slots[i] - 1; d.hashes[n] == h && bytes.Equal(d.text[d.offsets[n]:d.offsets[n+1]], word) {
			return n
		}
	}
	d.text = append(d.text, word...)
	d.hashes = append(d.hashes, h)
	d.offsets = append(d.offsets, uint64(len(d.text)))
	d.slots[i] = uint32(len(d.hashes))
	return uint32(len(d.hashes) - 1)
}

// reserve ensures that one more word of the given length, in bytes, fits into every array.
func (d *dictionary) reserve(length int) (err error) {
	if d.text, err = grown(d.text, length); err != nil {
		return err
	}
	if d.hashes, err = grown(d.hashes, 1); err != nil {
		return err
	}
	if d.offsets, err = grown(d.offsets, 2); err != nil {
		return err
	}
	if len(d.offsets) == 0 {
		d.offsets = append(d.offsets, 0)
	}
	if 2*len(d.hashes) < len(d.slots) {
		return nil
	}
	if len(d.hashes) >= 1<<31 {
		return refuse.Memory("more than %d different ids", 1<<31)
	}
	slots, err := offheap.Make[uint32](max(1<<12, 4*len(d.slots)))
	if err != nil {
		return err
	}
	offheap.Free(d.slots)
	d.slots = slots
	for i, h := range d.hashes {
		slots[free(slots, h)] = uint32(i + 1)
	}
	return nil
}

// grown returns s with capacity for n more elements. If necessary it moves s to an array of twice the size and frees the old
// one.
func grown[T any](s []T, n int) ([]T, error) {
	if len(s)+n <= cap(s) {
		return s, nil
	}
	larger, err := offheap.Make[T](max(2*cap(s), len(s)+n, 1<<12))
	if err != nil {
		return s, err
	}
	larger = larger[:copy(larger, s)]
	offheap.Free(s)
	return larger, nil
}

// Free returns the memory of the dictionary. Arrays that were moved to an edge list (and set to nil) are not affected.
func (d *dictionary) Free() {
	offheap.Free(d.slots)
	offheap.Free(d.hashes)
	offheap.Free(d.text)
	offheap.Free(d.offsets)
	*d = dictionary{}
}
