package gpu_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// gathered reports whether the GPU runs a case by rows that are copied when samples have read them.
func gathered(c enginetest.Case) bool {
	p, err := plan.New(c.App, c.Graph, c.Width)
	return err == nil && p.Layered && gpu.Engine{}.RunsInParts(p) && runs(c)
}

// Samples by gathered rows equal their definitions, if all rows that they read fit.
func TestGatheredConformance(t *testing.T) {
	d := device(t)
	importance := someImportanceLayers()
	wanted := func(c enginetest.Case) bool { return gathered(c) && importance(c) }
	conform(t, d, map[string]gpu.Tuning{
		"gathered":               {Parts: 1, LaunchSteps: 1 << 17},
		"gathered, other groups": {Parts: 1, Variant: 1, LayeredCapacity: 3, LayeredArena: 90, LayeredLanes: 4, LaunchSteps: 1 << 16, LaunchRows: 30},
	}, wanted, partShare(t, 2999, 499))
}

// gatheredCall is a call of an app whose rows are gathered, with roots per sample, and the samples of the CPU.
type gatheredCall struct {
	plan  plan.Plan
	batch plan.Batch
	want  output.Layers
}

// large returns a graph whose hubs have few of its edges. It is closed at the end of the test.
func large(t *testing.T) *graph.Graph {
	t.Helper()
	g, err := build.RMAT{Scale: 13, EdgeFactor: 4, A: 0.4, B: 0.2, C: 0.2, Low: 1, High: 5, Seed: 3}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

// gatheredCalls returns calls of all kernels for gathered rows. Their results are returned at the end of the test.
func gatheredCalls(t *testing.T, g *graph.Graph) (all []gatheredCall) {
	t.Helper()
	clusters := &app.Clusters{Count: 40}
	for i, c := range []struct {
		app   app.App
		roots int
	}{
		{&apps.Layer{StepSize: 6, MaxSize: 20}, 2}, {&apps.Layer{StepSize: 6, MaxSize: 20, Unique: true}, 1},
		{&apps.Layer{StepSize: 5, MaxSize: 10, Unique: true, Bias: app.ByWeight}, 2}, {&apps.Layer{StepSize: 5, MaxSize: 10, Bias: app.ByDegree}, 1},
		{&apps.Neighbor{Fanouts: []int{3, app.All, 2}, FrontierSize: 2}, 1}, {&apps.MVS{Batch: 4, Fanouts: []int{3, 2}}, 0},
		{&apps.Snowball{Fanout: 3, Depth: 3}, 1}, {&apps.Snowball{Fanout: app.All, Depth: 1}, 1}, {&apps.ForestFire{Probability: 0.4, Depth: 3}, 1},
		{&apps.RandomNode{N: 9, Induced: true}, 0}, {&apps.ClusterGCN{Clusters: clusters, PerSample: 2}, 0},
		{&apps.GraphSAINT{Method: app.NodeMethod, Budget: 9}, 0}, {&apps.GraphSAINT{Method: app.WalkMethod, Roots: 4, Length: 3}, 0},
		{&apps.FastGCN{Sizes: []int{7, 6}}, 2}, {&apps.LADIES{Sizes: []int{5, 4}, Normalize: true}, 2},
		{&apps.LADIES{Sizes: []int{5, 4}, Replace: true, Normalization: index.RowNorm}, 1},
		{&apps.Neighbor{Fanouts: []int{3, app.All, 2}, FrontierSize: 2, Bias: app.ByWeight}, 1},
		{&apps.Neighbor{Fanouts: []int{4, 2}, FrontierSize: 3, Bias: app.ByWeight, Replace: true}, 2},
		{&apps.RandomEdge{N: 9}, 0}, {&apps.RandomEdge{N: 40, Replace: true}, 0},
		{&apps.GraphSAINT{Method: app.EdgeMethod, Budget: 7}, 0},
		{&apps.GraphSAINT{Method: app.MultidimensionalMethod, Roots: 4, Budget: 12}, 0},
	} {
		p, err := plan.New(c.app, g, c.roots)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.BuildTables(p.Graph, graph.Options{}); err != nil {
			t.Fatal(err)
		}
		call := gatheredCall{plan: p, batch: plan.Batch{
			Roots: plan.Roots{Count: 20, Width: c.roots, Repeat: 2}, Seed: uint64(i), First: 1 << 33, Threads: 2, Edges: i%2 == 0,
		}}
		for r := range 20 * c.roots {
			call.batch.Roots.Vertices = append(call.batch.Roots.Vertices, uint32(r*37%g.NumVertices()))
		}
		if call.want, err = (cpu.Engine{}).Layers(p, p.Graph, call.batch, nil); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(call.want.Return)
		all = append(all, call)
	}
	return all
}

// name names the call.
func (c gatheredCall) name() string { return fmt.Sprintf("%s %d", c.plan.App.Name(), c.batch.Seed) }

// run makes the samples, and names the first part that differs from those of the CPU.
func (c gatheredCall) run(e gpu.Engine, j *job.Job) (differs string, err error) {
	got, err := e.Layers(c.plan, c.plan.Graph, c.batch, j)
	if err != nil {
		return "", err
	}
	defer got.Return()
	switch {
	case !slices.Equal(got.LinksFrom, c.want.LinksFrom), !slices.Equal(got.Sources, c.want.Sources), !slices.Equal(got.Targets, c.want.Targets):
		return "links", nil
	case !slices.Equal(got.LinkEdges, c.want.LinkEdges):
		return "edges of links", nil
	case !slices.Equal(got.Values, c.want.Values):
		return "values of links", nil
	}
	return differing(got, c.want), nil
}

// check fails if the samples differ.
func (c gatheredCall) check(t *testing.T, e gpu.Engine) {
	t.Helper()
	if differs, err := c.run(e, nil); err != nil || differs != "" {
		t.Errorf("%s: %s differ: %v", c.name(), differs, err)
	}
}

// A graph that exceeds the budget is copied row by row, without a tuning. Nothing stays in GPU memory but tables of apps.
func TestLayersLargerThanTheBudget(t *testing.T) {
	d := device(t)
	g := large(t)
	rows := int64(8*g.NumVertices() + 12*g.NumEdges())
	for _, c := range gatheredCalls(t, g) {
		for _, share := range []int64{2, 4, 10} {
			t.Run(fmt.Sprintf("%s/%d", c.name(), share), func(t *testing.T) {
				tables := map[string]int{"FastGCN": 20, "ClusterGCN": 5, "GraphSAINT": 9, "Neighbor": 4, "RandomEdge": 8}[c.plan.App.Name()] // per vertex
				t.Setenv("GONEXTDOOR_DEVICE_MEMORY", strconv.FormatInt(int64((9+tables)*g.NumVertices())+rows/share, 10))
				if err := resident.Drop(g); err != nil {
					t.Fatal(err)
				}
				c.check(t, gpu.Engine{Device: d})
			})
		}
	}
}

// If the rows of all samples exceed the memory, fewer samples are made at a time. If those of one do, the call is refused.
func TestFewGatheredRows(t *testing.T) {
	d := device(t)
	g := large(t)
	refused, done := 0, 0
	for _, c := range gatheredCalls(t, g) {
		for _, edges := range []int{1, 800, 3000} {
			e := gpu.Engine{Device: d, Tuning: gpu.Tuning{Parts: 1, GatheredEdges: max(edges, int(g.MaxDegree()), 64)}} // the longest row, and a page
			switch differs, err := c.run(e, nil); {
			case err != nil && refuse.KindOf(err) == refuse.KindDevice && strings.Contains(err.Error(), "the rows that one sample of "+c.plan.App.Name()):
				refused++
			case err != nil || differs != "":
				t.Errorf("%s, %d edges: %s differ: %v", c.name(), edges, differs, err)
			default:
				done++
			}
		}
		c.check(t, gpu.Engine{Device: d, Tuning: gpu.Tuning{Parts: 1}})
	}
	if refused == 0 || done < 30 {
		t.Errorf("%d calls were refused, %d were not", refused, done)
	}
}

// A walk of a frontier asks for the rows of all of its vertices together, so it needs few rounds, and does without those that it
// does not need if they do not fit. If one of the others does not, it is refused.
func TestFrontiersAskAhead(t *testing.T) {
	d := device(t)
	g := large(t)
	const samples = 2
	p, err := plan.New(&apps.GraphSAINT{Method: app.MultidimensionalMethod, Roots: 16, Budget: 50}, g, 0)
	if err != nil {
		t.Fatal(err)
	}
	ahead := 0
	for first := range uint64(samples) {
		c := gatheredCall{plan: p, batch: plan.Batch{Roots: plan.Roots{Count: 1, Repeat: 1}, Seed: 3, First: first, Threads: 2}}
		if c.want, err = (cpu.Engine{}).Layers(p, g, c.batch, nil); err != nil {
			t.Fatal(err)
		}
		needed := 0
		for _, v := range c.want.Vertices {
			needed += int(g.Degree(v))
		}
		if needed < int(g.MaxDegree())+2 {
			t.Fatalf("the rows of a sample have %d edges, the longest row %d", needed, g.MaxDegree())
		}
		few := func(edges int) gpu.Engine {
			return gpu.Engine{Device: d, Tuning: gpu.Tuning{Parts: 1, GatheredEdges: edges}}
		}
		launched := func(edges int) uint64 {
			before := cudatest.Launches()
			c.check(t, few(edges))
			return cudatest.Launches() - before
		}
		all, one := launched(g.NumEdges()), launched(needed) // one row per round
		if all > 60 {
			t.Errorf("%d launches for %d vertices", all, len(c.want.Vertices))
		}
		if one > 2*all {
			ahead++
		}
		if _, err := c.run(few(needed-2), nil); refuse.KindOf(err) != refuse.KindDevice {
			t.Errorf("the rows of a sample have %d edges: error %v with memory for %d", needed, err, needed-2)
		}
		c.want.Return()
	}
	if ahead == 0 && !cudatest.Real() {
		t.Error("all rows that samples asked for fitted")
	}
}

// A graph fits, but not together with the sums of the shares of its edges. GraphSAINT by edges copies rows then.
func TestSharesThatDoNotFit(t *testing.T) {
	d := device(t)
	g := large(t)
	t.Setenv("GONEXTDOOR_DEVICE_MEMORY", strconv.Itoa(16*g.NumVertices()+10*g.NumEdges()))
	for _, c := range []struct {
		app  *apps.GraphSAINT
		want bool
	}{
		{&apps.GraphSAINT{Method: app.EdgeMethod, Budget: 7}, true}, {&apps.GraphSAINT{Method: app.WalkMethod, Roots: 4, Length: 3}, false},
	} {
		p, err := plan.New(c.app, g, 0)
		if err != nil {
			t.Fatal(err)
		}
		if parts, err := (gpu.Engine{Device: d}).PlanParts(p, false); err != nil || parts.Gathered != c.want {
			t.Errorf("%s: %+v, %v", c.app.Method, parts, err)
		}
	}
}

// A budget that has no room for the longest row is refused, and so are apps that need the complete graph. The error says why.
func TestWhatIsNotGathered(t *testing.T) {
	d := device(t)
	g := some(t)
	t.Setenv("GONEXTDOOR_DEVICE_MEMORY", "9KB")
	for _, c := range []struct {
		app  app.App
		text string
	}{
		{&apps.Layer{StepSize: 6, MaxSize: 20}, "not even row by row"},
		{&apps.RandomEdge{N: 3}, "not even row by row"},
		{&apps.GraphSAINT{Method: app.EdgeMethod, Budget: 3}, "not even row by row"},
		{&apps.GraphSAINT{Method: app.MultidimensionalMethod, Roots: 3, Budget: 5}, "not even row by row"},
		{&apps.Node2Vec{P: 2, Q: 1, Length: 3, Weighted: app.Computed}, "a choice reads the rows of two vertices together"},
	} {
		roots := 1
		if c.app.Name() == "RandomEdge" || c.app.Name() == "GraphSAINT" {
			roots = 0
		}
		p, err := plan.New(c.app, g, roots)
		if err != nil {
			t.Fatal(err)
		}
		_, err = gpu.Engine{Device: d}.Run(p, p.Graph, plan.Batch{Roots: plan.Roots{Count: 5, Width: roots, Repeat: 1}}, nil)
		if refuse.KindOf(err) != refuse.KindDevice || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", c.app.Name(), err)
		}
	}
}

