package partition

import (
	"math"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// Record selects what a part records of walks.
type Record struct {
	Traces bool // every step
	Edges  bool // the ids of the edges of steps; with Traces
	Visits bool // how often walks visit each vertex, roots included
	Ends   bool // the last vertex of each walk; not with Traces
}

// Walks makes the walks of one app and seed at one part. Several cohorts may use it at the same time.
type Walks struct {
	part   *Part
	record Record
	stream rng.Stream
	format format
	roots  int    // walks per sample
	length uint64 // the largest number of steps of a walk

	owned, hot *rows
	stepper    stepper
	tries      func(r *rows, row uint32) uint64 // number of tries of a step before scanRow; nil: the first is accepted
	scanRow    scan                             // the choice after them; nil without tries
	second     *secondOrder                     // walks whose choices depend on other rows than that of their vertex; nil: there are none
	needs      needs

	closers []func()
}

// NewWalks returns the walks of an app at a part, from a number of roots per sample. It builds the tables of the part's rows
// that the app reads. It returns an error if the samples of the app are not walks that can be made by parts, or if the graph
// lacks what the app needs. The caller closes the result before the part.
func NewWalks(p *Part, a app.App, roots int, seed uint64, record Record, opts graph.Options) (w *Walks, err error) {
	if err := refuseWalks(a, roots); err != nil {
		return nil, err
	}
	w = &Walks{part: p, record: record, stream: rng.NewStream(seed, rng.Choices), roots: roots}
	defer func() {
		if err != nil {
			w.Close()
			w = nil
		}
	}()
	if w.owned, err = w.view(a, p.Graph(), opts); err != nil {
		return w, err
	}
	if p.Hot() != nil {
		if w.hot, err = w.view(a, p.Hot(), opts); err != nil {
			return w, err
		}
	}
	bound, err := bind(p.Layout, a, w.owned.g)
	if err != nil {
		return w, err
	}
	if record.Edges {
		if err := p.Graph().RefuseEdgeIDs("edges = True"); err != nil {
			return w, err
		}
	}
	w.needs = needsOf(a)
	w.choose(bound)
	if w.length == maxSteps {
		return w, refuse.Value("app = %s: walks of 2^24 steps; expected fewer on a partitioned graph", a.Name())
	}
	w.format = newFormat(w.needs, record.Edges)
	if w.needs.degrees {
		if err := p.LoadDegrees(); err != nil {
			return w, err
		}
	}
	for _, r := range []*rows{w.owned, w.hot} {
		if r != nil {
			if err := w.build(r, bound, opts); err != nil {
				return w, err
			}
		}
	}
	return w, nil
}

// view returns the rows of a graph of the part, or of its view by degree if the app samples from one.
func (w *Walks) view(a app.App, g *graph.Graph, opts graph.Options) (*rows, error) {
	if v, ok := a.(app.Viewer); ok && v.ViewsDegrees() {
		view, err := w.part.viewDegrees(g, opts)
		if err != nil {
			return nil, err
		}
		w.closers = append(w.closers, view.Close)
		g = view
	}
	return newRows(g), nil
}

// bind returns the app as it runs on the whole graph. g is one of its parts, or a graph without rows.
func bind(l *Layout, a app.App, g *graph.Graph) (app.App, error) {
	if t, ok := a.(app.TimeScaled); ok {
		return t.BindTimes(g, l.Whole.MeanGap, l.Whole.TimeSpan)
	}
	return a.Bind(g)
}

// Selector returns the name of the selector by which an app chooses, without a part. It returns an error if its samples of a
// number of roots cannot be made by parts, or if the graph lacks what the app needs.
func Selector(l *Layout, a app.App, roots int) (string, error) {
	if err := refuseRoots(a, roots); err != nil {
		return "", err
	}
	rows := &graph.Graph{Indptr: []uint64{0}, Indices: []uint32{}}
	v, ok := a.(app.Viewer)
	if l.Whole.Weighted || ok && v.ViewsDegrees() {
		rows.Biases, rows.Scales = []uint32{}, []int16{}
	}
	if l.Whole.Labelled {
		rows.Labels = []int32{}
	}
	if l.Whole.Timed {
		rows.Times = []int64{}
	}
	g, err := graph.FromArrays(rows.Arrays(), graph.Summary{MaxDegree: l.Whole.MaxDegree, HasSinks: l.Whole.HasSinks, Checked: true})
	if err != nil {
		return "", err
	}
	bound, err := bind(l, a, g)
	if err != nil {
		return "", err
	}
	return bound.Selector(), nil
}

// choose sets the steps of the bound app by its capabilities, and what its walkers need of other parts.
func (w *Walks) choose(bound app.App) {
	w.length = math.MaxUint64
	if width := bound.Width(w.roots); width > 0 {
		w.length = uint64(width/w.roots - 1)
	}
	if s, ok := bound.(app.Stopper); ok && s.MostSteps() > 0 {
		w.length = uint64(s.MostSteps())
	}
	whole := &w.part.Whole
	if w.second = newSecondOrder(bound, whole); w.second != nil {
		w.needs.lookups, w.needs.degrees = true, w.second.outliers.Back > 0
		w.needs.hints = w.second.outliers.ShortNear > 0
		w.needs.ahead = w.second.bias != nil && w.second.acceptsNear() && !w.record.Edges
	}
	if c, ok := bound.(app.Computing); ok && c.Computes() {
		w.stepper, w.tries, w.scanRow = computed, triesByBias, scanByBias
		w.needs.degrees = c.ComputedBias().Kind == app.BiasDegree
		return
	}
	switch b := bound.(type) {
	case app.LabelPath:
		w.stepper = labelled(b.Threshold())
	case app.SecondOrderer:
		tries := b.Tries()
		w.tries = func(*rows, uint32) uint64 { return tries }
		if w.second != nil {
			w.stepper, w.scanRow = w.second.try, w.second.scanRow
			return
		}
		order := b.SecondOrder() // excludes edges back
		only := &secondOrder{bias: stage.NewSecondOrder(order.Back, order.Near, order.Away)}
		w.stepper, w.scanRow = only.try, afterTries(b)
	case app.Teleporter:
		w.stepper = teleport(b, whole.Vertices)
	case app.Stopper:
		w.stepper = firstOrder(b.Threshold())
	case app.TemporalWalker:
		w.stepper = temporal(b.TimeBias(), b.TimeOrder(), b.TimeLimits().Of(b.TimeOrder(), 0))
	case app.FanoutTree:
		w.stepper = severalRoots(uint32(w.roots))
	case program.Stepped:
		w.stepper, w.needs.degrees = metropolis, true
	default:
		w.stepper = firstOrder(0)
	}
}

// build builds the tables of rows that the bound app reads.
func (w *Walks) build(r *rows, bound app.App, opts graph.Options) (err error) {
	options := stage.Options{Part: true}
	if w.needs.degrees {
		options.Degrees = w.part.degrees
	}
	c, ok := bound.(app.Computing)
	computes := ok && c.Computes()
	_, labelled := bound.(app.LabelPath)
	if s, ok := bound.(app.StaticWeights); ok && !computes && !labelled {
		switch s.Weights() {
		case app.Yes:
			err = index.BuildAlias(r.g, opts)
			options.Weighted = true
		case app.Computed:
			_, err = index.SegmentsOf(r.g, opts)
			options.Searched = true
		}
		if err != nil {
			return err
		}
	}
	if r.tables, err = stage.New(r.g, options); err != nil {
		return err
	}
	if computes {
		r.bias = stage.NewComputedBias(r.tables, r.g, c.ComputedBias())
		return nil
	}
	switch b := bound.(type) {
	case app.LabelPath:
		var labels index.LabelRows
		var weights index.LabelWeights
		if labels, err = index.LabelRowsOf(r.g, r.g.NumEdges(), opts); err == nil && b.Weights() == app.Computed {
			weights, err = index.LabelWeightsOf(r.g, labels, opts)
		}
		r.path = stage.NewLabelPath(labels, weights, b.Path())
	case app.TemporalWalker:
		r.times, err = newTimeRows(r.g, b.TimeOrder(), opts)
		w.closers = append(w.closers, r.times.free)
	}
	if err == nil && w.second != nil && w.second.outliers.Back > 0 {
		var reach []index.Reach
		o := w.second.outliers
		reach, err = index.ReachOf(r.g, w.second.weighted, opts)
		r.outliers = stage.NewOutliers(r.tables, o.Back, o.ShortBack, o.ShortNear, reach)
	}
	return err
}

// locate returns the rows and the row of a vertex that the part has.
func (w *Walks) locate(v uint32) (r *rows, row uint32, ok bool) {
	if row, ok = w.part.owned.row(v); ok {
		return w.owned, row, true
	}
	if w.hot != nil {
		if row, ok = w.part.hotSet.row(v); ok {
			return w.hot, row, true
		}
	}
	return nil, 0, false
}

// Close frees the tables that belong to the walks. Those that belong to the part's graphs remain.
func (w *Walks) Close() {
	for _, f := range w.closers {
		f()
	}
	w.closers = nil
}
