package mutant

import (
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// chooser picks k candidates of a row.
type chooser func(key rng.Key, k uint64, r row, replace bool) []uint64

// rightPicks is the chooser without a fault.
func rightPicks(key rng.Key, k uint64, r row, replace bool) (picks []uint64) {
	switch {
	case replace:
		for i := range k {
			if j := right(key.Word(i), r); j >= 0 {
				picks = append(picks, uint64(j))
			}
		}
		return picks
	case r.biases != nil:
		return selector.Successive(key, k, r.slots, r.biases, nil)
	}
	return selector.Permute(key, k, r.n, nil)
}

// treeBy returns KHop with another chooser, and another key for each transit.
func treeBy(choose chooser, transitKey func(key rng.Key, step, transit uint64) rng.Key) func(app.App) apptest.Sampler {
	return func(a app.App) apptest.Sampler {
		h, ok := a.(*apps.KHop)
		if !ok {
			return nil
		}
		return func(g *graph.Graph, key rng.Key, roots []uint32, out app.Row) app.Row {
			out.Vertices = append(out.Vertices, roots...)
			transits := roots
			for s, f := range h.Fanouts {
				first := len(out.Vertices)
				for t, u := range transits {
					var picks []uint64
					if u != graph.None {
						picks = choose(transitKey(key, uint64(s), uint64(t)), uint64(f), rowOf(g, u, h.Weighted), h.Replace)
					}
					for j := range f {
						if j >= len(picks) {
							out = out.Add(graph.None, graph.NoEdge)
							continue
						}
						position := g.Indptr[u] + picks[j]
						out = out.Add(g.Indices[position], position)
					}
				}
				transits = out.Vertices[first:]
			}
			return out
		}
	}
}

func ownKey(key rng.Key, step, transit uint64) rng.Key { return key.Stream(step).Key(transit) }

// unlike returns a chooser that has its fault only without replacement, with or without weights.
func unlike(weighted bool, fault func(key rng.Key, k uint64, r row) []uint64) chooser {
	return func(key rng.Key, k uint64, r row, replace bool) []uint64 {
		if replace || weighted != (r.biases != nil) || r.n <= k || weighted && len(r.slots) == 0 {
			return rightPicks(key, k, r, replace)
		}
		return fault(key, k, r)
	}
}

func treeMutants() []mutant {
	of := func(name, source string, choose chooser) mutant {
		return mutant{"KHop: " + name, source, treeBy(choose, ownKey)}
	}
	return []mutant{
		of("Floyd's algorithm appends the substitute of a repeated pick instead of inserting it", likely, unlike(false, floydAppends)),
		of("picks returned in sorted order", likely, unlike(false, func(key rng.Key, k uint64, r row) []uint64 {
			return slices.Sorted(slices.Values(selector.Permute(key, k, r.n, nil)))
		})),
		of("repeated picks kept", published, unlike(false, func(key rng.Key, k uint64, r row) []uint64 {
			return rightPicks(key, k, r, true)
		})),
		of("repeated weighted picks kept", published, unlike(true, func(key rng.Key, k uint64, r row) []uint64 {
			return rightPicks(key, k, r, true)
		})),
		of("weighted picks returned in sorted order", likely, unlike(true, func(key rng.Key, k uint64, r row) []uint64 {
			return slices.Sorted(slices.Values(selector.Successive(key, k, r.slots, r.biases, nil)))
		})),
		of("bipartite region search as printed", csaw, unlike(true, bipartiteRegions)),
		of("repeated pick replaced by the next candidate", likely, unlike(true, nextFree)),
		of("last candidate never drawn without replacement", likely, unlike(false, func(key rng.Key, k uint64, r row) []uint64 {
			return selector.Permute(key, k, r.n-1, nil)
		})),
		{"KHop: same key for all transits", likely,
			treeBy(rightPicks, func(key rng.Key, step, _ uint64) rng.Key { return key.Stream(step).Key(0) })},
		{"KHop: same key for all steps", likely,
			treeBy(rightPicks, func(key rng.Key, _, transit uint64) rng.Key { return key.Stream(0).Key(transit) })},
		{"KHop: same random word for all picks (generator passed by value)", csaw, treeBy(oneWord, ownKey)},
	}
}

func oneWord(key rng.Key, k uint64, r row, replace bool) []uint64 {
	picks := rightPicks(key, k, r, replace)
	if replace {
		for i := range picks {
			picks[i] = picks[0]
		}
	}
	return picks
}

func floydAppends(key rng.Key, k uint64, r row) (picks []uint64) {
	for i := range k {
		top := r.n - k + i
		p, _ := rng.Below(key.Word(i), top+1)
		if slices.Contains(picks, p) {
			p = top
		}
		picks = append(picks, p)
	}
	return picks
}

// bipartiteRegions draws by inverse transform. Only a draw in a region already taken is shrunk to the remaining mass
// and moved past the region. Such draws are not uniform over the remaining mass.
func bipartiteRegions(key rng.Key, k uint64, r row) (picks []uint64) {
	sums := []float64{0}
	for _, b := range r.biases {
		sums = append(sums, sums[len(sums)-1]+float64(b))
	}
	total := sums[r.n]
	find := func(x float64) uint64 {
		i := uint64(0)
		for i < r.n-1 && (x >= sums[i+1]) {
			i++
		}
		return i
	}
	for word := uint64(0); uint64(len(picks)) < k; word++ {
		if word > 64*k { // no candidate with a bias is left
			return picks
		}
		x := float64(key.Word(word)>>11) / (1 << 53) * total
		i := find(x)
		if slices.Contains(picks, i) {
			low, high := sums[i], sums[i+1]
			x *= (total - (high - low)) / total
			if x >= low {
				x += high - low
			}
			if i = find(x); slices.Contains(picks, i) {
				continue
			}
		}
		picks = append(picks, i)
	}
	return picks
}

// nextFree takes the next candidate with a bias in place of one that is taken.
func nextFree(key rng.Key, k uint64, r row) (picks []uint64) {
	for word := range k {
		i := uint64(right(key.Word(word), r))
		for tries := uint64(0); slices.Contains(picks, i) || r.biases[i] == 0; tries++ {
			if tries == r.n {
				return picks
			}
			i = (i + 1) % r.n
		}
		picks = append(picks, i)
	}
	return picks
}
