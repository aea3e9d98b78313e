package mutant

import (
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/rng"
)

// growthMutants has the faults of step programs.
func growthMutants() (all []mutant) {
	add := func(name, source string, f growthFault) {
		all = append(all, mutant{"App: " + name, source, growBy(f)})
	}
	addSelectors(add)
	add("same random word for all picks (generator passed by value)", csaw, growthFault{oneWord: true})
	add("random words keyed without the transit", likely, growthFault{oneTransitKey: true})
	add("random words keyed without the step", likely, growthFault{oneStepKey: true})
	add("hooks see the same random word for all picks", likely, growthFault{sharedWords: true})
	add("collective choice draws a transit, then an edge", published, growthFault{transitFirst: true})
	add("collective choice made for each transit separately", likely, growthFault{alone: true})
	add("current vertex passed as the previous vertex", likely, growthFault{prevIsSelf: true})
	add("with and without replacement exchanged", likely, edited(func(a *program.StepProgram) { a.Replace = !a.Replace }))
	add("vertices unique within a step instead of the sample", likely, edited(uniqueAs(program.PerSample, program.PerStep)))
	add("vertices unique within the sample instead of a step", likely, edited(uniqueAs(program.PerStep, program.PerSample)))
	add("vertices not unique", likely, edited(func(a *program.StepProgram) { a.Unique = program.Repeats }))
	add("vertices unique per transit only", likely, growthFault{freshTransits: true})
	add("roots may repeat", likely, growthFault{rootsFree: true})
	add("fan-out -1 (all edges) includes edges of zero bias", likely, growthFault{all: true})
	add("fan-out of the first step used at all steps", likely, edited(func(a *program.StepProgram) {
		if len(a.Fanouts) > 1 {
			a.Fanouts = a.Fanouts[:1]
		}
	}))
	add("update not applied", likely, edited(func(a *program.StepProgram) { a.Update = nil }))
	add("update applied after the vertex was recorded", likely, growthFault{unrecorded: true})
	add("last vertex not recorded when a walker ends", likely, growthFault{dropEnded: true})
	add("ended walkers continue", likely, growthFault{stillGrows: true})
	add("stop hook not called", likely, edited(func(a *program.StepProgram) {
		if stop := a.Stop; stop != nil {
			a.Stop = func(c *program.Ctx) bool { return c.Step > 2 }
		}
	}))
	add("pool never updated", likely, growthFault{poolKept: true})
	add("pool member drawn uniformly", likely, growthFault{poolEqual: true})
	add("parents indexed within their step", likely, growthFault{parentInStep: true})
	add("links only to the first occurrence of a vertex", likely, growthFault{firstOnly: true})
	add("links reversed", likely, growthFault{reversed: true})
	add("one link for parallel edges", likely, growthFault{oneParallel: true})
	add("links from all earlier steps", likely, growthFault{allBack: true})
	return all
}

func edited(edit func(a *program.StepProgram)) growthFault { return growthFault{edit: edit} }

func uniqueAs(was, is program.Unique) func(a *program.StepProgram) {
	return func(a *program.StepProgram) {
		if a.Unique == was {
			a.Unique = is
		}
	}
}

// addSelectors adds faults of the selectors of computed biases.
func addSelectors(add func(name, source string, f growthFault)) {
	inOrder := func(key rng.Key, n uint64) uint64 { return key.Word(n) }
	add("reservoir uses the total sum instead of the prefix sum", likely, growthFault{reservoir: replacement(func(word, bias, _, total uint64) bool {
		r, _ := rng.Below(word, total)
		return r < bias
	})})
	add("reservoir counts candidates instead of biases", likely, growthFault{reservoir: replacement(func(word, _, sum, _ uint64) bool {
		r, _ := rng.Below(word, sum)
		return r < 1
	})})
	add("reservoir jumps one unit too far", likely, growthFault{reservoir: jumps(true, inOrder)})
	add("reservoir uses the same random word for all jumps", likely, growthFault{reservoir: jumps(false, func(key rng.Key, _ uint64) uint64 { return key.Word(0) })})
	add("reservoir keeps its first candidate", likely, growthFault{reservoir: func(_ rng.Key, weights []uint64) int {
		for i, w := range weights {
			if w > 0 {
				return i
			}
		}
		return -1
	}})
	add("16 random bits modulo the degree", published, growthFault{index: func(word, n uint64) uint64 { return word >> 48 % n }})
	add("floor(u*degree) with u = 1 possible", published, growthFault{index: func(word, n uint64) uint64 {
		return uint64(float32(word>>32) / (1 << 32) * float32(n)) // rounds up to 1 for words from 2^32-128 on
	}})
	add("rejected proposals kept", published, growthFault{keep: true})
	add("proposals accepted at equality with the bias", likely, growthFault{atMost: true})
	add("walk ends if all tries are rejected", likely, growthFault{giveUp: true})
	add("exclusive scan normalised by its last entry", published, growthFault{scan: func(word uint64, weights []uint64) int {
		return scanned(word, weights, len(weights)-1)
	}})
	add("binary search returns its last probe", published, growthFault{scan: probed})
	add("bipartite region search as printed", csaw, growthFault{several: severalRegions})
	add("repeated picks kept", published, growthFault{several: severalKept})
	add("repeated pick not redrawn", published, growthFault{several: severalOnce})
	add("repeated pick replaced by the next candidate", likely, growthFault{several: severalNext})
}

// scanned draws by inverse transform over the sum of the first n weights.
func scanned(word uint64, weights []uint64, n int) int {
	sum, any := uint64(0), -1
	for i, w := range weights {
		if i < n {
			sum += w
		}
		if w > 0 {
			any = i
		}
	}
	if sum == 0 {
		return any
	}
	r, _ := rng.Below(word, sum)
	for i, w := range weights {
		if r < w {
			return i
		}
		r -= w
	}
	return -1
}

// probed searches the prefix sums by bisection and returns the index that it read last.
func probed(word uint64, weights []uint64) int {
	sums, sum := make([]uint64, len(weights)), uint64(0)
	for i, w := range weights {
		sum += w
		sums[i] = sum
	}
	if sum == 0 {
		return -1
	}
	r, _ := rng.Below(word, sum)
	low, high, probe := 0, len(sums), 0
	for low < high {
		if probe = (low + high) / 2; sums[probe] <= r {
			low = probe + 1
		} else {
			high = probe
		}
	}
	return probe
}
