package cpu

import (
	"math/bits"
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/engine/whole"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

func init() { growers["Layer"] = newLayer }

// layer grows samples of app.Layer: a step's candidates are the edges of all its transits, one row behind the other.
type layer struct {
	g       *graph.Graph
	app     *app.Layer
	places  []uint32 // the transits
	starts  []uint64 // where the row of each begins among the candidates, and the end
	taken   marks
	met     []uint32 // vertices with a mark
	ends    []uint32 // of the candidates, where they are few
	left    []uint64 // candidates that are weighed; nil: all
	biases  []uint64
	alike   []uint32
	roster  roster
	last    []uint32
	picks   []uint64
	scratch selector.Scratch
}

// marks has a bit for each vertex of the graph.
type marks []uint64

// room gives marks for a graph of so many vertices: these, which are clean, where they are enough.
func (m marks) room(vertices int) marks {
	if n := vertices/64 + 1; len(m) < n {
		return make(marks, n)
	}
	return m
}

func (m marks) has(v uint32) bool { return m[v>>6]>>(v&63)&1 != 0 }

func (m marks) set(v uint32) { m[v>>6] |= 1 << (v & 63) }

// forget takes the marks of all these away.
func (m marks) forget(vertices []uint32) {
	for _, v := range vertices {
		m[v>>6] = 0
	}
}

var layerPool = sync.Pool{New: func() any { return new(layer) }} // clean ones

func newLayer(p plan.Plan, g *graph.Graph) (whole.Grow, error) {
	a := p.App.(*app.Layer)
	return func(key rng.Key, roots []uint32, row app.Row) app.Row {
		l := layerPool.Get().(*layer)
		l.app, l.g = a, g
		l.taken = l.taken.room(g.NumVertices())
		row = l.grow(key, roots, row)
		l.app, l.g = nil, nil
		layerPool.Put(l)
		return row
	}, nil
}

func (l *layer) grow(key rng.Key, roots []uint32, row app.Row) app.Row {
	row = begin(row, roots)
	first := 0
	for step := uint64(0); !row.Stopped(); step++ {
		n := l.open(row.Vertices[first:])
		k := uint64(min(l.app.StepSize, l.app.MaxSize-len(row.Vertices)+len(roots)))
		if n == 0 || k == 0 {
			break
		}
		l.choose(key.Stream(step).Key(0), k, n)
		if len(l.picks) == 0 {
			break
		}
		end := len(row.Vertices)
		row = grownRow(row, len(l.picks))
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

// open takes the transits of a step and counts their candidates.
func (l *layer) open(transits []uint32) (n uint64) {
	l.places = append(grown(l.places[:0], len(transits)), transits...) // the row moves when it grows
	l.starts = append(grown(l.starts[:0], len(transits)+1), 0)
	for _, v := range transits {
		n += l.g.Degree(v)
		l.starts = append(l.starts, n)
	}
	return n
}

// locate gives the transit and the position of candidate i.
func (l *layer) locate(i uint64) (r int, position uint64) {
	lo, hi := 0, len(l.places) // starts[lo] <= i < starts[hi]
	for hi-lo > 1 {
		if middle := int(uint(lo+hi) >> 1); l.starts[middle] <= i {
			lo = middle
		} else {
			hi = middle
		}
	}
	return lo, l.g.Indptr[l.places[lo]] + i - l.starts[lo]
}

// each calls f with every candidate: its number, transit, position and end.
func (l *layer) each(f func(i uint64, v uint32, position uint64, u uint32)) {
	i := uint64(0)
	for _, v := range l.places {
		first, end := l.g.Row(v)
		for p, u := range l.g.Indices[first:end] {
			f(i, v, first+uint64(p), u)
			i++
		}
	}
}

// take says whether a vertex is new to the step, and has it taken from then on.
func (l *layer) take(u uint32) bool {
	if l.taken.has(u) {
		return false
	}
	l.taken.set(u)
	l.met = append(l.met, u)
	return true
}

func (l *layer) forget() {
	l.taken.forget(l.met)
	l.met = l.met[:0]
}

// choose picks k of n candidates.
func (l *layer) choose(key rng.Key, k, n uint64) {
	l.picks = grown(l.picks[:0], int(min(k, n)))
	switch {
	case n <= k:
		l.each(func(i uint64, v uint32, position uint64, u uint32) {
			if l.app.EdgeBias(l.g, v, position, u) > 0 && (!l.app.Unique || l.take(u)) {
				l.picks = append(l.picks, i)
			}
		})
	case l.app.Bias != app.Uniform:
		l.weigh(n)
		l.deplete(key, 0, k)
	case l.app.Unique:
		l.distinct(key, k, n)
	default:
		l.picks = grown(l.picks, int(k))[:k]
		afford(scratchBytes * int64(k))
		l.picks = l.picks[:selector.PermuteAt(key, k, n, 0, l.picks, &l.scratch)]
	}
	l.forget()
}

// distinct is Distinct over Uniform. Where the candidates are no more than the attempts, their different vertices are
// counted before: when all are picked, no further attempt can be in.
func (l *layer) distinct(key rng.Key, k, n uint64) {
	attempts := selector.AttemptsPerPick * k
	most := k
	l.ends = l.ends[:0]
	if n <= attempts {
		l.ends = grown(l.ends, int(n))
		for _, v := range l.places {
			l.ends = append(l.ends, l.g.Neighbors(v)...)
		}
		for _, u := range l.ends {
			l.take(u)
		}
		most = min(k, uint64(len(l.met)))
		l.forget()
	}
	for attempt := uint64(0); attempt < attempts && uint64(len(l.picks)) < most; attempt += plan.Ahead {
		l.try(key, attempt, min(attempt+plan.Ahead, attempts), most, n)
	}
	if uint64(len(l.picks)) == most {
		return
	}
	l.left, l.biases = grown(l.left[:0], int(n)), grown(l.biases[:0], int(n))
	l.each(func(i uint64, _ uint32, _ uint64, u uint32) {
		if !l.taken.has(u) {
			l.left, l.biases = append(l.left, i), append(l.biases, 1)
		}
	})
	begun := len(l.picks)
	l.ring(uint64(len(l.left)), func(i uint64) uint32 {
		_, position := l.locate(l.left[i])
		return l.g.Indices[position]
	})
	l.deplete(key, attempts, most-uint64(begun))
	for i, p := range l.picks[begun:] {
		l.picks[begun+i] = l.left[p]
	}
}

// try makes some attempts, whose edges are asked for together.
func (l *layer) try(key rng.Key, attempt, end, most, n uint64) {
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

// weigh gives each of n candidates its bias.
func (l *layer) weigh(n uint64) {
	l.biases = grown(l.biases[:0], int(n))[:n]
	l.each(func(i uint64, v uint32, position uint64, u uint32) { l.biases[i] = l.app.EdgeBias(l.g, v, position, u) })
	if !l.app.Unique {
		l.alike = l.alike[:0]
		return
	}
	l.ends = grown(l.ends[:0], int(n))
	for _, v := range l.places {
		l.ends = append(l.ends, l.g.Neighbors(v)...)
	}
	l.ring(n, func(i uint64) uint32 { return l.ends[i] })
}

// ring ties those of n candidates together that have one end.
func (l *layer) ring(n uint64, end func(i uint64) uint32) {
	l.roster.reset(min(n, uint64(l.g.NumVertices())))
	l.alike, l.last = grown(l.alike[:0], int(n))[:n], grown(l.last[:0], int(min(n, uint64(l.g.NumVertices()))))
	for i := range uint32(n) {
		l.alike[i] = i
		number, fresh := l.roster.add(end(uint64(i)))
		if fresh {
			l.last = append(l.last, i)
			continue
		}
		before := &l.last[number]
		l.alike[i], l.alike[*before] = l.alike[*before], i
		*before = i
	}
}

// deplete picks k of those that were weighed, with the words from a slot on. Biases whose sum is no 64-bit number are left
// to the definition.
func (l *layer) deplete(key rng.Key, from, k uint64) {
	var sum, over uint64
	for _, b := range l.biases {
		var carry uint64
		sum, carry = bits.Add64(sum, b, 0)
		over += carry
	}
	alike := l.alike
	if len(alike) == 0 {
		alike = nil
	}
	if over == 0 {
		l.picks = selector.ScanWithoutAt(key, from, k, l.biases, alike, l.picks, &l.scratch)
		return
	}
	l.picks = selector.ScanWithout(key, k, l.biases, func(i uint64) { // never behind attempts, whose biases are 1
		l.biases[i] = 0
		for j := i; alike != nil && uint64(alike[j]) != i; {
			j = uint64(alike[j])
			l.biases[j] = 0
		}
	}, l.picks)
}
