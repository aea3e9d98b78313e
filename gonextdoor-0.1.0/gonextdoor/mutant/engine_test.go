package mutant

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// engineFault is an engine with one fault. A nil function is the correct one.
type engineFault struct {
	id        func(b plan.Batch, row int) uint64
	seed      func(seed uint64) uint64
	root      func(r plan.Roots, row int) int
	edge      func(g *graph.Graph, position uint64) int64
	last      bool // the last row of a batch is omitted
	padding   bool // cells without a vertex are not written
	overflow  bool // one cell after the result is written
	unstopped bool // a stopped job is ignored
	layers    func(l output.Layers)
}

// Name is "mutant".
func (engineFault) Name() string { return "mutant" }

func (f engineFault) each(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job, use func(row int, r app.Row)) error {
	if err := j.Err(); err != nil && !f.unstopped {
		return err
	}
	seed, n := b.Seed, b.Roots.Samples()
	if f.seed != nil {
		seed = f.seed(seed)
	}
	stream := rng.NewStream(seed, rng.Choices)
	for row := range n {
		id, root := b.First+uint64(row), row
		if f.id != nil {
			id = f.id(b, row)
		}
		if f.root != nil {
			root = f.root(b.Roots, row)
		}
		if !f.last || row < n-1 {
			use(row, p.App.Sample(g, stream.Key(id), b.Roots.Of(root, make([]uint32, 1)), app.Row{}))
		}
	}
	j.Add(int64(n))
	return nil
}

func (f engineFault) idOf(g *graph.Graph, position uint64) int64 {
	switch {
	case f.edge != nil:
		return f.edge(g, position)
	case position == graph.NoEdge:
		return -1
	}
	return int64(g.EdgeID(position))
}

// Matrix runs an app whose samples have one width.
func (f engineFault) Matrix(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	if n := len(out.Vertices); f.overflow && n > 0 {
		unsafe.Slice(unsafe.SliceData(out.Vertices), n+1)[n] = 0
	}
	return f.each(p, g, b, j, func(row int, r app.Row) {
		for i, v := range r.Vertices {
			if v != graph.None || !f.padding {
				out.Vertices[row*out.Width+i] = v
			}
		}
		for i, e := range r.Edges {
			if b.Edges {
				out.Edges[row*len(r.Edges)+i] = f.idOf(g, e)
			}
		}
	})
}

// Ragged runs an app whose samples differ in length.
func (f engineFault) Ragged(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Ragged, error) {
	rows := make([]app.Row, b.Roots.Samples())
	total := 0
	err := f.each(p, g, b, j, func(row int, r app.Row) {
		rows[row] = r
		total += len(r.Vertices)
	})
	if err != nil {
		return output.Ragged{}, err
	}
	out, err := output.LendRagged(len(rows), total, b.Edges)
	if err != nil {
		return out, err
	}
	at := 0
	for i, r := range rows {
		out.Offsets[i] = int64(at)
		at += copy(out.Vertices[at:], r.Vertices)
		roots := len(r.Vertices) - len(r.Edges)
		for k := range r.Vertices {
			if b.Edges && k < roots {
				out.Edges[at-len(r.Vertices)+k] = -1
			} else if b.Edges {
				out.Edges[at-len(r.Vertices)+k] = f.idOf(g, r.Edges[k-roots])
			}
		}
	}
	out.Offsets[len(rows)] = int64(at)
	return out, nil
}

