package cpu

import (
	"slices"

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
	sums        []uint64 // by vertex
	met         marks
	candidates  []uint32
	importances []uint64
	picks       []uint64
	scratch     selector.Scratch
}

func newLADIES(p plan.Plan, g *graph.Graph) (whole.Grow, error) {
	a, n := p.App.(*app.LADIES), g.NumVertices()
	l := &ladies{app: a, sums: make([]uint64, n), met: newMarks(n)}
	l.layerwise = layerwise{g: g, norm: a.Normalization, normalize: a.Normalize, marks: newMarks(n)}
	return l.grow, nil
}

func (l *ladies) grow(key rng.Key, roots []uint32, row app.Row) app.Row {
	row = begin(row, roots)
	first := 0
	for step, size := range l.app.Sizes {
		total := l.gather(row.Vertices[first:])
		first = len(row.Vertices)
		l.choose(key.Stream(uint64(step)).Key(0), uint64(size))
		row = row.AddLayer(l.vertices)
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
	l.candidates = slices.Grow(l.candidates[:0], int(min(sum, uint64(len(l.sums)))))
	for i, v := range last {
		l.ahead(last, i)
		l.read(v, unit)
	}
	l.importances = slices.Grow(l.importances[:0], len(l.candidates))[:len(l.candidates)]
	for i, u := range l.candidates {
		b := l.norm.Column(l.sums[u], l.g.Degree(u)+1)
		l.importances[i] = b
		total += b
		l.sums[u] = 0
	}
	l.met.forget(l.candidates)
	return total
}

// read adds what one vertex gives: that A(v, u) is one more than count adds 2*count+1 shares to u's sum.
func (l *ladies) read(v uint32, unit uint) {
	row, sums, met := l.g.Neighbors(v), l.sums, l.met
	share := l.norm.Share(uint64(len(row))+1, unit)
	if !met.has(v) {
		l.meet(v)
	}
	sums[v] += share              // for the loop that normalising adds
	before, count := v, uint64(0) // the edges to it so far
	for _, u := range row {
		switch u {
		case before:
			count++
		case v:
			count = 1
		default:
			count = 0
		}
		before = u
		if !met.has(u) {
			l.meet(u)
		}
		sums[u] += (2*count + 1) * share
	}
}

func (l *ladies) meet(u uint32) {
	l.met.set(u)
	l.candidates = append(l.candidates, u)
}

// choose picks a layer among the candidates.
func (l *ladies) choose(key rng.Key, size uint64) {
	l.picks = l.picks[:0]
	switch {
	case l.app.Replace:
		l.picks = selector.ScanAt(key, size, l.importances, l.picks, &l.scratch)
	case uint64(len(l.candidates)) <= size:
		for i := range l.candidates {
			l.picks = append(l.picks, uint64(i))
		}
	default:
		l.picks = selector.DepleteAt(key, 0, size, l.importances, nil, l.picks, &l.scratch)
	}
	l.vertices = l.vertices[:0]
	for _, i := range l.picks {
		l.vertices = append(l.vertices, l.candidates[i])
	}
}
