package stage

import (
	"slices"
	"testing"

	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// Both forms choose the same candidates and list the same walkers, for near, far and even hints and any number of walkers.
func TestHintedForms(t *testing.T) {
	words := rng.NewStream(1, rng.Choices).Key(5)
	records := make([]index.DecayRecord, 300)
	for i := range records {
		r, word := &records[i], words.Word(uint64(i))
		r.Count, r.First = uint32(word>>60)+1, word&0xffff
		if word&1 == 0 {
			r.Count = uint32(word) | 1
		}
		switch i % 4 {
		case 0:
			r.Hints = index.DecayHints{0x8001} // even
		case 1:
			r.Hints = index.DecayHints{0x8000 | word<<16&0x7fff7fff7fff0000, words.Word(uint64(i+1000)) & 0x7fff7fff7fff7fff} // far
		default: // near: lanes descend, and may be 0
			lane := uint64(1<<15 - 1)
			for k := range uint64(index.HintedCandidates) {
				lane = lane * (words.Word(uint64(i)+k*1000) >> 56) >> 8
				r.Hints[k/4] |= lane << (k % 4 * 16)
			}
		}
	}
	for n := range plan.Group + 1 {
		var pure, wide Walkers
		for i := range n {
			word := words.Word(uint64(n*1000 + i))
			at, _ := rng.Below(words.Word(uint64(n*1000+i)+1<<40), uint64(len(records)))
			switch h := &records[at].Hints; i % 3 {
			case 1: // the upper bits of the word equal a lane
				word = word>>15 | h[0]>>16<<49
			case 2:
				word = []uint64{0, 1<<64 - 1}[i&1]
			}
			pure.Position[i], pure.First[i], pure.Term[i] = at, word&0xffffff, word
		}
		wide = pure
		open := (&Tables{}).Hinted(&pure, records, n)
		if got := (&Tables{avx512: haveAssembly && hasAVX512}).Hinted(&wide, records, n); got != open {
			t.Fatalf("%d of %d walkers are listed, expected %d", got, n, open)
		}
		for what, equal := range map[string]bool{
			"Position": pure.Position == wide.Position,
			"Check":    slices.Equal(pure.Check[:open], wide.Check[:open]),
			"Next":     slices.Equal(pure.Next[:open], wide.Next[:open]),
		} {
			if !equal {
				t.Fatalf("%d walkers: %s differs", n, what)
			}
		}
	}
}

// Both forms compute the same words.
func TestWordsForms(t *testing.T) {
	for n := range plan.Group + 1 {
		var pure, wide Walkers
		for i := range wide.Key {
			wide.Key[i] = rng.Key(n).Word(uint64(i))
		}
		pure.Key = wide.Key
		(&Tables{}).Words(&pure, n, Term(uint64(n)))
		(&Tables{avx512: haveAssembly && hasAVX512}).Words(&wide, n, Term(uint64(n)))
		if !slices.Equal(pure.Term[:n], wide.Term[:n]) || n > 0 && pure.Term[n-1] != rng.Mix(wide.Key[n-1]^Term(uint64(n))) {
			t.Fatalf("%d walkers: words differ", n)
		}
	}
}
