package apps

import (
	"math"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph/graphtest"
)

func TestEverySpecIsOfItsApp(t *testing.T) {
	if len(Specs) != len(specs) {
		t.Fatalf("%d apps, but %d names", len(specs), len(Specs))
	}
	for name, s := range Specs {
		if s.Name != name || s.New().Name() != name {
			t.Errorf("%s: the row is %s, the app %s", name, s.Name, s.New().Name())
		}
		if s.Cost.Cached <= 0 || s.Cost.Memory < s.Cost.Cached {
			t.Errorf("%s: %+v: expected a cost, and none that is lower in memory than in caches", name, s.Cost)
		}
		if s.New() == s.New() {
			t.Errorf("%s: apps share their parameters", name)
		}
	}
}

// The size of a regular graph is known exactly; a graph of hubs has larger neighbours than vertices.
func TestSizesOfGraphs(t *testing.T) {
	s := app.SizeOf(graphtest.Star(100, false))
	if s.Vertices != 101 || s.Degree() >= 2 || s.Neighbor() < 25 {
		t.Errorf("a star: %d vertices of degree %v, neighbours of %v", s.Vertices, s.Degree(), s.Neighbor())
	}
	if d := (app.Size{}).Degree(); !math.IsInf(d, 1) {
		t.Errorf("an unknown graph has degree %v", d)
	}
}

func TestCostsGrowWithTheGraph(t *testing.T) {
	c := app.Cost{Cached: 10, Memory: 40}
	for _, x := range []struct {
		size app.Size
		want float64
	}{
		{app.Size{}, 10e-9},
		{app.Size{Vertices: 1 << 14, Edges: 1 << 18}, 10e-9},
		{app.Size{Vertices: 1 << 17, Edges: 1 << 21}, 25e-9},
		{app.Size{Vertices: 1 << 20, Edges: 1 << 24}, 40e-9},
		{app.Size{Vertices: 1 << 30, Edges: 1 << 34}, 40e-9},
	} {
		if got := c.On(x.size); math.Abs(got-x.want) > 1e-12 {
			t.Errorf("%+v: %g, expected %g", x.size, got, x.want)
		}
	}
}

func TestWhatIsExpectedOfASample(t *testing.T) {
	ten := app.Size{Vertices: 1000, Edges: 10000} // every vertex has 10 edges
	for _, c := range []struct {
		app   app.App
		roots int
		on    app.Size
		want  app.Expected
	}{
		{&DeepWalk{Length: 80}, 1, app.Size{}, app.Expected{Vertices: 80, Operations: 80}},
		{&KHop{Fanouts: []int{2, 3}}, 4, app.Size{}, app.Expected{Vertices: 32, Operations: 32}},
		{&MultiDimensionalWalk{Length: 9, Dimension: 3}, 3, app.Size{}, app.Expected{Vertices: 9, Operations: 9}},
		{&PPR{Stop: 0.25}, 1, app.Size{}, app.Expected{Vertices: 4, Operations: 4}},
		{&PPR{Stop: 0.25, MaxLength: 3}, 1, app.Size{}, app.Expected{Vertices: 2.3125, Operations: 2.3125}},
		{&Neighbor{Fanouts: []int{4, 5}, FrontierSize: 2}, 1, app.Size{}, app.Expected{Vertices: 14, Operations: 56}},
		{&Snowball{Depth: 2, Fanout: app.All}, 1, ten, app.Expected{Vertices: 110, Operations: 40 + 110 + 110}},
		{&Snowball{Fanout: app.All}, 1, ten, app.Expected{Vertices: 999, Operations: 40 + 999 + 10 + 100 + 1000 + 8890}},
		{&ForestFire{Probability: 0.5, Depth: 3}, 2, ten, app.Expected{Vertices: 6, Operations: 80 + 4*6}},
		{&LADIES{Sizes: []int{5, 3}}, 2, ten, app.Expected{Vertices: 8, Operations: 78}},
		{&MVS{Batch: 3, Fanouts: []int{2, app.All}}, 0, ten, app.Expected{Vertices: 69, Operations: 69 + 4*3}},
		{&RandomNode{N: 7, Induced: true}, 0, ten, app.Expected{Vertices: 7, Operations: 77}},
		{&ClusterGCN{Clusters: &app.Clusters{Count: 10}, PerSample: 2}, 0, ten, app.Expected{Vertices: 200, Operations: 2200}},
		{&ClusterGCN{Clusters: &app.Clusters{IDs: []uint32{0, 1, 1, 0}}, PerSample: 5}, 0, app.Size{Vertices: 4, Edges: 4}, app.Expected{Vertices: 4, Operations: 8}},
		{&program.Custom{StepProgram: program.StepProgram{Steps: 3, Fanouts: []int{2}}}, 2, app.Size{}, app.Expected{Vertices: 28, Operations: 28 * 9}},
	} {
		if got := app.Expect(c.app, c.roots, c.on); got != c.want {
			t.Errorf("%s of %d roots: %+v, expected %+v", c.app.Name(), c.roots, got, c.want)
		}
	}
	for _, a := range []app.App{&Snowball{Fanout: app.All}, &ClusterGCN{Clusters: &app.Clusters{Count: 10}, PerSample: 2}, &program.Custom{}} {
		if e := app.Expect(a, 1, app.Size{}); !math.IsInf(e.Vertices, 1) {
			t.Errorf("%s: %v vertices are expected where nothing is known of the graph", a.Name(), e.Vertices)
		}
	}
}
