package mutant

import (
	"slices"
	"sort"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
)

// pickerMutants has the faults of a single choice, shown by DeepWalk.
func pickerMutants() []mutant {
	of := func(name, source string, pick picker) mutant {
		return mutant{"DeepWalk: " + name, source, walkBy(pick, ownWord)}
	}
	return []mutant{
		of("exclusive scan normalised by its last entry", published, weightedOnly(exclusiveScan)),
		of("binary search returns its last probe", published, weightedOnly(lastProbe)),
		of("prefix sums in single precision", likely, weightedOnly(singleScan)),
		of("computed weights: exclusive scan normalised by its last entry", published, searchOnly(exclusiveScan)),
		of("computed weights: binary search returns its last probe", published, searchOnly(lastProbe)),
		of("16 random bits modulo the degree", published, unweightedOnly(shortModulo)),
		of("floor(u*degree) with u = 1 possible", published, unweightedOnly(floorOfOne)),
		of("last edge never drawn", likely, unweightedOnly(func(w uint64, r row) int64 { return right(w, row{n: max(1, r.n-1)}) })),
		of("zero bias replaced by the smallest bias of the row", likely, weightedOnly(zeroAsLeast)),
		of("alias always taken", likely, weightedOnly(func(w uint64, r row) int64 {
			i, _ := rng.Below(w, r.n)
			return int64(r.slots[i].AliasPosition)
		})),
		of("alias never taken", likely, weightedOnly(func(w uint64, r row) int64 {
			i, _ := rng.Below(w, r.n)
			return int64(i)
		})),
		of("alias threshold read from the next slot", likely, weightedOnly(nextThreshold)),
		of("alias decision reuses the bits of the index", likely, weightedOnly(sameBits)),
		of("weights ignored", likely, func(w uint64, r row) int64 {
			if r.biases != nil && len(r.slots) == 0 {
				return -1
			}
			return right(w, row{n: r.n})
		}),
		{"DeepWalk: same random word for all steps (generator passed by value)", csaw,
			walkBy(right, func(k rng.Key, _ uint64) uint64 { return k.Word(0) })},
		{"DeepWalk: random words keyed by the step only", likely,
			walkBy(right, func(_ rng.Key, s uint64) uint64 { return rng.NewStream(1, rng.Choices).Key(s).Word(0) })},
		{"DeepWalk: pairs of samples share their random words", likely, sharedInPairs()},
	}
}

// sums returns the prefix sums of a row. They are cached, so that large rows are summed once.
func sums[T float32 | uint64](kept map[*uint32][]T, r row, bias func(uint32) T) []T {
	s := kept[&r.biases[0]]
	if s == nil {
		var total T
		for _, b := range r.biases {
			total += bias(b)
			s = append(s, total)
		}
		kept[&r.biases[0]] = s
	}
	return s
}

var (
	exactSums  = map[*uint32][]uint64{}
	raisedSums = map[*uint32][]uint64{}
	singleSums = map[*uint32][]float32{}
)

func exact(b uint32) uint64 { return uint64(b) }

// above returns the first index at which the sums exceed x, or the last index.
func above[T float32 | uint64](s []T, x T) int64 {
	return int64(min(sort.Search(len(s), func(i int) bool { return s[i] > x }), len(s)-1))
}

func exclusiveScan(word uint64, r row) int64 {
	s := sums(exactSums, r, exact)
	last := s[r.n-1] - uint64(r.biases[r.n-1]) // exclusive sums end at the sum of all but the last
	x, _ := rng.Below(word, last)
	return above(s, x)
}

func zeroAsLeast(word uint64, r row) int64 {
	least := uint64(slices.Max(r.biases))
	for _, b := range r.biases[:min(r.n, 10)] {
		if b > 0 {
			least = min(least, uint64(b))
		}
	}
	s := sums(raisedSums, r, func(b uint32) uint64 { return max(least, uint64(b)) })
	x, _ := rng.Below(word, s[r.n-1])
	return above(s, x)
}

// lastProbe searches the prefix sums by bisection and returns the index that it read last.
func lastProbe(word uint64, r row) int64 {
	s := sums(exactSums, r, exact)
	x, _ := rng.Below(word, s[r.n-1])
	lo, hi, probe := 0, int(r.n), 0
	for lo < hi {
		probe = (lo + hi) / 2
		if s[probe] <= x {
			lo = probe + 1
		} else {
			hi = probe
		}
	}
	return int64(probe)
}

func singleScan(word uint64, r row) int64 {
	s := sums(singleSums, r, func(b uint32) float32 { return float32(b) })
	return above(s, float32(float64(word>>40)/(1<<24)*float64(s[r.n-1])))
}

func shortModulo(word uint64, r row) int64 { return int64(word >> 48 % r.n) }

func floorOfOne(word uint64, r row) int64 {
	u := float32(word>>32) / (1 << 32) // rounds up to 1 for words from 2^32-128 on
	return int64(u * float32(r.n))
}

func nextThreshold(word uint64, r row) int64 {
	i, fraction := rng.Below(word, r.n)
	if fraction < r.next[i%uint64(len(r.next))].Threshold {
		return int64(i)
	}
	return int64(r.slots[i].AliasPosition)
}

// sameBits decides by the top bits of the word, which the index has used.
func sameBits(word uint64, r row) int64 {
	i, _ := rng.Below(word, r.n)
	if uint32(word>>32) < r.slots[i].Threshold {
		return int64(i)
	}
	return int64(r.slots[i].AliasPosition)
}

// sharedInPairs gives every second sample the key of the previous one.
func sharedInPairs() func(app.App) apptest.Sampler {
	return func(a app.App) apptest.Sampler {
		right := walkBy(right, ownWord)(a)
		if right == nil {
			return nil
		}
		var before rng.Key
		calls := 0
		return func(g *graph.Graph, key rng.Key, roots []uint32, out app.Row) app.Row {
			if calls++; calls%2 == 0 {
				key = before
			}
			before = key
			return right(g, key, roots, out)
		}
	}
}
