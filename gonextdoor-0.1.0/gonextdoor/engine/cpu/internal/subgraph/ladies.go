package subgraph

import (
	"sync"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/engine/persample"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// ladiesSampler grows samples of an app.ImportanceLayered, for one thread. It sums the rows of a layer into an array of the
// whole graph and clears the elements that it touched.
type ladiesSampler struct {
	layerLinks
	sizes       []int
	replace     bool
	sums        []uint64 // by vertex: twice the sum of its shares, plus 1; 0: no candidate
	candidates  []uint32
	importances []uint64
	picks       []uint64
	scratch     selector.Scratch
}

// ladiesPool keeps samplers between calls: a call for one batch must not pay for an array of the whole graph.
var ladiesPool = sync.Pool{New: func() any { return new(ladiesSampler) }}

// LADIES returns a grower of the samples of an app.ImportanceLayered: each layer is drawn from the neighbourhood of the
// layer before.
func LADIES(p plan.Plan, g *graph.Graph) (persample.Grow, error) {
	layers := p.App.(app.ImportanceLayered).ImportanceLayers()
	return func(key rng.Key, roots []uint32, row app.Row) app.Row {
		l := ladiesPool.Get().(*ladiesSampler)
		l.sizes, l.replace, l.norm, l.normalize = layers.Sizes, layers.Replace, layers.Normalization, layers.Normalize
		l.g = g
		if n := g.NumVertices(); len(l.sums) < n {
			l.sums = make([]uint64, n)
		}
		row = l.grow(key, roots, row)
		l.sizes, l.g = nil, nil // so that the pool keeps neither app nor graph alive
		ladiesPool.Put(l)
		return row
	}, nil
}

// grow appends one sample to row: the roots, then layer after layer with its links to the layer before.
func (l *ladiesSampler) grow(key rng.Key, roots []uint32, row app.Row) app.Row {
	row = addRoots(row, roots)
	first := 0
	for step, size := range l.sizes {
		if row.Stopped() {
			break
		}
		total := l.gather(row.Vertices[first:])
		first = len(row.Vertices)
		l.choose(key.Stream(uint64(step)).Key(0), uint64(size))
		row = buffer.GrowRow(row, len(l.vertices)).AddLayer(l.vertices)
		l.weigh(total, func(i int) uint64 { return l.importances[l.picks[i]] })
		row.Links = l.connect(row)
	}
	return row
}

// gather computes the candidates of the next layer and their importances, and returns the sum of the importances. last is
// the layer before.
func (l *ladiesSampler) gather(last []uint32) (total uint64) {
	// 1. Choose the unit of the fixed-point shares, so that their sums fit 64 bits.
	sum := uint64(0)
	for _, v := range last {
		sum += l.g.Degree(v) + 1
	}
	unit := l.norm.Unit(uint64(len(last)), sum)
	most := int(min(sum, uint64(l.g.NumVertices()))) + 1 // plus 1: each end is stored before it is known to be new
	// 2. Add up the rows.
	l.candidates = buffer.Grow(l.candidates[:0], most)[:most]
	n := 0
	for i, v := range last {
		l.prefetchAhead(last, i)
		n = l.read(v, unit, n)
	}
	// 3. Convert the sums to importances and clear them.
	l.candidates = l.candidates[:n]
	l.importances = buffer.Grow(l.importances[:0], n)[:n]
	for i, u := range l.candidates {
		b := l.norm.Column(l.sums[u]>>1, l.g.Degree(u)+1)
		l.importances[i] = b
		total += b
		l.sums[u] = 0
	}
	return total
}

// read adds the row of v to the sums and returns the number of candidates. An entry A(v, u) adds the square of its
// multiplicity in shares: the edge after count equal ones adds 2*count+1. It has no branches on whether a vertex is new or an
// edge repeats, since both are unpredictable.
func (l *ladiesSampler) read(v uint32, unit uint, n int) int {
	row, sums, candidates := l.g.Neighbors(v), l.sums, l.candidates
	share := l.norm.Share(uint64(len(row))+1, unit)
	before, count := v, uint64(0) // equal edges before this one; the first edge is the loop that normalization adds
	if sums[v] == 0 {
		candidates[n] = v
		n++
	}
	sums[v] = (sums[v] | 1) + 2*share
	for _, u := range row {
		again, fresh := uint64(0), 0
		if u == before {
			again = 1
		}
		if count = (count + 1) & -again; u == v && again == 0 {
			count = 1
		}
		before = u
		s := sums[u]
		if s == 0 {
			fresh = 1
		}
		candidates[n] = u
		n += fresh
		sums[u] = (s | 1) + (4*count+2)*share
	}
	return n
}

// choose picks the vertices of a layer among the candidates, by importance.
func (l *ladiesSampler) choose(key rng.Key, size uint64) {
	most := min(size, uint64(len(l.candidates)))
	if l.replace {
		most = size
	}
	l.picks, l.vertices = buffer.Grow(l.picks[:0], int(most)), buffer.Grow(l.vertices[:0], int(most))
	buffer.MustFit(buffer.ScratchBytes * int64(most))
	switch {
	case l.replace:
		l.picks = selector.ScanAt(key, size, l.importances, l.picks, &l.scratch)
	case uint64(len(l.candidates)) <= size:
		for i := range l.candidates {
			l.picks = append(l.picks, uint64(i))
		}
	default:
		l.picks = selector.ScanWithoutAt(key, 0, size, l.importances, nil, l.picks, &l.scratch)
	}
	for _, i := range l.picks {
		l.vertices = append(l.vertices, l.candidates[i])
	}
}
