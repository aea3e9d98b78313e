package partition_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/partition"
	"gonextdoor/gonextdoor/rng"
)

// exchange makes the walks of a cohort on all parts, and carries their buffers.
type exchange struct {
	cohorts  []*partition.Cohort
	messages int
	rounds   int
}

// newExchange begins the walks from roots, count of them per sample.
func newExchange(
	t testing.TB, parts []*partition.Part, a app.App, roots []uint32, count int, seed, first uint64, record partition.Record,
) *exchange {
	t.Helper()
	x := &exchange{}
	for _, p := range parts {
		w, err := partition.NewWalks(p, a, count, seed, record, graph.Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Close)
		c, err := w.Cohort(first, len(roots)/count)
		if err != nil {
			t.Fatal(err)
		}
		x.cohorts = append(x.cohorts, c)
	}
	start, err := partition.Start(parts[0].Layout, a, roots, count)
	if err != nil {
		t.Fatal(err)
	}
	inboxes := make([][][]uint32, len(parts))
	for k, size := range start.Sizes() {
		buffer := make([]uint32, size)
		start.Encode(k, buffer)
		inboxes[k] = [][]uint32{buffer}
	}
	x.run(t, inboxes)
	return x
}

// run makes supersteps until no buffer is left.
func (x *exchange) run(t testing.TB, inboxes [][][]uint32) {
	t.Helper()
	for open := true; open; x.rounds++ {
		open = false
		next := make([][][]uint32, len(inboxes))
		for k, c := range x.cohorts {
			if err := c.Run(inboxes[k], nil); err != nil {
				t.Fatal(err)
			}
			for to, size := range c.Sizes() {
				if size == 0 {
					continue
				}
				open = true
				buffer := make([]uint32, size)
				c.Encode(to, buffer)
				x.messages += partition.Messages(buffer)
				next[to] = append(next[to], buffer)
			}
		}
		inboxes = next
	}
}

// trace returns the steps that a part recorded, and the ids of their edges.
func trace(c *partition.Cohort) ([]partition.Step, []uint64) {
	steps, ids := make([]partition.Step, c.Trace.Size()), make([]uint64, c.Trace.Size())
	c.Trace.Copy(steps, ids)
	return steps, ids
}

// rows joins the traces of all parts to the rows of the samples: the vertices after the roots, and edge ids, in the order of
// app.Row. Those that no part recorded are missing.
func (x *exchange) rows(t testing.TB, samples, roots int) (vertices [][]uint32, edges [][]uint64) {
	vertices, edges = make([][]uint32, samples), make([][]uint64, samples)
	for _, c := range x.cohorts {
		steps, ids := trace(c)
		for i, s := range steps {
			row, at := int(s.Walker)/roots, int(s.Step)*roots+int(s.Walker)%roots
			for len(vertices[row]) <= at {
				vertices[row], edges[row] = append(vertices[row], graph.None), append(edges[row], graph.NoEdge)
			}
			if vertices[row][at] != graph.None {
				t.Fatalf("two parts recorded step %d of sample %d", s.Step, row)
			}
			vertices[row][at], edges[row][at] = s.Vertex, ids[i]
		}
	}
	return vertices, edges
}

// visits adds up the visits of all parts.
func (x *exchange) visits(n int) []int64 {
	all := make([]int64, n)
	for _, c := range x.cohorts {
		vertices, counts := make([]uint32, c.Visited()), make([]int64, c.Visited())
		c.CopyVisits(vertices, counts)
		for i, v := range vertices {
			all[v] += counts[i]
		}
	}
	return all
}

// ends returns the last vertex of each sample.
func (x *exchange) ends(samples, roots int) []uint32 {
	ends, last := make([]uint32, samples), make([]int, samples)
	for i := range ends {
		ends[i], last[i] = graph.None, -1
	}
	for _, c := range x.cohorts {
		steps := make([]partition.Step, c.Trace.Size())
		c.Trace.Copy(steps, nil)
		for _, s := range steps {
			row, at := int(s.Walker)/roots, int(s.Step)*roots+int(s.Walker)%roots
			if at > last[row] {
				ends[row], last[row] = s.Vertex, at
			}
		}
	}
	return ends
}

// trimmed returns a row without the missing vertices at its end.
func trimmed[T comparable](row []T, missing T) []T {
	for len(row) > 0 && row[len(row)-1] == missing {
		row = row[:len(row)-1]
	}
	return row
}

