package enginetest

import (
	"fmt"
	"strings"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// Case is one app on one graph.
type Case struct {
	Name  string
	App   app.App
	Graph *graph.Graph
	Width int  // vertices per root
	Many  bool // whether to run the variants with many rows too

	known map[string][]sample // the rows of the definition, by the parameters that they depend on
}

// Cases returns all apps of the corpus on all its graphs.
func Cases() (cases []Case) {
	for _, p := range graphs() {
		for _, a := range append(corpus(), sized(p.g)...) {
			if !suits(a.app, p.g) {
				continue
			}
			if strings.HasPrefix(a.name, levelsName) && !p.many && p.name != "lonely unweighted" && p.name != "one way weighted" {
				continue // they are many, and their definitions are slow
			}
			for _, width := range a.widths {
				cases = append(cases, Case{
					Name: fmt.Sprintf("%s/%s%s, roots of %d", p.name, a.app.Name(), a.parameters(), width), App: a.app, Graph: p.g, Width: width, Many: p.many,
					known: map[string][]sample{},
				})
			}
		}
	}
	return cases
}

func (e entry) parameters() string {
	if e.name != "" {
		return " " + e.name
	}
	return fmt.Sprintf("%+v", e.app)[1:] // without the & of a pointer
}

// leastRows is more than two groups of walkers, the last of which is not full. manyRows is more than two groups in each
// quarter, so that groups are refilled.
const (
	leastRows = 2*plan.Group + 61
	manyRows  = 4 * (2*plan.Group + 75)
)

// roots returns the roots of the case. Stored roots are not in order, and some occur twice.
func (c Case) roots(v Variant) plan.Roots {
	n := c.Graph.NumVertices()
	if v.All && c.Width == 1 {
		return plan.Roots{Count: n, Width: 1, Repeat: v.Repeat}
	}
	count := max(2, min(leastRows, 20*n)/v.Repeat)
	if v.Many {
		count = manyRows
	}
	r := plan.Roots{Vertices: []uint32{}, Count: count, Width: c.Width, Repeat: v.Repeat}
	for i := range count * c.Width {
		r.Vertices = append(r.Vertices, uint32((i*7+i/5)%n))
	}
	return r
}

// batches splits the rows of the variant. If a split is within the rows of a root, those and all later rows store their roots.
func (c Case) batches(v Variant) (batches []plan.Batch) {
	whole := plan.Batch{Roots: c.roots(v), Seed: v.Seed, First: v.First, Threads: v.Threads, Edges: v.Edges}
	if len(v.Cuts) == 0 {
		return []plan.Batch{whole}
	}
	n := whole.Roots.Samples()
	at := []int{0}
	for _, cut := range v.Cuts {
		at = append(at, n*cut/60)
	}
	at = append(at, n)
	for i, lo := range at[:len(at)-1] {
		b := whole
		b.First = v.First + uint64(lo)
		b.Roots = plan.Roots{Vertices: []uint32{}, Count: at[i+1] - lo, Width: c.Width, Repeat: 1}
		for row := lo; row < at[i+1]; row++ {
			b.Roots.Vertices = append(b.Roots.Vertices, whole.Roots.Of(row, make([]uint32, 1))...)
		}
		batches = append(batches, b)
	}
	return batches
}

// Check returns an error that describes the first difference between the samples of the engine and the definition.
func (c Case) Check(e engine.Engine, v Variant) error {
	if v.Many && !c.Many {
		return nil
	}
	p, err := plan.New(c.App, c.Graph, c.Width)
	if err != nil {
		return err
	}
	if err := p.BuildTables(p.Graph, graph.Options{}); err != nil {
		return err
	}
	p.Packed = v.Packed
	wants, row := c.definition(p, v), 0
	for _, b := range c.batches(v) {
		j := new(job.Job)
		got, err := run(e, p, p.Graph, b, j)
		if err != nil {
			return err
		}
		if n := b.Roots.Samples(); int(j.Done) != n || len(got) != n {
			return fmt.Errorf("%d rows, %d counted, of %d", len(got), j.Done, n)
		}
		for _, g := range got {
			if how := g.differs(wants[row], v.Edges); how != "" {
				return fmt.Errorf("row %d: %s", row, how)
			}
			row++
		}
	}
	return nil
}

// definition returns every row as the app defines it, with edge ids instead of positions. Rows of different length have -1 at
// their roots.
func (c Case) definition(p plan.Plan, v Variant) []sample {
	name := fmt.Sprint(v.Seed, v.First, v.Repeat, v.All, v.Many)
	if c.known[name] == nil {
		roots, stream := c.roots(v), rng.NewStream(v.Seed, rng.Choices)
		for i := range roots.Samples() {
			id := v.First + uint64(i)
			r := p.App.Sample(p.Graph, stream.Key(id), roots.Of(i, make([]uint32, 1)), app.Row{ID: id})
			c.known[name] = append(c.known[name], c.withIDs(p, r))
		}
	}
	return c.known[name]
}

func (c Case) withIDs(p plan.Plan, r app.Row) sample {
	want := sample{vertices: r.Vertices, ends: r.Ends}
	for range len(r.Vertices) - len(r.Edges) {
		if p.Width == 0 {
			want.edges = append(want.edges, -1)
		}
		if p.Layered {
			want.parents = append(want.parents, -1)
		}
	}
	want.parents = append(want.parents, r.Parents...)
	for _, position := range r.Edges {
		want.edges = append(want.edges, c.id(position))
	}
	for _, l := range r.Links {
		want.links = append(want.links, link{l.Source, l.Target, c.id(l.Position), l.Value})
	}
	return want
}

// id returns the id that results report for the edge at a position.
func (c Case) id(position uint64) int64 {
	if position == graph.NoEdge {
		return -1
	}
	return int64(c.Graph.EdgeID(position))
}

// CheckStop returns an error unless a job that is stopped before it begins ends with refuse.ErrInterrupted.
func (c Case) CheckStop(e engine.Engine) error {
	p, err := plan.New(c.App, c.Graph, c.Width)
	if err != nil {
		return err
	}
	b := c.batches(Variant{Threads: 2, Repeat: 1})[0]
	if _, err := run(e, p, p.Graph, b, &job.Job{Stop: 1}); refuse.KindOf(err) != refuse.KindInterrupted {
		return fmt.Errorf("interrupted before it began: got error %v, expected %v", err, refuse.ErrInterrupted)
	}
	return nil
}

func signed(vertices []uint32) []int32 {
	s := make([]int32, len(vertices))
	for i, v := range vertices {
		s[i] = int32(v)
	}
	return s
}