// If an allocation fails, the call returns an error or the right samples, leaks nothing, and the next call is right. So does a
// stopped call.
func TestGatheredRowsThatFail(t *testing.T) {
	d := device(t)
	cudatest.Emulated(t)
	g := some(t)
	calls := gatheredCalls(t, g)
	for _, at := range []int{14, 18, 20} { // importances, pages and shares
		t.Run(calls[at].name(), func(t *testing.T) { failing(t, d, calls[at]) })
	}
}

// failing makes the allocations of a call fail, one after the other: in a short run one in 5.
func failing(t *testing.T, d *cuda.Device, c gatheredCall) {
	t.Helper()
	e := gpu.Engine{Device: d, Tuning: gpu.Tuning{Parts: 1, GatheredEdges: 4000}}
	c.check(t, e)
	held, before, failed := settled(t, d), cudatest.Allocations(), 0
	c.check(t, e)
	share := enginetest.NewShare(t, 5)
	for k := range cudatest.Allocations() - before {
		if !share.Takes() {
			continue
		}
		settled(t, d)
		cudatest.Set(t, "fail", cudatest.Allocations()+1+k)
		differs, err := c.run(e, nil)
		switch {
		case err == nil && differs != "":
			t.Errorf("allocation %d failed: %s differ", k+1, differs)
		case err != nil && refuse.KindOf(err) != refuse.KindDevice && refuse.KindOf(err) != refuse.KindMemory:
			t.Errorf("allocation %d failed: %v", k+1, err)
		case err != nil:
			failed++
		}
		if now := settled(t, d); now != held {
			t.Fatalf("%d pieces of memory are held, %d were before", now, held)
		}
	}
	if failed == 0 && !testing.Short() {
		t.Error("no failure was reported")
	}
	if _, err := c.run(e, &job.Job{Stop: 1}); !errors.Is(err, refuse.ErrInterrupted) {
		t.Errorf("error %v, expected ErrInterrupted", err)
	}
	c.check(t, e)
}

