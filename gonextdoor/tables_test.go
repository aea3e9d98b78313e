package gonextdoor_test

import (
	"maps"
	"slices"
	"testing"

	"gonextdoor/gonextdoor"
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
)

// listed are apps that read different tables, with the number of roots per sample.
var listed = []struct {
	app   app.App
	width int
}{
	{&apps.DeepWalk{Length: 9}, 1},
	{&apps.DeepWalk{Length: 9, Weighted: app.No}, 1},
	{&apps.DeepWalk{Length: 9, Weighted: app.Computed}, 1},
	{&apps.PPR{Stop: 0.2}, 1},
	{&apps.PPR{Stop: 0.2, Weighted: app.Computed}, 1},
	{&apps.Node2Vec{P: 2, Q: 0.5, Length: 9}, 1},
	{&apps.Node2Vec{P: 2, Q: 1, Length: 9, Weighted: app.No}, 1},
	{&apps.Node2Vec{P: 2, Q: 1, Length: 9, Weighted: app.Computed}, 1},
	{&apps.Node2Vec{P: 2, Q: 0.5, Length: 0}, 1},
	{&apps.Node2Vec{P: 0.25, Q: 4, Length: 9}, 1},
	{&apps.Node2Vec{P: 0.25, Q: 4, Length: 9, Weighted: app.No}, 1},
	{&apps.Node2Vec{P: 0.25, Q: 4, Length: 0}, 1},
	{&apps.Walk{Bias: app.ByDegree, Length: 9}, 1},
	{&apps.Walk{Bias: app.ByDegree, Length: 9, Computed: true}, 1},
	{&apps.Walk{Bias: app.ByWeight, Length: 9}, 1},
	{&apps.Walk{Length: 9}, 1},
	{&apps.MetropolisHastings{Length: 9}, 1},
	{&apps.Jump{Teleport: apps.Teleport{Length: 9, Probability: 0.2}}, 1},
	{&apps.Restart{Teleport: apps.Teleport{Length: 9, Probability: 0.2}}, 1},
	{&apps.MetaPath{Labels: []int32{0, 1}, Length: 9, Weighted: app.No}, 1},
	{&apps.MetaPath{Labels: []int32{0, 1}, Length: 9}, 1},
	{&apps.TemporalWalk{Length: 9, Strict: true}, 1},
	{&apps.NonBacktracking{Length: 9}, 1},
	{&apps.NonBacktracking{Length: 9, Weighted: app.No}, 1},
	{&apps.Negatives{}, 1},
	{&apps.NegativePairs{}, 0},
	{&apps.MultiIndependent{Length: 9}, 3},
	{&apps.MultiDimensionalWalk{Length: 9, Dimension: 3}, 3},
	{&apps.KHop{Fanouts: []int{3, 2}}, 2},
	{&apps.KHop{Fanouts: []int{3, 2}, Replace: true, Weighted: app.No}, 1},
	{&apps.Neighbor{Fanouts: []int{3, 2}}, 1},
	{&apps.Neighbor{Fanouts: []int{3, 2}, Bias: app.ByDegree}, 1},
	{&apps.Neighbor{Fanouts: []int{3, 2}, Bias: app.ByDegree, FrontierSize: 2}, 1},
	{&apps.Snowball{Depth: 2}, 1},
	{&apps.ForestFire{Probability: 0.3}, 1},
	{&apps.Layer{StepSize: 5, MaxSize: 12}, 2},
	{&apps.Layer{StepSize: 5, MaxSize: 12, Bias: app.ByWeight}, 2},
	{&apps.FastGCN{Sizes: []int{4, 3}, Replace: true}, 2},
	{&apps.FastGCN{Sizes: []int{4, 3}, Normalization: index.RowNorm}, 2},
	{&apps.LADIES{Sizes: []int{4, 3}, Replace: true}, 2},
	{&apps.MVS{Batch: 4, Fanouts: []int{3}}, 0},
	{&apps.RandomNode{N: 7}, 0},
	{&apps.RandomEdge{N: 7}, 0},
	{&apps.ClusterGCN{Clusters: &app.Clusters{Count: 4}, PerSample: 2}, 0},
	{&apps.GraphSAINT{Method: app.NodeMethod, Budget: 7}, 0},
	{&apps.GraphSAINT{Method: app.EdgeMethod, Budget: 7}, 0},
	{&apps.GraphSAINT{Method: app.WalkMethod, Roots: 3, Length: 2}, 0},
	{&program.Custom{StepProgram: program.StepProgram{Steps: 5}}, 1},
	{&program.Custom{StepProgram: program.StepProgram{Steps: 5, Fanouts: []int{2}, Unique: program.PerSample}}, 1},
}

