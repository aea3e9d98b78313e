package mutant

import (
	"math"
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

func init() {
	families = append(families, temporalMutants)
	sound["TemporalWalk"] = temporalBy(temporalFault{})
}

// temporalFault has faulty parts of temporal walks; the zero value has none.
type temporalFault struct {
	ties    func(strict bool) bool                   // whether equal times follow; nil: unless strict
	last    func(edges []uint64) uint64              // the edge whose time counts; nil: the last one
	order   func(positions []uint64, g *graph.Graph) // changes the order of the candidates; nil: none
	forward bool                                     // direction ignored
	once    bool                                     // parallel edges are one candidate
	scale   func(scale uint64) uint64                // nil: as it is
	word    func(s uint64) uint64                    // the slot of a step; nil: its own
	rank    bool                                     // exponential in the order of times, not in the times
	fresh   bool                                     // the first step ignores the bias
	limits  func(l *app.TimeRange)                   // changes the limits along the walk; nil: none
	whole   bool                                     // edges after the end count, and walks end at them
	always  bool                                     // the window also limits later edges
}

func temporalBy(f temporalFault) func(app.App) apptest.Sampler {
	return func(a app.App) apptest.Sampler {
		t, ok := a.(*apps.TemporalWalk)
		if !ok {
			return nil
		}
		return func(g *graph.Graph, key rng.Key, roots []uint32, out app.Row) app.Row {
			v := roots[0]
			out.Vertices = append(out.Vertices, v)
			for s := range uint64(t.Length) {
				e := graph.NoEdge
				if v != graph.None {
					slot := rng.Slot(s, 0)
					if f.word != nil {
						slot = f.word(s)
					}
					e = f.step(t, g, v, out.Edges, key.Word(slot))
				}
				if v = graph.None; e != graph.NoEdge {
					v = g.Indices[e]
				}
				out = out.Add(v, e)
			}
			return out
		}
	}
}

// step chooses one of the edges of v after the edges of the walk so far.
func (f temporalFault) step(t *apps.TemporalWalk, g *graph.Graph, v uint32, edges []uint64, word uint64) uint64 {
	limits := t.TimeLimits().Of(t.TimeOrder(), 0)
	if f.limits != nil {
		f.limits(&limits)
	}
	may := f.candidates(t, g, v, edges, limits.Start)
	end := limits.End
	if len(edges) == 0 || f.always {
		end = limits.FirstEnd
	}
	within := func(e uint64) bool { return t.TimeOrder().Along(g.Times[e]) <= end }
	if !f.whole {
		may = slices.DeleteFunc(may, func(e uint64) bool { return !within(e) })
	}
	n, i := len(may), int64(-1)
	bias := t.Bias
	if f.fresh && len(edges) == 0 {
		bias = app.UniformInTime
	}
	switch bias {
	case app.UniformInTime:
		i = selector.Uniform(word, uint64(n))
	case app.LinearInTime:
		i = selector.Scan(word, n, func(i int) uint64 { return uint64(n - i) })
	case app.ExponentialInTime:
		scale := t.Scale
		if f.scale != nil {
			scale = f.scale(scale)
		}
		sums := make([]index.DecaySum, n)
		index.DecaySums(n, func(i int) int64 {
			if f.rank {
				return int64(i)
			}
			return g.Times[may[i]]
		}, scale, sums)
		i = selector.Decay(word, sums)
	}
	if i < 0 || !within(may[i]) {
		return graph.NoEdge
	}
	return may[i]
}

// candidates returns the edges of v that may follow, the first one from a start, nearest first.
func (f temporalFault) candidates(t *apps.TemporalWalk, g *graph.Graph, v uint32, edges []uint64, start int64) (may []uint64) {
	strict := t.Strict
	if f.ties != nil {
		strict = !f.ties(strict)
	}
	order := index.TemporalOrder{Backward: t.Direction == apps.Backward && !f.forward, Strict: strict}
	first, end := g.Row(v)
	for p := first; p < end; p++ {
		if f.once && p > first && g.Indices[p] == g.Indices[p-1] {
			continue
		}
		last := graph.NoEdge
		if len(edges) > 0 {
			last = edges[len(edges)-1]
			if f.last != nil {
				last = f.last(edges)
			}
		}
		if last == graph.NoEdge && order.Along(g.Times[p]) >= start || last != graph.NoEdge && order.Follows(g.Times[p], g.Times[last]) {
			may = append(may, p)
		}
	}
	slices.SortStableFunc(may, func(p, q uint64) int { return order.Compare(g.Times[p], g.Times[q]) })
	if f.order != nil {
		f.order(may, g)
	}
	return may
}

var temporalMutants = []mutant{
	{"TemporalWalk: an edge at the same time follows although strict", likely, temporalBy(temporalFault{
		ties: func(bool) bool { return true }})},
	{"TemporalWalk: an edge at the same time never follows", likely, temporalBy(temporalFault{
		ties: func(bool) bool { return false }})},
	{"TemporalWalk: the time of the edge before the last counts", likely, temporalBy(temporalFault{
		last: func(edges []uint64) uint64 { return edges[max(0, len(edges)-2)] }})},
	{"TemporalWalk: the time of the first edge counts at all steps", likely, temporalBy(temporalFault{
		last: func(edges []uint64) uint64 { return edges[0] }})},
	{"TemporalWalk: times ignored after the first step", likely, temporalBy(temporalFault{
		last: func([]uint64) uint64 { return graph.NoEdge }})},
	{"TemporalWalk: the bias prefers the farthest edges", likely, temporalBy(temporalFault{
		order: func(positions []uint64, _ *graph.Graph) { slices.Reverse(positions) }})},
	{"TemporalWalk: candidates in the order of the row", likely, temporalBy(temporalFault{
		order: func(positions []uint64, _ *graph.Graph) { slices.Sort(positions) }})},
	{"TemporalWalk: forward although backward", likely, temporalBy(temporalFault{forward: true})},
	{"TemporalWalk: parallel edges are one candidate", likely, temporalBy(temporalFault{once: true})},
	{"TemporalWalk: twice the scale", likely, temporalBy(temporalFault{scale: func(s uint64) uint64 { return 2 * s }})},
	{"TemporalWalk: a scale of 1", likely, temporalBy(temporalFault{scale: func(uint64) uint64 { return 1 }})},
	{"TemporalWalk: exponential in the rank, not in the time", likely, temporalBy(temporalFault{rank: true})},
	{"TemporalWalk: the first step is uniform", likely, temporalBy(temporalFault{fresh: true})},
	{"TemporalWalk: the start ignored", likely, temporalBy(temporalFault{
		limits: func(l *app.TimeRange) { l.Start = math.MinInt64 }})},
	{"TemporalWalk: edges at the start excluded", likely, temporalBy(temporalFault{
		limits: func(l *app.TimeRange) { l.Start = max(l.Start, l.Start+1) }})},
	{"TemporalWalk: the end ignored", likely, temporalBy(temporalFault{
		limits: func(l *app.TimeRange) { l.End = math.MaxInt64 }})},
	{"TemporalWalk: edges at the end excluded", likely, temporalBy(temporalFault{
		limits: func(l *app.TimeRange) { l.End, l.FirstEnd = l.End-1, min(l.End-1, l.FirstEnd) }})},
	{"TemporalWalk: the window ignored", likely, temporalBy(temporalFault{
		limits: func(l *app.TimeRange) { l.FirstEnd = l.End }})},
	{"TemporalWalk: the window excludes its last time", likely, temporalBy(temporalFault{
		limits: func(l *app.TimeRange) { l.FirstEnd = min(l.FirstEnd, max(l.FirstEnd-1, l.Start)) }})},
	{"TemporalWalk: the window limits all edges", likely, temporalBy(temporalFault{always: true})},
	{"TemporalWalk: an edge after the end is chosen and ends the walk", likely, temporalBy(temporalFault{whole: true})},
	{"TemporalWalk: all steps read the word of the first", likely, temporalBy(temporalFault{word: func(uint64) uint64 { return 0 }})},
}
