package selector

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/internal/stattest"
	"gonextdoor/gonextdoor/rng"
)

// Each expected distribution is exact, the false-alarm probability of each test is stattest.Alpha (5e-13), and the log states
// the smallest total variation distance that is detected with probability 0.999.
const draws = 300_000

// assertDistribution compares the picks of draw with their exact distribution.
func assertDistribution(t *testing.T, name string, want stattest.Distribution, draw func(key rng.Key) []uint64) {
	t.Helper()
	stream := rng.NewStream(20, rng.Choices)
	stattest.Assert(t, name, stattest.Compare(want, draws, func(i int, out []byte) []byte {
		return fmt.Append(out, draw(stream.Key(uint64(i))))
	}))
}

// ordered returns the distribution of k successive picks, each in proportion to the remaining biases.
func ordered(biases []float64, k int) stattest.Distribution {
	return orderedBy(biases, k, func(left []float64, i int) { left[i] = 0 })
}

// orderedBy is ordered for picks that remove more candidates than themselves, which drop does.
func orderedBy(biases []float64, k int, drop func(left []float64, i int)) stattest.Distribution {
	want := stattest.Distribution{}
	var grow func(left []float64, picks []uint64, p float64)
	grow = func(left []float64, picks []uint64, p float64) {
		total := 0.0
		for _, b := range left {
			total += b
		}
		if len(picks) == k || total == 0 {
			want[fmt.Sprint(picks)] += p
			return
		}
		for i, b := range left {
			if b > 0 {
				rest := slices.Clone(left)
				drop(rest, i)
				grow(rest, append(slices.Clone(picks), uint64(i)), p*b/total)
			}
		}
	}
	grow(biases, []uint64{}, 1)
	return want
}

func floats[T uint32 | uint64](s []T) (f []float64) {
	for _, x := range s {
		f = append(f, float64(x))
	}
	return f
}

func TestPermuteMakesAllOrdersEquallyLikely(t *testing.T) {
	for _, c := range [][2]uint64{{1, 2}, {1, 7}, {2, 3}, {2, 5}, {3, 4}, {3, 6}, {4, 5}, {5, 6}} {
		k, n := c[0], c[1]
		equal := slices.Repeat([]float64{1}, int(n))
		assertDistribution(t, fmt.Sprint(k, " of ", n), ordered(equal, int(k)), func(key rng.Key) []uint64 {
			return Permute(key, k, n, []uint64{})
		})
	}
}

var successiveRows = []struct {
	biases []uint32
	k      uint64
	scans  bool // the attempts do not suffice, so almost every choice ends in the scan
}{
	{[]uint32{1, 2, 3}, 2, false},
	{[]uint32{5, 5, 5, 5}, 3, false},
	{[]uint32{1, 0, 5, 2, 0}, 2, false},
	{[]uint32{1, 0, 5, 0, 0}, 3, true},       // fewer non-zero biases than picks
	{[]uint32{1, 1 << 31, 1, 2}, 3, true},    // one bias dominates
	{[]uint32{0, 1 << 31, 1, 2, 5}, 2, true}, // one bias dominates and one is 0
	{[]uint32{1, 10, 100, 1000, 10000}, 2, false},
}

func TestSuccessiveHasTheOrderedDistribution(t *testing.T) {
	for _, c := range successiveRows {
		row := aliasRow(c.biases)
		scanned := 0
		assertDistribution(t, fmt.Sprint(c.k, " of ", c.biases), ordered(floats(c.biases), int(c.k)), func(key rng.Key) []uint64 {
			seen := map[int64]bool{}
			for a := range AttemptsPerPick * c.k {
				seen[Alias(key.Word(a), row)] = true
			}
			if len(seen) < int(c.k) {
				scanned++
			}
			return Successive(key, c.k, row, c.biases, []uint64{})
		})
		if share := float64(scanned) / draws; c.scans != (share > 0.99) {
			t.Errorf("%v: %v of the choices ended in the scan", c.biases, share)
		}
	}
}

