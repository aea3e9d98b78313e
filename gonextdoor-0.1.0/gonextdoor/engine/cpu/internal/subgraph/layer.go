package subgraph

import (
	"math/bits"
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/idmap"
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/engine/persample"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// layerSampler grows samples of an app.CollectiveStepper, for one thread. The candidates of a step are the edges of all its
// transits, row after row, numbered from 0.
type layerSampler struct {
	g         *graph.Graph
	transits  []uint32 // of the present step
	starts    []uint64 // the first candidate of each transit, and the number of candidates
	taken     bitset
	marked    []uint32 // vertices whose bit in taken is set
	ends      []uint32 // ends of the candidates, if they are few enough to copy
	left      []uint64 // numbers of the candidates that biases belong to
	biases    []uint64
	nextEqual []uint32
	ids       idmap.Map
	last      []uint32
	picks     []uint64
	scratch   selector.Scratch
	steps     app.CollectiveSteps
}

// bitset has a bit per vertex of the graph.
type bitset []uint64

// fit returns an empty bitset for the given number of vertices: m, which must be empty, if it is large enough.
func (m bitset) fit(vertices int) bitset {
	if n := vertices/64 + 1; len(m) < n {
		return make(bitset, n)
	}
	return m
}

func (m bitset) has(v uint32) bool { return m[v>>6]>>(v&63)&1 != 0 }

func (m bitset) set(v uint32) { m[v>>6] |= 1 << (v & 63) }

// clear clears the bits of vertices, which include all that are set.
func (m bitset) clear(vertices []uint32) {
	for _, v := range vertices {
		m[v>>6] = 0
	}
}

// layerPool keeps samplers between calls: a call for one sample must not pay for a bitset of the whole graph.
var layerPool = sync.Pool{New: func() any { return new(layerSampler) }} // with empty bitsets

// Layer returns a grower of the samples of an app.CollectiveStepper.
func Layer(p plan.Plan, g *graph.Graph) (persample.Grow, error) {
	steps := p.App.(app.CollectiveStepper).CollectiveSteps()
	return func(key rng.Key, roots []uint32, row app.Row) app.Row {
		l := layerPool.Get().(*layerSampler)
		l.steps, l.g = steps, g
		l.taken = l.taken.fit(g.NumVertices())
		row = l.grow(key, roots, row)
		l.g = nil // so that the pool does not keep the graph alive
		layerPool.Put(l)
		return row
	}, nil
}

// grow appends one sample to row: its roots, then step after step until the sample is full or has no candidates.
func (l *layerSampler) grow(key rng.Key, roots []uint32, row app.Row) app.Row {
	row = addRoots(row, roots)
	first := 0
	for step := uint64(0); !row.Stopped(); step++ {
		n := l.open(row.Vertices[first:])
		k := uint64(min(l.steps.StepSize, l.steps.MaxSize-len(row.Vertices)+len(roots)))
		if n == 0 || k == 0 {
			break
		}
		l.choose(key.Stream(step).Key(0), k, n)
		if len(l.picks) == 0 {
			break
		}
		end := len(row.Vertices)
		row = buffer.GrowRow(row, len(l.picks))
		for _, i := range l.picks {
			r, position := l.locate(i)
			row = row.Add(l.g.Indices[position], position)
			row.Parents = append(row.Parents, int32(first+r))
		}
		row.Ends = append(row.Ends, int32(len(row.Vertices)))
		first = end
	}
	return row
}

// open begins a step: it stores the transits and returns the number of their candidates.
func (l *layerSampler) open(transits []uint32) (n uint64) {
	l.transits = append(buffer.Grow(l.transits[:0], len(transits)), transits...) // a copy, because the row moves when it grows
	l.starts = append(buffer.Grow(l.starts[:0], len(transits)+1), 0)
	for _, v := range transits {
		n += l.g.Degree(v)
		l.starts = append(l.starts, n)
	}
	return n
}

// locate returns the transit and the edge position of candidate i, by a binary search.
func (l *layerSampler) locate(i uint64) (r int, position uint64) {
	lo, hi := 0, len(l.transits) // starts[lo] <= i < starts[hi]
	for hi-lo > 1 {
		if middle := int(uint(lo+hi) >> 1); l.starts[middle] <= i {
			lo = middle
		} else {
			hi = middle
		}
	}
	return lo, l.g.Indptr[l.transits[lo]] + i - l.starts[lo]
}

// each calls f with every candidate: its number, its transit, the position of its edge and the end of the edge.
func (l *layerSampler) each(f func(i uint64, v uint32, position uint64, u uint32)) {
	i := uint64(0)
	for _, v := range l.transits {
		first, end := l.g.Row(v)
		for p, u := range l.g.Indices[first:end] {
			f(i, v, first+uint64(p), u)
			i++
		}
	}
}

// take marks a vertex as taken in this step and reports whether it was not.
func (l *layerSampler) take(u uint32) bool {
	if l.taken.has(u) {
		return false
	}
	l.taken.set(u)
	l.marked = append(l.marked, u)
	return true
}

// forget unmarks all vertices.
func (l *layerSampler) forget() {
	l.taken.clear(l.marked)
	l.marked = l.marked[:0]
}

// choose picks up to k of n candidates into picks: all with a bias if n <= k, otherwise by the selector of the app.
func (l *layerSampler) choose(key rng.Key, k, n uint64) {
	l.picks = buffer.Grow(l.picks[:0], int(min(k, n)))
	switch {
	case n <= k:
		bias, unique := l.steps.Bias, l.steps.Unique
		l.each(func(i uint64, v uint32, position uint64, u uint32) {
			if bias.Of(l.g, v, position, u) > 0 && (!unique || l.take(u)) {
				l.picks = append(l.picks, i)
			}
		})
	case l.steps.Bias.By != app.Uniform:
		l.weigh(n)
		l.scanWithout(key, 0, k)
	case l.steps.Unique:
		l.distinct(key, k, n)
	default:
		l.picks = buffer.Grow(l.picks, int(k))[:k]
		buffer.MustFit(buffer.ScratchBytes * int64(k))
		l.picks = l.picks[:selector.PermuteAt(key, k, n, 0, l.picks, &l.scratch)]
	}
	l.forget()
}

// distinct picks k of n candidates with distinct ends uniformly: selector.Distinct over Uniform.
func (l *layerSampler) distinct(key rng.Key, k, n uint64) {
	// 1. If there are no more candidates than attempts, count the distinct ends. Once all are picked, no attempt can succeed.
	attempts := selector.AttemptsPerPick * k
	most := k
	l.ends = l.ends[:0]
	if n <= attempts {
		l.ends = buffer.Grow(l.ends, int(n))
		for _, v := range l.transits {
			l.ends = append(l.ends, l.g.Neighbors(v)...)
		}
		for _, u := range l.ends {
			l.take(u)
		}
		most = min(k, uint64(len(l.marked)))
		l.forget()
	}
	// 2. Attempts, in groups whose memory accesses overlap.
	for attempt := uint64(0); attempt < attempts && uint64(len(l.picks)) < most; attempt += plan.Ahead {
		l.try(key, attempt, min(attempt+plan.Ahead, attempts), most, n)
	}
	if uint64(len(l.picks)) == most {
		return
	}
	// 3. The attempts ran out: choose the rest by scans over the candidates whose end is not taken.
	l.left, l.biases = buffer.Grow(l.left[:0], int(n)), buffer.Grow(l.biases[:0], int(n))
	l.each(func(i uint64, _ uint32, _ uint64, u uint32) {
		if !l.taken.has(u) {
			l.left, l.biases = append(l.left, i), append(l.biases, 1)
		}
	})
	begun := len(l.picks)
	l.linkEqualEnds(uint64(len(l.left)), func(i uint64) uint32 {
		_, position := l.locate(l.left[i])
		return l.g.Indices[position]
	})
	l.scanWithout(key, attempts, most-uint64(begun))
	for i, p := range l.picks[begun:] {
		l.picks[begun+i] = l.left[p]
	}
}

// try makes the attempts [attempt, end): it draws and prefetches all, then accepts those whose end is new, up to most picks.
func (l *layerSampler) try(key rng.Key, attempt, end, most, n uint64) {
	var drawn, positions [plan.Ahead]uint64
	count := end - attempt
	for j := range count {
		drawn[j], _ = rng.Below(key.Word(attempt+j), n)
	}
	if len(l.ends) == 0 {
		for j, i := range drawn[:count] {
			_, positions[j] = l.locate(i)
		}
		stage.PrefetchIndices(unsafe.SliceData(l.g.Indices), positions[:count])
	}
	for j, i := range drawn[:count] {
		u := l.g.Indices[positions[j]]
		if len(l.ends) > 0 {
			u = l.ends[i]
		}
		if uint64(len(l.picks)) < most && l.take(u) {
			l.picks = append(l.picks, i)
		}
	}
}

// weigh computes the biases of n candidates. If ends must be distinct, it links the candidates of equal ends.
func (l *layerSampler) weigh(n uint64) {
	l.biases = buffer.Grow(l.biases[:0], int(n))[:n]
	bias := l.steps.Bias
	l.each(func(i uint64, v uint32, position uint64, u uint32) { l.biases[i] = bias.Of(l.g, v, position, u) })
	if !l.steps.Unique {
		l.nextEqual = l.nextEqual[:0]
		return
	}
	l.ends = buffer.Grow(l.ends[:0], int(n))
	for _, v := range l.transits {
		l.ends = append(l.ends, l.g.Neighbors(v)...)
	}
	l.linkEqualEnds(n, func(i uint64) uint32 { return l.ends[i] })
}

// linkEqualEnds links the candidates of equal ends in rings: nextEqual[i] is another candidate with the end of candidate i,
// or i. Picking one of a ring excludes all.
func (l *layerSampler) linkEqualEnds(n uint64, end func(i uint64) uint32) {
	l.ids.Reset(min(n, uint64(l.g.NumVertices())))
	l.nextEqual, l.last = buffer.Grow(l.nextEqual[:0], int(n))[:n], buffer.Grow(l.last[:0], int(min(n, uint64(l.g.NumVertices()))))
	for i := range uint32(n) {
		l.nextEqual[i] = i
		number, fresh := l.ids.Add(end(uint64(i)))
		if fresh {
			l.last = append(l.last, i)
			continue
		}
		before := &l.last[number]
		l.nextEqual[i], l.nextEqual[*before] = l.nextEqual[*before], i
		*before = i
	}
}

// scanWithout picks k of the weighed candidates without replacement, with the words from slot from on. If the sum of the biases
// exceeds 64 bits, it calls the serial selector.
func (l *layerSampler) scanWithout(key rng.Key, from, k uint64) {
	var sum, over uint64
	for _, b := range l.biases {
		var carry uint64
		sum, carry = bits.Add64(sum, b, 0)
		over += carry
	}
	alike := l.nextEqual
	if len(alike) == 0 {
		alike = nil
	}
	if over == 0 {
		l.picks = selector.ScanWithoutAt(key, from, k, l.biases, alike, l.picks, &l.scratch)
		return
	}
	l.picks = selector.ScanWithout(key, k, l.biases, func(i uint64) { // not after attempts, whose biases are 1
		l.biases[i] = 0
		for j := i; alike != nil && uint64(alike[j]) != i; {
			j = uint64(alike[j])
			l.biases[j] = 0
		}
	}, l.picks)
}
