package mutant

import (
	"slices"

	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// growthFault selects a fault of step programs; the zero value has none.
type growthFault struct {
	edit      func(a *program.StepProgram)
	index     func(word, n uint64) uint64
	scan      func(word uint64, weights []uint64) int
	reservoir func(key rng.Key, weights []uint64) int
	several   func(key rng.Key, k int, weights []uint64, drop func(i int)) []int

	keep, atMost, giveUp, oneWord             bool // proposals and words
	oneStepKey, oneTransitKey, sharedWords    bool
	alone, transitFirst, prevIsSelf           bool
	rootsFree, freshTransits, all             bool // exclusions
	unrecorded, dropEnded, stillGrows         bool // updates
	poolKept, poolEqual                       bool
	parentInStep                              bool
	firstOnly, reversed, oneParallel, allBack bool // links
}

// change edits the step program.
func (f growthFault) change(a *program.StepProgram) {
	if f.edit != nil {
		f.edit(a)
	}
}

func (f growthFault) scanOf(word uint64, weights []uint64) int {
	if f.scan != nil {
		return f.scan(word, weights)
	}
	return int(selector.Scan(word, len(weights), func(i int) uint64 { return weights[i] }))
}

func (f growthFault) reservoirOf(key rng.Key, weights []uint64) int {
	if f.reservoir != nil {
		return f.reservoir(key, weights)
	}
	return int(selector.Reservoir(key, len(weights), func(i int) uint64 { return weights[i] }))
}

func (f growthFault) severalOf(key rng.Key, k int, weights []uint64, drop func(i int)) (picks []int) {
	if f.several != nil {
		return f.several(key, k, weights, drop)
	}
	for j := range k {
		i := f.scanOf(key.Word(uint64(j)), weights)
		if i < 0 {
			break
		}
		picks = append(picks, i)
		drop(i)
	}
	return picks
}

// transitFirst draws a transit, then one of its edges.
func transitFirst(key rng.Key, k int, owners []sprout, weights []uint64, drop func(i int), again bool) (picks []int) {
	for j := range k {
		var places []int32
		for i, o := range owners {
			if weights[i] > 0 && !slices.Contains(places, o.place) {
				places = append(places, o.place)
			}
		}
		if len(places) == 0 {
			break
		}
		at, _ := rng.Below(key.Word(uint64(2*j)), uint64(len(places)))
		i := int(selector.Scan(key.Word(uint64(2*j+1)), len(weights), func(i int) uint64 {
			if owners[i].place != places[at] {
				return 0
			}
			return weights[i]
		}))
		if picks = append(picks, i); !again {
			drop(i)
		}
	}
	return picks
}

// replacement is a reservoir that keeps candidate i with a wrong probability: chance(bias, sum so far, sum of all).
func replacement(chance func(word, bias, sum, total uint64) bool) func(rng.Key, []uint64) int {
	return func(key rng.Key, weights []uint64) int {
		held, sum, total := -1, uint64(0), uint64(0)
		for _, w := range weights {
			total += w
		}
		for i, w := range weights {
			if sum += w; w > 0 && (held < 0 || chance(key.Word(uint64(i)), w, sum, total)) {
				held = i
			}
		}
		return held
	}
}

// jumps is a reservoir with jumps. past returns the sum at which the next candidate is kept, and may be wrong.
func jumps(least bool, word func(key rng.Key, n uint64) uint64) func(rng.Key, []uint64) int {
	return func(key rng.Key, weights []uint64) int {
		held, at, sum, n, w := -1, uint64(0), uint64(0), uint64(0), uint64(0)
		for i, b := range weights {
			sum += b
			reached, _ := rng.Below(w, sum)
			if b > 0 && (held < 0 || reached >= at && !least || reached > at && least) {
				held, at, w = i, sum, word(key, n)
				n++
			}
		}
		return held
	}
}

func severalKept(key rng.Key, k int, weights []uint64, drop func(i int)) (picks []int) {
	for j := range k {
		if i := selector.Scan(key.Word(uint64(j)), len(weights), func(i int) uint64 { return weights[i] }); i >= 0 {
			picks = append(picks, int(i))
		}
	}
	for _, i := range picks {
		drop(i)
	}
	return picks
}

// severalOnce draws again if a pick is excluded, but makes only as many draws as there are picks.
func severalOnce(key rng.Key, k int, weights []uint64, drop func(i int)) (picks []int) {
	all := slices.Clone(weights)
	for j := range k {
		i := int(selector.Scan(key.Word(uint64(j)), len(all), func(i int) uint64 { return all[i] }))
		if i >= 0 && weights[i] > 0 {
			picks = append(picks, i)
			drop(i)
		}
	}
	return picks
}

// severalRegions is bipartite region search as published: only a draw in an excluded region is shrunk and moved.
func severalRegions(key rng.Key, k int, weights []uint64, drop func(i int)) (picks []int) {
	all := slices.Clone(weights)
	find := func(x float64) int {
		for i, w := range all {
			if x < float64(w) {
				return i
			}
			x -= float64(w)
		}
		return len(all) - 1
	}
	total := 0.0
	for _, w := range all {
		total += float64(w)
	}
	for word := range uint64(256) {
		if len(picks) == k {
			break
		}
		x := float64(key.Word(word)>>11) / (1 << 53) * total
		i := find(x)
		if weights[i] == 0 { // excluded
			low := 0.0
			for _, w := range all[:i] {
				low += float64(w)
			}
			if x *= (total - float64(all[i])) / total; x >= low {
				x += float64(all[i])
			}
			i = find(x)
		}
		if weights[i] > 0 {
			picks = append(picks, i)
			drop(i)
		}
	}
	return picks
}

// severalNext takes the next eligible candidate in place of an excluded one.
func severalNext(key rng.Key, k int, weights []uint64, drop func(i int)) (picks []int) {
	all := slices.Clone(weights)
	for j := range k {
		i := int(selector.Scan(key.Word(uint64(j)), len(all), func(i int) uint64 { return all[i] }))
		for tries := 0; i >= 0 && weights[i] == 0 && tries < len(all); tries++ {
			i = (i + 1) % len(all)
		}
		if i < 0 || weights[i] == 0 {
			break
		}
		picks = append(picks, i)
		drop(i)
	}
	return picks
}
