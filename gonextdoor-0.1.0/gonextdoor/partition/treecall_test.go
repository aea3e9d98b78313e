package partition_test

import (
	"fmt"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/partition"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// treeApps are apps whose samples are trees, that a partitioned graph supports.
func treeApps(g *graph.Graph) (trees []app.App) {
	trees = []app.App{
		&apps.KHop{Fanouts: []int{3, 2, 4}}, &apps.KHop{Fanouts: []int{5, 3}, Replace: true}, &apps.KHop{Fanouts: []int{1, 1, 1, 1}},
		&apps.KHop{Fanouts: []int{60}}, &apps.MultiIndependent{Length: 5},
		&apps.Neighbor{Fanouts: []int{2, 3}}, &apps.Neighbor{Fanouts: []int{3, 3, 3}, FrontierSize: 2},
		&apps.Neighbor{Fanouts: []int{4, 2}, FrontierSize: 3, Replace: true}, &apps.Neighbor{Fanouts: []int{2, 2}, Bias: app.ByDegree},
		&apps.Neighbor{Fanouts: []int{3, 2, 2}, Bias: app.ByDegree, FrontierSize: 4},
		&apps.ForestFire{Probability: 0.4}, &apps.ForestFire{Probability: 0.8, Depth: 3}, &apps.ForestFire{Probability: 1, Depth: 2},
		&apps.ForestFire{Probability: 0}, &apps.ForestFire{Probability: 0.95, Depth: 4},
	}
	if g.Weighted() {
		trees = append(trees, &apps.KHop{Fanouts: []int{3, 2}, Weighted: app.Yes}, &apps.KHop{Fanouts: []int{4, 2}, Replace: true, Weighted: app.Yes},
			&apps.Neighbor{Fanouts: []int{3, 2}, Bias: app.ByWeight}, &apps.Neighbor{Fanouts: []int{3, 2}, Bias: app.ByWeight, FrontierSize: 2, Replace: true})
	}
	return trees
}

// growTrees samples trees of a partitioned graph from a part.
func growTrees(parts []*partition.Part, home int, a app.App, b plan.Batch, out output.Matrix) (*partition.TreeCall, error) {
	c, err := partition.NewTreeCall(parts[home], a, b, out, nil)
	if err != nil {
		return nil, err
	}
	for {
		questions, err := c.Questions(nil)
		if err != nil || questions == nil {
			return c, err
		}
		answers, err := askEdges(parts, questions)
		if err == nil {
			err = c.Answers(answers, nil)
		}
		if err != nil {
			return nil, err
		}
		for _, buffer := range answers { // which the caller may free
			for i := range buffer {
				buffer[i] = graph.None
			}
		}
	}
}

// definitions returns the samples of the serial definition, with edge ids.
func definitions(t *testing.T, g *graph.Graph, a app.App, b plan.Batch) (rows []app.Row) {
	t.Helper()
	view, err := app.View(a, g, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bound, err := a.Bind(view)
	if err == nil && bound.Weighs(view) {
		err = index.BuildAlias(view, graph.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	scratch := make([]uint32, 1)
	for i := range b.Roots.Samples() {
		id := b.First + uint64(i)
		row := bound.Sample(view, rng.NewStream(b.Seed, rng.Choices).Key(id), b.Roots.Of(i, scratch), app.Row{ID: id})
		for k, p := range row.Edges {
			if p != graph.NoEdge {
				row.Edges[k] = view.EdgeID(p)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// checkTrees compares the samples of a partitioned graph with the definition.
func checkTrees(t *testing.T, g *graph.Graph, parts []*partition.Part, home int, a app.App, b plan.Batch) {
	t.Helper()
	want := definitions(t, g, a, b)
	shape := app.ShapeOf(a, b.Roots.Width)
	n, width := len(want), shape.Width
	out := output.Matrix{Width: width, Roots: b.Roots.Width}
	if width > 0 {
		out.Vertices, out.Edges = make([]uint32, n*width), make([]int64, n*(width-b.Roots.Width))
	}
	c, err := growTrees(parts, home, a, b, out)
	if err != nil {
		t.Fatalf("%T%+v: %v", a, a, err)
	}
	if width > 0 {
		for i, row := range want {
			edges := make([]int64, len(row.Edges))
			for k, id := range row.Edges {
				edges[k] = int64(id)
			}
			got, gotEdges := out.Vertices[i*width:][:width], out.Edges[i*(width-out.Roots):][:width-out.Roots]
			if !slices.Equal(got, row.Vertices) || !slices.Equal(gotEdges, edges) {
				t.Fatalf("%T%+v: sample %d is %v by edges %v, expected %v by %v", a, a, i, got, gotEdges, row.Vertices, edges)
			}
		}
		return
	}
	l, err := c.Layers(true)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Return()
	for i, row := range want {
		first, end := l.Offsets[i], l.Offsets[i+1]
		roots := len(row.Vertices) - len(row.Edges)
		for k := range row.Vertices {
			edge, parent := int64(-1), int32(-1)
			if k >= roots {
				edge, parent = int64(row.Edges[k-roots]), row.Parents[k-roots]
			}
			at := first + int64(k)
			if at >= end || l.Vertices[at] != row.Vertices[k] || l.Edges[at] != edge || l.Parents[at] != parent {
				t.Fatalf("%T%+v: sample %d is %v, expected %v", a, a, i, l.Vertices[first:end], row.Vertices)
			}
		}
		if end-first != int64(len(row.Vertices)) || !slices.Equal(l.Ends[l.EndsFrom[i]:l.EndsFrom[i+1]], row.Ends) {
			t.Fatalf("%T%+v: sample %d ends at %v, expected %v", a, a, i, l.Ends[l.EndsFrom[i]:l.EndsFrom[i+1]], row.Ends)
		}
	}
}

func TestPartitionedTreesEqualTheDefinition(t *testing.T) {
	share := enginetest.NewShare(t, 4)
	full, wide := graphtest.Full(t, false), graphtest.Full(t, true)
	defer full.Close()
	defer wide.Close()
	for name, g := range map[string]*graph.Graph{
		"thicket": graphtest.Thicket(true), "diamond": graphtest.Diamond(false), "full": full, "wide": wide, "lonely": graphtest.Lonely(true),
		"long": graphtest.Star(200, true), "random": random(t, 9, true),
	} {
		n := uint32(g.NumVertices())
		for _, count := range []int{1, 2, 3, 5} {
			for kind, owners := range ownersOf(g.NumVertices(), count) {
				for _, hot := range [][]uint32{nil, hotOf(g, 3)} {
					parts := split(t, g, owners, hot)
					for seed := range uint64(20) {
						if !share.Takes() {
							continue
						}
						b := plan.Batch{Seed: seed, First: seed * 1000, Roots: plan.Roots{Width: 1, Repeat: 2}}
						for i := range uint32(6) {
							b.Roots.Vertices = append(b.Roots.Vertices, (i*7+uint32(seed))%n)
						}
						b.Roots.Count = 6
						if seed%3 == 0 {
							b.Roots.Width, b.Roots.Count = 2, 3
						}
						for _, a := range treeApps(g) {
							t.Run(fmt.Sprintf("%s %d %s %T", name, count, kind, a), func(t *testing.T) {
								checkTrees(t, g, parts, int(seed)%count, a, b)
							})
						}
					}
				}
			}
		}
	}
}

// random returns an R-MAT graph.
func random(t *testing.T, scale int, weighted bool) *graph.Graph {
	t.Helper()
	r := build.RMAT{Scale: scale, EdgeFactor: 8, A: 0.57, B: 0.19, C: 0.19, Seed: 5}
	if weighted {
		r.Low, r.High = 1, 9
	}
	g, err := r.Graph()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}