// A graph without edges, of one vertex or several, has rows too.
func TestGatheredRowsWithoutEdges(t *testing.T) {
	for _, vertices := range []int{1, 70} {
		g := graphtest.Make(vertices, true, nil)
		defer g.Close()
		for _, a := range []app.App{
			&apps.Layer{StepSize: 3, MaxSize: 5}, &apps.Snowball{Fanout: app.All, Depth: 2}, &apps.LADIES{Sizes: []int{2, 2}},
		} {
			layersEqual(t, a, g, same(3, 0, 0), gpu.Tuning{Parts: 1}, gpu.Tuning{Parts: 1, Variant: 1})
		}
		for _, a := range []app.App{
			&apps.RandomEdge{N: 3}, &apps.GraphSAINT{Method: app.EdgeMethod, Budget: 3},
			&apps.GraphSAINT{Method: app.MultidimensionalMethod, Roots: 2, Budget: 5},
		} {
			p, err := plan.New(a, g, 0)
			if err != nil {
				t.Fatal(err)
			}
			c := gatheredCall{plan: p, batch: plan.Batch{Roots: plan.Roots{Count: 3, Repeat: 1}, Threads: 1, Edges: true}}
			if c.want, err = (cpu.Engine{}).Layers(p, p.Graph, c.batch, nil); err != nil {
				t.Fatal(err)
			}
			c.check(t, gpu.Engine{Device: device(t), Tuning: gpu.Tuning{Parts: 1}})
			c.want.Return()
		}
	}
}
