package rng_test

import (
	"fmt"
	"math/bits"
	"testing"

	"gonextdoor/gonextdoor/internal/stattest"
	"gonextdoor/gonextdoor/rng"
)

// axes has the directions in which a run uses words: each returns word i in its direction.
var axes = []struct {
	name string
	word func(i uint64) uint64
}{
	{"samples", func(i uint64) uint64 { return rng.NewStream(1, rng.Choices).Key(i).Word(0) }},
	{"samples from 2^40", func(i uint64) uint64 { return rng.NewStream(1, rng.Choices).Key(1<<40 + i).Word(0) }},
	{"steps", func(i uint64) uint64 { return rng.NewStream(1, rng.Choices).Key(0).Word(rng.Slot(i, 0)) }},
	{"steps and tries", func(i uint64) uint64 {
		return rng.NewStream(1, rng.Choices).Key(0).Word(rng.Slot(i/rng.Tries, i%rng.Tries))
	}},
	{"slots of samples", func(i uint64) uint64 { return rng.NewStream(1, rng.Choices).Key(i / 8).Word(i % 8) }},
	{"seeds", func(i uint64) uint64 { return rng.NewStream(i, rng.Choices).Key(0).Word(0) }},
	{"purposes", func(i uint64) uint64 { return rng.NewStream(i/7, rng.Purpose(i%7)).Key(0).Word(0) }},
	{"transits", func(i uint64) uint64 { return rng.NewStream(1, rng.Choices).Key(0).Stream(0).Key(i).Word(0) }},
	{"numbers", func(i uint64) uint64 { return rng.NewStream(1, rng.Batches).Number(uint32(i)) }},
	{"numbers of streams", func(i uint64) uint64 { return rng.Stream(rng.Key(1).Word(i)).Number(3) }},
	{"numbers of some ids", func(i uint64) uint64 { return rng.Stream(rng.Key(1).Word(i / 4)).Number(uint32(i % 4)) }},
	{"hops", func(i uint64) uint64 { return rng.NewStream(1, rng.Choices).Key(i / 3).Stream(i % 3).Key(0).Word(0) }},
}

const draws = 60_000

func name(i int) string { return string([]byte{byte(i >> 8), byte(i)}) }

// Along each axis the top bits, the low bits and pairs of successive words are uniform.
func TestWordsAreUniformAlongEveryAxis(t *testing.T) {
	uniform := stattest.Uniform(1<<10, name)
	kinds := map[string]func(a, b uint64) uint64{
		"top bits":       func(a, _ uint64) uint64 { return a >> 54 },
		"low bits":       func(a, _ uint64) uint64 { return a & (1<<10 - 1) },
		"pairs":          func(a, b uint64) uint64 { return a>>59<<5 | b>>59 },
		"low with top":   func(a, b uint64) uint64 { return a&31<<5 | b>>59 },
		"fraction pairs": func(a, b uint64) uint64 { return a>>27&31<<5 | b>>27&31 },
	}
	for _, axis := range axes {
		for kind, cell := range kinds {
			stattest.Assert(t, axis.name+", "+kind, stattest.Compare(uniform, draws, func(i int, out []byte) []byte {
				c := cell(axis.word(uint64(2*i)), axis.word(uint64(2*i+1)))
				return append(out, byte(c>>8), byte(c))
			}))
		}
	}
}

// Two words of one coordinate in neighbouring steps, samples or seeds agree in each bit half of the time.
func TestAvalanche(t *testing.T) {
	for _, axis := range axes {
		for bit := range uint64(64) {
			if bit > 20 && axis.name != "samples" && axis.name != "seeds" {
				continue // a step, a transit or a hop has no more words
			}
			same := make([]int, 64)
			const n = 1000
			for i := range uint64(n) {
				x := axis.word(i*0x1234567+1) ^ axis.word((i*0x1234567+1)^1<<bit)
				for ; x != 0; x &= x - 1 {
					same[bits.TrailingZeros64(x)]++
				}
			}
			for out, c := range same {
				// 64*64*len(axes) binomials of deviation 15.8: more than 9 deviations have probability 1e-18 each.
				if c < n/2-142 || c > n/2+142 {
					t.Errorf("%s: bit %d of the coordinate flips bit %d of the word %d times in %d", axis.name, bit, out, c, n)
				}
			}
		}
	}
}

// An index, its fraction and the second fraction are independent for every degree.
func TestFractionsAreIndependent(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 10, 37} {
		uniform := stattest.Uniform(int(n)*64, name)
		stream := rng.NewStream(9, rng.Choices)
		stattest.Assert(t, fmt.Sprintf("fractions of one of %d", n), stattest.Compare(uniform, draws, func(i int, out []byte) []byte {
			word := stream.Key(uint64(i)).Word(0)
			index, first := rng.Below(word, n)
			c := index*64 + uint64(first>>29)*8 + uint64(rng.Second(word)>>29)
			return append(out, byte(c>>8), byte(c))
		}))
	}
}

// Below returns every index below n, and never n.
func TestBelowCoversItsRange(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 5, 1 << 20, 1<<32 - 1, 1<<63 + 1, ^uint64(0)} {
		if i, _ := rng.Below(0, n); i != 0 {
			t.Errorf("Below(0, %d) = %d", n, i)
		}
		if i, _ := rng.Below(^uint64(0), n); i != n-1 {
			t.Errorf("Below(2^64-1, %d) = %d, want %d", n, i, n-1)
		}
	}
	if i, f := rng.Below(^uint64(0), 0); i != 0 || f != 0 {
		t.Errorf("Below of none = %d, %d", i, f)
	}
}