func TestTheListOfTablesHasEveryApp(t *testing.T) {
	names := map[string]bool{}
	for _, l := range listed {
		names[l.app.Name()] = true
	}
	for _, name := range slices.Sorted(maps.Keys(apps.Specs)) {
		if !names[name] {
			t.Errorf("%s: not in the list of this test", name)
		}
	}
}

// A call builds the tables that its plan lists and Explain shows. Explain builds none of them.
func TestACallBuildsTheTablesThatItsPlanLists(t *testing.T) {
	edges := build.Edges{NumVertices: 300}
	var src, dst []int64
	var weights []float64
	for i := range int64(3000) {
		src, dst, weights = append(src, i%300), append(dst, (i*i+i/300)%300), append(weights, float64(1+i%7))
	}
	edges.Sources, edges.Targets, edges.Weights = graph.ArrayOf(src), graph.ArrayOf(dst), graph.ArrayOf(weights)
	for _, l := range listed {
		for _, samples := range []int{1, 5000} { // too few for an edge set, and enough
			g := graphtest.Timed(graphtest.Labelled(graphtest.Built(t, edges)))
			q := gonextdoor.Question{
				Graph: g, App: l.app, Roots: plan.Roots{Vertices: make([]uint32, l.width), Count: 1, Width: l.width, Repeat: samples},
				Threads: 1, VertexBytes: 4,
			}
			before, err := gonextdoor.Explain(q)
			if err != nil {
				t.Errorf("%s: %v", l.app.Name(), err)
				continue
			}
			if now := builtTables(g); len(now) > 0 {
				t.Errorf("%s: Explain built %q", l.app.Name(), now)
			}
			var want []string
			for _, table := range before.Tables {
				if table.Built {
					t.Errorf("%s: %s is built before the first call", l.app.Name(), table.Name)
				}
				if table.When == "" || samples > 1 {
					want = append(want, table.Name)
				}
			}
			run(t, g, l.app, q.Roots)
			if now := builtTables(g); !slices.Equal(now, sorted(want)) {
				t.Errorf("%+v: %d samples built %q, but %q are listed", l.app, samples, now, sorted(want))
			}
			after, err := gonextdoor.Explain(q)
			if err != nil {
				t.Fatal(err)
			}
			for i, table := range after.Tables {
				if table.Built != slices.Contains(want, table.Name) {
					t.Errorf("%s: %s: built %v", l.app.Name(), table.Name, table.Built)
				}
				if i := before.Tables[i]; i.Name != table.Name {
					t.Errorf("%s: lists %s, then %s", l.app.Name(), i.Name, table.Name)
				}
			}
			g.Close()
		}
	}
}

// run makes samples on the CPU.
func run(t *testing.T, g *graph.Graph, a app.App, roots plan.Roots) {
	t.Helper()
	if err := gonextdoor.Prepare(g, a, graph.Options{}); err != nil {
		t.Fatal(err)
	}
	s := sampler(t, g, a, roots.Width)
	b := plan.Batch{Roots: roots, Seed: 1, Threads: 1}
	var err error
	switch j := new(job.Job); {
	case s.Plan.Layered:
		l, failed := s.Layers(b, j)
		if err = failed; err == nil {
			l.Return()
		}
	case s.Plan.Width == 0:
		r, failed := s.Ragged(b, j)
		if err = failed; err == nil {
			r.Return()
		}
	default:
		out := matrix(s, b)
		out.Edges = nil
		err = s.Matrix(b, out, j)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// builtTables returns the names of the tables that a graph has.
func builtTables(g *graph.Graph) (names []string) {
	for _, table := range index.AllTables() {
		if table.Built(g) {
			names = append(names, table.Name)
		}
	}
	return sorted(names)
}

// sorted returns a sorted copy.
func sorted(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	return names
}