func TestSuccessiveSearchHasTheOrderedDistribution(t *testing.T) {
	for _, c := range successiveRows {
		assertDistribution(t, fmt.Sprint(c.k, " of ", c.biases), ordered(floats(c.biases), int(c.k)), func(key rng.Key) []uint64 {
			return SuccessiveSearch(key, c.k, c.biases, []uint64{})
		})
	}
}

// Excluded candidates are never drawn, and do not change the ratios of the others.
func TestExcludingHasTheDistributionOfTheOthers(t *testing.T) {
	for _, c := range successiveRows {
		for out := range uint64(2) {
			if n := uint64(len(c.biases)); n <= c.k+1 {
				continue // all eligible candidates are returned
			}
			row, left := aliasRow(c.biases), floats(c.biases)
			left[out] = 0
			assertDistribution(t, fmt.Sprint(c.k, " of ", c.biases, " without ", out), ordered(left, int(c.k)), func(key rng.Key) []uint64 {
				return Excluding(key, c.k, row, c.biases, false, func(i uint64) bool { return i == out }, []uint64{})
			})
		}
	}
}

func TestUniformDistribution(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 7, 64, 1000} {
		assertDistribution(t, fmt.Sprint("of ", n), ordered(slices.Repeat([]float64{1}, int(n)), 1), func(key rng.Key) []uint64 {
			return []uint64{uint64(Uniform(key.Word(0), n))}
		})
	}
	if i := Uniform(5, 0); i != -1 {
		t.Errorf("of none: %d", i)
	}
}

// The distribution of the table, computed from its integers, equals that of the biases up to 2^-32 per slot, and Alias draws
// from it.
func TestAliasDistribution(t *testing.T) {
	for _, biases := range [][]uint32{{7}, {1, 2, 3}, {0, 4, 0, 1}, {1, math.MaxUint32, 1}, {9, 9, 9, 9, 1, 1, 50}} {
		row := aliasRow(biases)
		n, total := float64(len(row)), uint64(0)
		for _, b := range biases {
			total += uint64(b)
		}
		mass := make([]float64, len(row))
		for i, s := range row {
			own := float64(s.Threshold) / (1 << 32)
			mass[i] += own / n
			mass[s.AliasPosition] += (1 - own) / n
		}
		for i, b := range biases {
			if want := float64(b) / float64(total); math.Abs(mass[i]-want) > 0x1p-32 || b == 0 && mass[i] != 0 {
				t.Errorf("%v: the table gives %d the probability %v, want %v", biases, i, mass[i], want)
			}
		}
		assertDistribution(t, fmt.Sprint("alias ", biases), ordered(mass, 1), func(key rng.Key) []uint64 {
			return []uint64{uint64(Alias(key.Word(0), row))}
		})
	}
	if i := Alias(5, nil); i != -1 {
		t.Errorf("of no bias: %d", i)
	}
}

func TestScanDistribution(t *testing.T) {
	const most = math.MaxUint64
	for _, biases := range [][]uint64{{7}, {1, 2, 3}, {0, 4, 0, 1, 0}, {most, most, most}, {most, 1 << 63, 0, 1 << 62}} {
		assertDistribution(t, fmt.Sprint("scan ", biases), ordered(floats(biases), 1), func(key rng.Key) []uint64 {
			return []uint64{uint64(Scan(key.Word(0), len(biases), func(i int) uint64 { return biases[i] }))}
		})
	}
	if i := Scan(5, 3, func(int) uint64 { return 0 }); i != -1 {
		t.Errorf("of no bias: %d", i)
	}
	for _, word := range []uint64{0, most} { // the ends of the range fall on the first and the last bias
		want := map[uint64]int64{0: 1, most: 3}[word]
		if i := Scan(word, 5, func(i int) uint64 { return []uint64{0, 2, 0, 2, 0}[i] }); i != want {
			t.Errorf("word %#x: %d, want %d", word, i, want)
		}
	}
}
