package apps

import (
	"bytes"
	"math"
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// TemporalWalk is a walk that respects the times of edges (CTDNE: Nguyen et al., WWW'18 Companion; Tempest). Forward, each
// edge is later than the one before it; backward, earlier. If Strict is false, it may also be at the same time, as in CTDNE.
// The first step takes any edge of the root.
//
// The candidates of a step are the edges of the current vertex that may follow, nearest in time first: forward the earliest,
// backward the latest, at the first step too. Parallel edges are separate candidates. Edges of equal time are in the order of
// their positions. Among n candidates, TimeBias determines the probability of candidate i, from 0.
//
// With Start, the first edge is not before it along the walk, and with Window not later than that after it. With End, no edge
// is after it. Edges at these times are candidates. The others count in no probability.
//
// A walk ends if there is no candidate. The remaining vertices are graph.None. Weights of edges are ignored.
type TemporalWalk struct {
	Length    int          `json:"length"`    // steps, 0 to MaxLength
	Direction Direction    `json:"direction"` // of time
	Bias      app.TimeBias `json:"bias"`
	Strict    bool         `json:"strict"` // whether successive edges have different times
	// Scale is the time in which the weights of ExponentialInTime fall to 1/e, in the unit of times. 0: index.MeanGap.
	Scale  uint64        `json:"scale"`
	Start  app.RootTimes `json:"start"`
	Window app.RootTimes `json:"start_window"`
	End    app.RootTimes `json:"end"`
}

// Direction is the direction in which a walk passes through time.
type Direction int

// The directions. The zero value is Forward.
const (
	Forward  Direction = iota // times ascend
	Backward                  // times descend
)

// UnmarshalJSON reads "forward" and "backward".
func (d *Direction) UnmarshalJSON(text []byte) error {
	switch string(bytes.TrimSpace(text)) {
	case `"forward"`:
		*d = Forward
	case `"backward"`:
		*d = Backward
	default:
		return refuse.Type("direction = %s: expected \"forward\" or \"backward\"", text)
	}
	return nil
}

// Name is "TemporalWalk".
func (a *TemporalWalk) Name() string { return "TemporalWalk" }

// Check returns an error if Length is out of range, Scale is set for another bias, Window without Start, or Start is after End.
func (a *TemporalWalk) Check() error {
	if a.Window.Given() && !a.Start.Given() {
		return refuse.Value("start_window = %v: it begins at the start; pass start, too", a.Window)
	}
	if w := a.Window; w.Each != nil || w.All != nil && *w.All < 0 {
		return refuse.Value("start_window = %v: expected one length of time, at least 0", w)
	}
	if s, e := a.Start.All, a.End.All; s != nil && e != nil && a.order().Compare(*s, *e) > 0 {
		side := [...]string{Forward: "after", Backward: "before"}[a.Direction]
		return refuse.Value("start = %d: it is %s end = %d, so no walk of this direction has an edge", *s, side, *e)
	}
	if a.Scale != 0 && a.Bias != app.ExponentialInTime {
		return refuse.Value("scale = %d: only bias = \"exponential\" has a scale", a.Scale)
	}
	return app.CheckLength("length", a.Length, 0)
}

// Weighs is false.
func (a *TemporalWalk) Weighs(*graph.Graph) bool { return false }

// The largest time span in scales, and the largest degree, for which the exponents of index.DecaySum always suffice. A graph
// may exceed one of them, but not both.
const (
	mostScales      = 1 << 27
	mostDecayDegree = 1 << 22
)

// Bind resolves Scale for g. It returns an error if g has no times, if a row is too long for index.TemporalRows, or if sums
// of weights would exceed their range.
func (a *TemporalWalk) Bind(g *graph.Graph) (app.App, error) {
	var gap, span uint64
	if a.Bias == app.ExponentialInTime && g.Times != nil {
		var err error
		if gap, err = index.MeanGap(g, graph.Options{}); err != nil {
			return nil, err
		}
		if span, err = index.TimeSpan(g, graph.Options{}); err != nil {
			return nil, err
		}
	}
	return a.BindTimes(g, gap, span)
}

// BindTimes is Bind for a graph with index.MeanGap and index.TimeSpan, which it does not compute.
func (a *TemporalWalk) BindTimes(g *graph.Graph, gap, span uint64) (app.App, error) {
	bound, err := a.Draft(g)
	if err != nil || a.Bias != app.ExponentialInTime {
		return bound, err
	}
	b := *a
	if b.Scale == 0 {
		b.Scale = gap
	}
	if span/b.Scale >= mostScales && g.MaxDegree() >= mostDecayDegree {
		return nil, refuse.Value("scale = %d: the times of the graph span %d scales, and a vertex has %d edges; pass a scale of at least %d",
			b.Scale, span/b.Scale, g.MaxDegree(), span/mostScales+1)
	}
	return &b, nil
}

// Draft returns the app without resolving Scale, or an error of Bind.
func (a *TemporalWalk) Draft(g *graph.Graph) (app.App, error) {
	if g.Times == nil {
		return nil, refuse.Value("graph: TemporalWalk follows the times of edges, and its edges have none; build it with times=")
	}
	if g.MaxDegree() > index.MaxTemporalDegree {
		return nil, refuse.Value("graph: a vertex has %d edges; TemporalWalk expects at most 2^32 - 1", g.MaxDegree())
	}
	return a, nil
}

// TimeOrder returns the order of edges along the walk. a is bound.
func (a *TemporalWalk) TimeOrder() index.TemporalOrder { return a.order() }

// order returns the order of edges along the walk. a is bound.
func (a *TemporalWalk) order() index.TemporalOrder {
	return index.TemporalOrder{Backward: a.Direction == Backward, Strict: a.Strict, Scale: a.Scale}
}

// View returns the graph with rows in order of time, building them first if necessary.
func (a *TemporalWalk) View(g *graph.Graph, options graph.Options) (*graph.Graph, error) {
	bound, err := a.Bind(g)
	if err != nil {
		return nil, err
	}
	return index.TemporalView(g, bound.(*TemporalWalk).order(), options)
}

// ViewsDegrees is false.
func (a *TemporalWalk) ViewsDegrees() bool { return false }

// ViewNow returns the view if it has been built, otherwise nil.
func (a *TemporalWalk) ViewNow(g *graph.Graph) *graph.Graph {
	return index.TemporalViewNow(g, a.scaled(g))
}

// scaled returns the order with the resolved scale; without one if reading the times fails, as View will report.
func (a *TemporalWalk) scaled(g *graph.Graph) index.TemporalOrder {
	order := a.order()
	if a.Bias == app.ExponentialInTime && a.Scale == 0 {
		order.Scale, _ = index.MeanGap(g, graph.Options{})
	}
	return order
}

// Tables returns the rows in order of time, hints of exponential choices, and the times that limits are searched in.
func (a *TemporalWalk) Tables(g *graph.Graph) []*index.Table {
	order := a.scaled(g)
	tables := []*index.Table{index.TemporalTable(order)}
	if order.Scale > 0 {
		tables = append(tables, index.DecayRecordsTable(order))
	}
	if a.TimeLimits().Given() {
		tables = append(tables, index.TemporalTimesTable(order))
	}
	return tables
}

// Selector is Uniform, Rank or Decay.
func (a *TemporalWalk) Selector() string {
	return [...]string{app.UniformInTime: "Uniform", app.LinearInTime: "Rank", app.ExponentialInTime: "Decay"}[a.Bias]
}

// Width is Length+1.
func (a *TemporalWalk) Width(roots int) int { return roots + a.Length }

// Expect returns the expected length if edges have random times: a uniform step passes over half of the rest of the time, a
// linear one over a third, an exponential one over the time between two edges of a vertex.
func (a *TemporalWalk) Expect(_ int, on app.Size) app.Expected {
	e := app.PerVertex(float64(a.Length))
	steps := 1 + map[app.TimeBias]float64{
		app.UniformInTime: math.Log2(1 + on.Neighbor()), app.LinearInTime: math.Log(1+on.Neighbor()) / math.Log(1.5), app.ExponentialInTime: on.Degree(),
	}[a.Bias]
	e.Operations = app.Walked(e.Vertices, min(e.Vertices, steps), app.EndedStored)
	return e
}

// TimeBias returns Bias.
func (a *TemporalWalk) TimeBias() app.TimeBias { return a.Bias }

// TimeLimits returns Start, Window and End.
func (a *TemporalWalk) TimeLimits() app.TimeLimits {
	return app.TimeLimits{Start: a.Start, Window: a.Window, End: a.End}
}

// Sample takes step s with the word at Slot(s, 0), which selects among the candidates.
func (a *TemporalWalk) Sample(g *graph.Graph, key rng.Key, roots []uint32, row app.Row) app.Row {
	v, last, limits := roots[0], graph.NoEdge, a.TimeLimits().Of(a.order(), row.Root)
	row.Vertices = append(row.Vertices, v)
	for s := range uint64(a.Length) {
		if s%drawsPerCheck == 0 && row.Stopped() {
			break
		}
		if v != graph.None {
			last = a.choose(g, v, last, limits, key.Word(rng.Slot(s, 0)))
		}
		if v = graph.None; last != graph.NoEdge {
			v = g.Indices[last]
		}
		row = row.Add(v, last)
	}
	return row
}

// choose returns the position of one of the edges of v that may follow the edge last, within limits, or graph.NoEdge.
func (a *TemporalWalk) choose(g *graph.Graph, v uint32, last uint64, limits app.TimeRange, word uint64) uint64 {
	may, end := a.candidates(g, v, last, limits.Start), limits.End
	if last == graph.NoEdge {
		end = limits.FirstEnd
	}
	n, i := 0, int64(-1) // the first n edges are candidates
	for n < len(may) && a.order().Along(g.Times[may[n]]) <= end {
		n++
	}
	switch a.Bias {
	case app.UniformInTime:
		i = selector.Uniform(word, uint64(n))
	case app.LinearInTime:
		i = selector.Scan(word, n, func(i int) uint64 { return uint64(n - i) })
	case app.ExponentialInTime:
		sums := make([]index.DecaySum, len(may))
		index.DecaySums(len(may), func(i int) int64 { return g.Times[may[i]] }, a.Scale, sums)
		i = selector.DecayBefore(word, sums, n)
	}
	if i < 0 {
		return graph.NoEdge
	}
	return may[i]
}

// candidates returns the edges of v that may follow the edge last, nearest in time first. All edges from a start along the
// walk follow graph.NoEdge.
func (a *TemporalWalk) candidates(g *graph.Graph, v uint32, last uint64, start int64) (positions []uint64) {
	order := a.order()
	first, end := g.Row(v)
	for p := first; p < end; p++ {
		if last == graph.NoEdge && order.Along(g.Times[p]) >= start || last != graph.NoEdge && order.Follows(g.Times[p], g.Times[last]) {
			positions = append(positions, p)
		}
	}
	slices.SortStableFunc(positions, func(p, q uint64) int { return order.Compare(g.Times[p], g.Times[q]) })
	return positions
}

// RowLocal is true unless the scale of the bias may be that of the whole graph, or roots have limits in time.
func (a *TemporalWalk) RowLocal(bool) bool {
	return a.Bias != app.ExponentialInTime && !a.TimeLimits().Each()
}

var (
	_ app.TemporalWalker = (*TemporalWalk)(nil)
	_ app.TimeScaled     = (*TemporalWalk)(nil)
)