// expectation is what the serial definition gives on the whole graph.
type expectation struct {
	graph  *graph.Graph
	rows   []app.Row
	visits []int64
	ends   []uint32
}

// expected runs the serial definition.
func expected(t testing.TB, g *graph.Graph, a app.App, roots []uint32, count int, seed, first uint64) (e expectation) {
	t.Helper()
	view, err := app.View(a, g, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Weighs(view) {
		if err := index.BuildAlias(view, graph.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	bound, err := a.Bind(view)
	if err != nil {
		t.Fatal(err)
	}
	e.graph, e.visits = g, make([]int64, g.NumVertices())
	for i := range len(roots) / count {
		id := first + uint64(i)
		row := bound.Sample(view, rng.NewStream(seed, rng.Choices).Key(id), roots[i*count:(i+1)*count], app.Row{ID: id})
		end := graph.None
		for _, v := range row.Vertices {
			if v != graph.None {
				e.visits[v]++
				end = v
			}
		}
		e.rows, e.ends = append(e.rows, row), append(e.ends, end)
	}
	return e
}

// walkCase is an app with the number of roots of its samples and what it needs.
type walkCase struct {
	app   app.App
	roots int
}

// walkApps returns the apps whose walks are made by parts, that suit a graph.
func walkApps(g *graph.Graph) (all []walkCase) {
	add := func(apps ...app.App) {
		for _, a := range apps {
			all = append(all, walkCase{a, 1})
		}
	}
	add(
		&apps.DeepWalk{Length: 9}, &apps.DeepWalk{Length: 0}, &apps.DeepWalk{Length: 6, Weighted: app.No},
		&apps.PPR{Stop: 0.1}, &apps.PPR{Stop: 0.2, MaxLength: 5, Weighted: app.No}, &apps.PPR{Stop: 1},
		&apps.Walk{Bias: app.ByDegree, Length: 7}, &apps.Walk{Bias: app.ByDegree, Length: 7, Computed: true}, &apps.Walk{Length: 3},
		&apps.MetropolisHastings{Length: 9},
		&apps.NonBacktracking{Length: 9}, &apps.NonBacktracking{Length: 6, Weighted: app.No},
		&apps.Jump{Teleport: apps.Teleport{Length: 9, Probability: 0.2}},
		&apps.Jump{Teleport: apps.Teleport{Length: 4, Probability: 0, Weighted: app.No}},
		&apps.Restart{Teleport: apps.Teleport{Length: 9, Probability: 0.3}},
		&apps.Restart{Teleport: apps.Teleport{Length: 6, Probability: 0, Weighted: app.No}},
		&apps.Node2Vec{P: 2, Q: 0.5, Length: 9}, &apps.Node2Vec{P: 0.5, Q: 2, Length: 9}, &apps.Node2Vec{P: 0.1, Q: 4, Length: 9},
		&apps.Node2Vec{P: 2, Q: 0.5, Length: 7, Weighted: app.No}, &apps.Node2Vec{P: 0.05, Q: 5, Length: 9, Weighted: app.No},
		&apps.Node2Vec{P: 1 << 20, Q: 1 << 19, Length: 5}, &apps.Node2Vec{P: 0.25, Q: 1, Length: 8}, &apps.Node2Vec{P: 1 << 20, Q: 1, Length: 8},
		&apps.Node2Vec{P: 1, Q: 1 << 30, Length: 6}, &apps.Node2Vec{P: 1, Q: 1 << 30, Length: 6, Weighted: app.No}, &apps.Node2Vec{P: 3, Q: 1, Length: 1}, &apps.Node2Vec{P: 4, Q: 4, Length: 9},
		&apps.Node2Vec{P: 0.25, Q: 4, Length: 20}, &apps.Node2Vec{P: 0.3, Q: 1.7, Length: 20, Weighted: app.No},
	)
	if g.Weighted() {
		add(
			&apps.DeepWalk{Length: 8, Weighted: app.Computed}, &apps.PPR{Stop: 0.2, Weighted: app.Computed},
			&apps.PPR{Stop: 0.1, MaxLength: 3, Weighted: app.Computed}, &apps.Walk{Bias: app.ByWeight, Length: 5, Computed: true},
			&apps.Node2Vec{P: 2, Q: 0.5, Length: 7, Weighted: app.Computed}, &apps.Node2Vec{P: 0.2, Q: 3, Length: 7, Weighted: app.Computed},
			&apps.Node2Vec{P: 1 << 20, Q: 1 << 19, Length: 5, Weighted: app.Computed},
		)
	}
	if g.Labels != nil {
		add(
			&apps.MetaPath{Labels: []int32{0, 2, 1}, Length: 8}, &apps.MetaPath{Labels: []int32{0, 1}, Length: 5, Weighted: app.No, Stop: 0.2},
			&apps.MetaPath{Labels: []int32{1, 7}, Length: 4}, &apps.MetaPath{Labels: []int32{1}, Length: 3, Stop: 0.5},
			&apps.MetaPath{Labels: []int32{0, 2, 1, 1, 0, -4, 2, 1, 0, 2}, Length: 14, Weighted: app.No},
		)
	}
	if g.Times != nil {
		add(
			&apps.TemporalWalk{Length: 8, Strict: true}, &apps.TemporalWalk{Length: 6, Direction: apps.Backward},
			&apps.TemporalWalk{Length: 7, Bias: app.LinearInTime},
			&apps.TemporalWalk{Length: 5, Direction: apps.Backward, Bias: app.LinearInTime, Strict: true},
			&apps.TemporalWalk{Length: 6, Bias: app.ExponentialInTime, Strict: true},
			&apps.TemporalWalk{Length: 9, Direction: apps.Backward, Bias: app.ExponentialInTime, Scale: 3},
			&apps.TemporalWalk{Length: 6, Start: app.AllAt(-1), Window: app.AllAt(0), End: app.AllAt(5)},
			&apps.TemporalWalk{Length: 6, Direction: apps.Backward, Bias: app.LinearInTime, End: app.AllAt(-3)},
			&apps.TemporalWalk{Length: 6, Bias: app.ExponentialInTime, Start: app.AllAt(0), End: app.AllAt(6)},
		)
	}
	return append(all, walkCase{&apps.MultiIndependent{Length: 5}, 3}, walkCase{&apps.MultiIndependent{Length: 4, Weighted: app.No}, 1})
}

// walkGraphs returns the graphs of the tests.
func walkGraphs(t testing.TB) map[string]*graph.Graph {
	full := graphtest.Full(t, false)
	t.Cleanup(full.Close)
	wide := graphtest.Full(t, true)
	t.Cleanup(wide.Close)
	labelled := graphtest.Timed(graphtest.Diamond(true))
	labelled.Labels = make([]int32, labelled.NumEdges())
	for i := range labelled.Labels {
		labelled.Labels[i] = int32(i*i) % 3
	}
	return map[string]*graph.Graph{
		"thicket": graphtest.Thicket(true), "thicket, unweighted": graphtest.Thicket(false), "diamond": labelled,
		"one way": graphtest.OneWay(true), "one way, unweighted": graphtest.OneWay(false),
		"hub": graphtest.Hub(true), "hub, unweighted": graphtest.Hub(false), "star": graphtest.Star(9, true),
		"full": full, "wide": wide, "lonely": graphtest.Lonely(true), "circle": graphtest.Circle(true),
		"R-MAT":          graphtest.RMAT(t, build.RMAT{Scale: 7, EdgeFactor: 6, Seed: 3, Symmetric: true, Threads: 1}),
		"R-MAT, one way": graphtest.RMAT(t, build.RMAT{Scale: 7, EdgeFactor: 6, Seed: 3, Low: 1, High: 9, Threads: 1}),
	}
}

// compare makes the walks of a case on parts and compares traces, edges, visits and ends with the expectation.
func compare(t testing.TB, what string, e expectation, parts []*partition.Part, c walkCase, roots []uint32, seed, first uint64) {
	t.Helper()
	samples := len(roots) / c.roots
	x := newExchange(t, parts, c.app, roots, c.roots, seed, first, partition.Record{Traces: true, Edges: true})
	vertices, edges := x.rows(t, samples, c.roots)
	for i, row := range e.rows {
		ids := make([]uint64, len(row.Edges))
		for k, position := range row.Edges {
			if ids[k] = graph.NoEdge; position != graph.NoEdge {
				ids[k] = e.graph.EdgeID(position)
			}
		}
		wanted := trimmed(row.Vertices[c.roots:], graph.None)
		if !slices.Equal(vertices[i], wanted) {
			t.Fatalf("%s: sample %d is %v, expected %v", what, i, vertices[i], wanted)
		}
		if !slices.Equal(trimmed(edges[i], graph.NoEdge), trimmed(ids, graph.NoEdge)) {
			t.Fatalf("%s: the edges of sample %d are %v, expected %v", what, i, edges[i], ids)
		}
	}
	x = newExchange(t, parts, c.app, roots, c.roots, seed, first, partition.Record{Visits: true, Ends: true})
	if got := x.visits(len(e.visits)); !slices.Equal(got, e.visits) {
		t.Fatalf("%s: visits %v, expected %v", what, got, e.visits)
	}
	if got := x.ends(samples, c.roots); !slices.Equal(got, e.ends) {
		t.Fatalf("%s: ends %v, expected %v", what, got, e.ends)
	}
}

func TestWalksEqualTheDefinition(t *testing.T) {
	share := enginetest.NewShare(t, 20)
	graphs := walkGraphs(t)
	for _, name := range sortedKeys(graphs) {
		g := graphs[name]
		var roots []uint32
		for i := range 60 {
			roots = append(roots, uint32(i*7%g.NumVertices()))
		}
		for _, count := range []int{1, 2, 3, 5} {
			owners := ownersOf(g.NumVertices(), count)
			for _, kind := range sortedKeys(owners) {
				for _, hot := range [][]uint32{nil, hotOf(g, 2)} {
					parts := split(t, g, owners[kind], hot)
					for _, c := range walkApps(g) {
						for seed := range uint64(20) {
							if !share.Takes() {
								continue
							}
							first := seed << 59 // ids of more than 32 bits
							e := expected(t, g, c.app, roots, c.roots, seed, first)
							what := fmt.Sprintf("%s, %T%+v, %d parts by %s, %d hot, seed %d", name, c.app, c.app, count, kind, len(hot), seed)
							compare(t, what, e, parts, c, roots, seed, first)
						}
					}
				}
			}
		}
	}
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[T any](m map[string]T) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func TestWalksRefuse(t *testing.T) {
	g := graphtest.Thicket(false)
	p := split(t, g, byRange{2, g.NumVertices()}, nil)[0]
	for want, a := range map[string]app.App{
		"app = MultiDimensionalWalk: it cannot be sampled on a partitioned graph, since each step": &apps.MultiDimensionalWalk{Length: 3, Dimension: 2},
		"app = LADIES: it cannot be sampled on a partitioned graph":                                &apps.LADIES{},
		"app = App: it cannot be sampled on a partitioned graph":                                   &program.Custom{},
		"app = KHop: its samples are trees":                                                        &apps.KHop{Fanouts: []int{2}},
		"the graph has no weights":                                                                 &apps.DeepWalk{Length: 3, Weighted: app.Yes},
		"its edges have no labels":                                                                 &apps.MetaPath{Labels: []int32{1}, Length: 2},
		"its edges have none; build it with times=":                                                &apps.TemporalWalk{Length: 2},
		"start or end has one time per root":                                                       &apps.TemporalWalk{Length: 2, Start: app.RootTimes{Each: []int64{3}}},
		"app = DeepWalk: walks of 2^24 steps":                                                      &apps.DeepWalk{Length: 1 << 24},
	} {
		if w, err := partition.NewWalks(p, a, 1, 1, partition.Record{}, graph.Options{}); err == nil || !strings.Contains(err.Error(), want) || w != nil {
			t.Errorf("%s: error %v, expected %q", a.Name(), err, want)
		}
	}
	for _, roots := range []int{0, 2} {
		if _, err := partition.NewWalks(p, &apps.DeepWalk{Length: 3}, roots, 1, partition.Record{}, graph.Options{}); err == nil {
			t.Errorf("%d roots per sample of DeepWalk were not refused", roots)
		}
	}
	layout := *p.Layout
	layout.Degrees = nil
	bare, err := partition.NewPart(&layout, 0, p.Graph(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []app.App{
		&apps.MetropolisHastings{Length: 3}, &apps.Walk{Bias: app.ByDegree, Length: 3}, &apps.Walk{Bias: app.ByDegree, Length: 3, Computed: true},
		&apps.Node2Vec{P: 0.1, Q: 1, Length: 3},
	} {
		if _, err := partition.NewWalks(bare, a, 1, 1, partition.Record{}, graph.Options{}); err == nil || !strings.Contains(err.Error(), "has no degrees") {
			t.Errorf("%s without degrees: error %v", a.Name(), err)
		}
	}
}
