package selector

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/rng"
)

// replacing is the usual reservoir algorithm, with one word per candidate: candidate i replaces the held one with probability
// bias(i)/sum(0..i) (Chao, Biometrika 1982).
func replacing(key rng.Key, n int, bias func(i int) uint64) int64 {
	held, sum := int64(-1), uint64(0)
	for i := range n {
		b := bias(i)
		if sum += b; b > 0 {
			if r, _ := rng.Below(key.Word(uint64(i)), sum); r < b {
				held = int64(i)
			}
		}
	}
	return held
}

// The reservoir with jumps has the distribution of the plain reservoir, which is that of the biases.
func TestReservoirDistribution(t *testing.T) {
	const most = math.MaxUint64
	for _, biases := range [][]uint64{
		{7}, {0, 4, 0, 1, 0}, {1, 10, 100, 1000, 10000}, {10000, 1000, 100, 10, 1}, slices.Repeat([]uint64{3}, 40),
		{1 << 62, 0, 1 << 63, 1<<62 - 1}, {most - 2, 1, 1}, {1, 1, most - 2}, {1 << 32, 1<<64 - 1<<33, 1 << 31, 1 << 30},
	} {
		of := func(i int) uint64 { return biases[i] }
		want := ordered(floats(biases), 1)
		assertDistribution(t, fmt.Sprint("reservoir ", biases), want, func(key rng.Key) []uint64 {
			return []uint64{uint64(Reservoir(key, len(biases), of))}
		})
		assertDistribution(t, fmt.Sprint("plain reservoir ", biases), want, func(key rng.Key) []uint64 {
			return []uint64{uint64(replacing(key, len(biases), of))}
		})
	}
	for _, n := range []int{0, 1, 3} {
		if i := Reservoir(5, n, func(int) uint64 { return 0 }); i != -1 {
			t.Errorf("of no bias: %d", i)
		}
	}
}

// The sum that ends a jump is the smallest that suffices, for every word: the test checks the products on both sides of it.
func TestReservoirJumpsExactly(t *testing.T) {
	const most = math.MaxUint64
	key := rng.NewStream(1, rng.Choices).Key(0)
	words := []uint64{0, 1, 2, 1<<32 - 1, 1 << 32, 1 << 63, most - 1, most}
	sums := []uint64{1, 2, 3, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, most - 1, most}
	for i := range uint64(1000) {
		words, sums = append(words, key.Word(2*i)), append(sums, max(1, key.Word(2*i+1)>>(i%64)))
	}
	reaches := func(word, s, sum uint64) bool { hi, _ := bits.Mul64(word, s); return hi >= sum }
	for _, word := range words {
		for _, sum := range sums {
			switch s := leastProduct(word, sum); {
			case s == 0 && reaches(word, most, sum), s != 0 && (!reaches(word, s, sum) || reaches(word, s-1, sum)):
				t.Errorf("word %#x behind a sum of %#x jumps to %#x", word, sum, s)
			case s != 0 && s <= sum:
				t.Errorf("word %#x behind a sum of %#x jumps back to %#x", word, sum, s)
			}
		}
	}
}

// The expected values were computed with Python integers by the functions of docs/reproducibility-selectors.md.
func TestReservoirKnownAnswers(t *testing.T) {
	rising, falling := func(i int) uint64 { return uint64(i) }, func(i int) uint64 { return uint64(1000 - i) }
	for _, c := range []struct {
		seed, id        uint64
		rising, falling int64
	}{{0, 0, 714, 203}, {0, 1, 908, 652}, {1, 0, 363, 380}, {42, 7, 972, 120}, {math.MaxUint64, 1, 686, 117}, {3, 1099511627776, 462, 175}} {
		key := rng.NewStream(c.seed, rng.Choices).Key(c.id)
		if r, f := Reservoir(key, 1000, rising), Reservoir(key, 1000, falling); r != c.rising || f != c.falling {
			t.Errorf("seed %d, id %d: %d and %d, expected %d and %d", c.seed, c.id, r, f, c.rising, c.falling)
		}
	}
}

