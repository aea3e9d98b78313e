package apptest

import (
	"math"
	"testing"
)

func TestKeyOfGivesTheWord(t *testing.T) {
	for _, word := range []uint64{0, 1, 12345, 1 << 63, math.MaxUint64} {
		for _, slot := range []uint64{0, 1, 256, 1 << 40} {
			if got := keyOf(word, slot).Word(slot); got != word {
				t.Errorf("word %d at slot %d: got %d", word, slot, got)
			}
		}
	}
}
