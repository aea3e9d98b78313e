package cpu

import (
	"sync"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/whole"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

func init() { growers["LADIES"] = newLADIES }

// ladies grows samples of app.LADIES. A layer's rows are summed into an array of the whole graph, of which each sample
// touches, and clears, what it meets.
type ladies struct {
	layerwise
	app         *app.LADIES
	sums        []uint64 // by vertex: twice the sum of its shares, and one more; 0: not met
	candidates  []uint32
	importances []uint64
	picks       []uint64
	scratch     selector.Scratch
}

// A call for one batch must not pay for an array of the whole graph: growers that are clean are lent again.
var ladiesPool = sync.Pool{New: func() any { return new(ladies) }}

func newLADIES(p plan.Plan, g *graph.Graph) (whole.Grow, error) {
	a := p.App.(*app.LADIES)
	return func(key rng.Key, roots []uint32, row app.Row) app.Row {
		l := ladiesPool.Get().(*ladies)
		l.app, l.g, l.norm, l.normalize = a, g, a.Normalization, a.Normalize
		if n := g.NumVertices(); len(l.sums) < n {
			l.sums = make([]uint64, n)
		}
		row = l.grow(key, roots, row)
		l.app, l.g = nil, nil
		ladiesPool.Put(l)
		return row
	}, nil
}

func (l *ladies) grow(key rng.Key, roots []uint32, row app.Row) app.Row {
	row = begin(row, roots)
	first := 0
	for step, size := range l.app.Sizes {
		if row.Stopped() {
			break
		}
		total := l.gather(row.Vertices[first:])
		first = len(row.Vertices)
		l.choose(key.Stream(uint64(step)).Key(0), uint64(size))
		row = grownRow(row, len(l.vertices)).AddLayer(l.vertices)
		l.weigh(total, func(i int) uint64 { return l.importances[l.picks[i]] })
		row.Links = l.connect(row)
	}
	return row
}

// gather finds the candidates of a layer and their importances, whose sum it gives.
func (l *ladies) gather(last []uint32) (total uint64) {
	sum := uint64(0)
	for _, v := range last {
		sum += l.g.Degree(v) + 1
	}
	unit := l.norm.Unit(uint64(len(last)), sum)
	most := int(min(sum, uint64(l.g.NumVertices()))) + 1 // each is written before it is known to be new
	l.candidates = grown(l.candidates[:0], most)[:most]
	n := 0
	for i, v := range last {
		l.ahead(last, i)
		n = l.read(v, unit, n)
	}
	l.candidates = l.candidates[:n]
	l.importances = grown(l.importances[:0], n)[:n]
	for i, u := range l.candidates {
		b := l.norm.Column(l.sums[u]>>1, l.g.Degree(u)+1)
		l.importances[i] = b
		total += b
		l.sums[u] = 0
	}
	return total
}

// read adds what one vertex gives: that A(v, u) is one more than count adds 2*count+1 shares to u's sum. Which vertices
// are new, and which edges are there twice, cannot be foreseen, so neither is branched on.
func (l *ladies) read(v uint32, unit uint, n int) int {
	row, sums, candidates := l.g.Neighbors(v), l.sums, l.candidates
	share := l.norm.Share(uint64(len(row))+1, unit)
	before, count := v, uint64(0) // the edges to it so far; the first is the loop that normalising adds
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

// choose picks a layer among the candidates.
func (l *ladies) choose(key rng.Key, size uint64) {
	most := min(size, uint64(len(l.candidates)))
	if l.app.Replace {
		most = size
	}
	l.picks, l.vertices = grown(l.picks[:0], int(most)), grown(l.vertices[:0], int(most))
	afford(scratchBytes * int64(most))
	switch {
	case l.app.Replace:
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