// A row of d candidates of equal bias takes about ln d words on average: the harmonic number of d.
func TestReservoirDrawsFewWords(t *testing.T) {
	const d, rows = 10_000, 400
	words, harmonic := 0.0, 0.0
	for i := range d {
		harmonic += 1 / float64(i+1)
	}
	for id := range uint64(rows) {
		r := Reserve{Key: rng.NewStream(3, rng.Choices).Key(id)}
		for i := range d {
			r.Add(i, 5)
		}
		words += float64(r.word) / rows
	}
	if math.Abs(words-harmonic) > 6*math.Sqrt(harmonic/rows) { // the variance of their number is below its mean
		t.Errorf("%v words per row of %d, expected %v", words, d, harmonic)
	}
}

// heldOf returns the candidate that a Reserve selects if all biases are added at once.
func heldOf(key rng.Key, biases []uint32) int64 {
	r := Reserve{Key: key}
	r.AddAll(0, biases)
	return r.Held()
}

// Biases from an array give the same choice as biases from a function, for any division of the row into runs.
func TestReserveAddAllEqualsReservoir(t *testing.T) {
	for id := range uint64(3000) {
		key := rng.NewStream(4, rng.Choices).Key(id)
		n, _ := rng.Below(key.Word(1<<40), 70)
		biases := make([]uint32, n)
		for i := range biases {
			biases[i] = uint32(key.Word(1<<41+uint64(i)) >> (32 + id%33))
		}
		of := func(i int) uint64 { return uint64(biases[i]) }
		want := Reservoir(key, len(biases), of)
		cut := len(biases) * int(id%5) / 5
		parts := Reserve{Key: key}
		parts.AddAll(0, biases[:cut])
		parts.AddAll(cut, biases[cut:])
		if got := heldOf(key, biases); got != want || parts.Held() != want {
			t.Fatalf("%v: %d, in parts %d, expected %d", biases, got, parts.Held(), want)
		}
	}
}

// BenchmarkReservoir selects from a row of 10^4 candidates: with jumps, with a word per candidate, and by Scan, which reads
// each bias twice. The biases are in an array ("there"), read by a function ("read"), or computed ("costly"), at about the cost
// of an edge lookup in the cache.
func BenchmarkReservoir(b *testing.B) {
	const d = 10_000
	row := make([]uint32, d)
	for i := range row {
		row[i] = uint32(rng.Mix(uint64(i))>>40) + 1
	}
	read := func(i int) uint64 { return uint64(row[i]) }
	costly := func(i int) uint64 {
		x := uint64(row[i])
		for range 4 {
			x = rng.Mix(x)
		}
		return x>>40 + 1
	}
	for _, c := range []struct {
		name string
		draw func(key rng.Key) int64
	}{
		{"there/jumps", func(key rng.Key) int64 { return heldOf(key, row) }},
		{"there/a word per candidate", func(key rng.Key) int64 {
			held, sum := int64(-1), uint64(0)
			for i, b := range row {
				sum += uint64(b)
				if r, _ := rng.Below(key.Word(uint64(i)), sum); r < uint64(b) {
					held = int64(i)
				}
			}
			return held
		}},
		{"read/jumps", func(key rng.Key) int64 { return Reservoir(key, d, read) }},
		{"read/a word per candidate", func(key rng.Key) int64 { return replacing(key, d, read) }},
		{"read/scan", func(key rng.Key) int64 { return Scan(key.Word(0), d, read) }},
		{"costly/jumps", func(key rng.Key) int64 { return Reservoir(key, d, costly) }},
		{"costly/a word per candidate", func(key rng.Key) int64 { return replacing(key, d, costly) }},
		{"costly/scan", func(key rng.Key) int64 { return Scan(key.Word(0), d, costly) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for i := range b.N {
				c.draw(rng.Key(i))
			}
		})
	}
}