var engineMutants = []struct {
	name, source string
	fault        engineFault
}{
	{"samples numbered from 0 in each batch", likely, engineFault{id: func(_ plan.Batch, row int) uint64 { return uint64(row) }}},
	{"random words keyed by the thread", csaw, engineFault{
		id: func(b plan.Batch, row int) uint64 {
			return b.First + uint64(row*max(1, b.Threads)/max(1, b.Roots.Samples()))
		}}},
	{"random words keyed by the number of threads", likely, engineFault{
		id: func(b plan.Batch, row int) uint64 { return b.First + uint64(row) + uint64(b.Threads-1)<<50 }}},
	{"sample ids truncated to 32 bits", likely, engineFault{
		id: func(b plan.Batch, row int) uint64 { return uint64(uint32(b.First + uint64(row))) }}},
	{"seeds truncated to 63 bits", likely, engineFault{seed: func(s uint64) uint64 { return s &^ (1 << 63) }}},
	{"repeats of a root share their sample id", likely, engineFault{
		id: func(b plan.Batch, row int) uint64 { return b.First + uint64(row/b.Roots.Repeat) }}},
	{"repeats interleaved instead of grouped by root", likely, engineFault{root: func(r plan.Roots, row int) int { return row % r.Count * r.Repeat }}},
	{"edges returned by position instead of id", likely, engineFault{edge: func(_ *graph.Graph, position uint64) int64 { return int64(position) }}},
	{"last row of each batch not written", likely, engineFault{last: true}},
	{"padding not written", likely, engineFault{padding: true}},
	{"one element too many written", likely, engineFault{overflow: true}},
	{"interrupt ignored", likely, engineFault{unstopped: true}},
	{"parents indexed over all samples instead of per sample", likely, engineFault{layers: parentsOfAll}},
	{"parents recorded for roots", likely, engineFault{layers: rootsHaveParents}},
	{"step ends indexed over all samples instead of per sample", likely, engineFault{layers: endsOfAll}},
	{"links reversed", likely, engineFault{layers: linksTurned}},
	{"links indexed over all samples instead of per sample", likely, engineFault{layers: linksOfAll}},
	{"links without their values", likely, engineFault{layers: valuesOfOne}},
}

// Every broken engine fails the conformance suite, and the same engine without a fault passes it.
func TestMutantsOfEngines(t *testing.T) {
	out := newResults(t, "engines", countedColumns)
	cases, variants := enginetest.Cases(), enginetest.Variants(true)
	var layered []enginetest.Case
	for _, c := range cases {
		if p, err := plan.New(c.App, c.Graph, c.Width); err == nil && p.Layered {
			layered = append(layered, c)
		}
	}
	for _, m := range engineMutants {
		of := cases
		if testing.Short() && m.fault.layers != nil {
			of = layered // other samples cannot have this fault
		}
		failed, runs, by, first := conform(of, variants, m.fault, true)
		out.add("Engine: "+m.name, m.source, fmt.Sprintf("%d of %d", failed, runs), by, fmt.Sprintf("%.110s", first))
		if failed == 0 {
			t.Errorf("%s: alive after %d runs", m.name, runs)
		}
	}
	var some []enginetest.Variant // enough for a copy; engines run all
	for i := 0; i < len(variants); i += 9 {
		some = append(some, variants[i])
	}
	share := enginetest.NewShare(t, 9)
	cases = slices.DeleteFunc(cases, func(enginetest.Case) bool { return !share.Takes() })
	if failed, runs, by, first := conform(cases, some, engineFault{}, false); failed > 0 {
		t.Errorf("an engine without a fault fails %d of %d runs, as %s: %s", failed, runs, by, first)
	}
}

// conform runs the suite, and ends at the first failure if one is enough.
func conform(cases []enginetest.Case, variants []enginetest.Variant, f engineFault, one bool) (failed, runs int, by, first string) {
	note := func(name string, err error) {
		if runs++; err != nil {
			if failed++; failed == 1 {
				by, first = name, err.Error()
			}
		}
	}
	for _, c := range cases {
		for _, v := range variants {
			if one && failed > 0 {
				return
			}
			note(c.Name, attempt(c, f, v))
		}
		note(c.Name+", stopped", c.CheckStop(f))
	}
	return
}

// attempt checks a variant; a panic is a failure.
func attempt(c enginetest.Case, f engineFault, v enginetest.Variant) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return c.Check(f, v)
}
