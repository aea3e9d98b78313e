package apps

import (
	"math"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/rng"
)

func within(t *testing.T, what string, got, low, high float64) {
	t.Helper()
	if !(got >= low && got <= high) {
		t.Errorf("%s: %v, expected from %v to %v", what, got, low, high)
	}
}

// Half of the edges lead to a sink, so a walk takes two steps on average.
func TestWalksEndAtSinks(t *testing.T) {
	const n = 4096
	edges := make([]graphtest.Edge, 0, n)
	for v := range n / 2 {
		edges = append(edges, graphtest.Edge{From: uint32(v), To: uint32((v + 1) % (n / 2))}, graphtest.Edge{From: uint32(v), To: uint32(v + n/2)})
	}
	on := app.SizeOf(graphtest.Make(n, false, edges))
	within(t, "steps of 80", on.Steps(80, 0), 1.6, 2.5)
	within(t, "steps of one", on.Steps(1, 0), 1, 1)
	within(t, "steps if half of the walks stop as well", on.Steps(math.Inf(1), 0.5), 1.2, 1.5)
	within(t, "the mean degree of an end point", on.Neighbor(), 0.8, 1.2)
	within(t, "steps by computed weights", app.Expect(&DeepWalk{Length: 80, Weighted: app.Computed}, 1, on).Operations, 9, 11)
	within(t, "vertices by computed weights", app.Expect(&DeepWalk{Length: 80, Weighted: app.Computed}, 1, on).Vertices, 80, 80)
}

// Without sinks a walk takes all of its steps.
func TestWalksWithoutSinksDoNotEnd(t *testing.T) {
	on := app.SizeOf(graphtest.Circle(false))
	within(t, "steps of 1000", on.Steps(1000, 0), 1000, 1000)
	within(t, "steps if a tenth stops", on.Steps(math.Inf(1), 0.1), 9.99, 10.01)
	within(t, "steps of an unknown graph", app.Size{}.Steps(80, 0), 80, 80)
}

// The end points of many edges are fewer vertices, since hubs are drawn several times.
func TestDistinctEndPoints(t *testing.T) {
	g, err := build.RMAT{Scale: 12, EdgeFactor: 16, Symmetric: true, Seed: 3}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	on := app.SizeOf(g)
	for _, draws := range []int{1, 100, 1000, 10_000, 1_000_000} {
		seen, vertices, edges := map[uint32]bool{}, 0.0, 0.0
		for i := range draws {
			word, _ := rng.Below(rng.NewStream(1, rng.Choices).Key(0).Word(uint64(i)), uint64(g.NumEdges()))
			if v := g.Indices[word]; !seen[v] {
				seen[v] = true
				vertices, edges = vertices+1, edges+float64(g.Degree(v))
			}
		}
		gotVertices, gotEdges := on.Distinct(float64(draws))
		if draws > 1 {
			within(t, "vertices", gotVertices, 0.7*vertices, 1.3*vertices)
			within(t, "edges", gotEdges, 0.7*edges, 1.3*edges)
		}
		within(t, "vertices", gotVertices, 0, float64(draws))
	}
	vertices, edges := app.Size{}.Distinct(7)
	within(t, "vertices of an unknown graph", vertices, 0, 0)
	within(t, "edges of an unknown graph", edges, 0, 0)
}

// A vertex of one edge has none of a label that half of the edges have, in half of the cases.
func TestWalksEndWithoutAnEdgeOfTheLabel(t *testing.T) {
	p := &app.Profile{Neighbor: 1, Labels: map[int32]float64{0: 0.5, 1: 0.5}}
	p.Ends[1] = 1
	on := app.Size{Vertices: 10, Edges: 10, Profile: p}
	within(t, "steps of 80", on.LabelSteps([]int32{0, 1}, 80, 0), 1.99, 2.01)
	within(t, "steps by a label that no edge has", on.LabelSteps([]int32{7}, 80, 0), 1, 1)
	p.Labels = nil
	within(t, "steps if edges have no labels", on.LabelSteps([]int32{0}, 80, 0), 80, 80)
}

// The profile is read from rows that may not have been validated.
func TestProfilesReadNoRowThatIsNotThere(t *testing.T) {
	g := graphtest.Make(3, false, []graphtest.Edge{{From: 0, To: 1}, {From: 1, To: 2}})
	g.Indices[0], g.Indptr[2] = 1<<31, 1<<40
	within(t, "steps", app.SizeOf(g).Steps(80, 0), 0, 80)
}

// An empty graph has a profile.
func TestAGraphWithoutEdgesHasNoSteps(t *testing.T) {
	on := app.SizeOf(graphtest.Lonely(false))
	within(t, "steps", on.Steps(80, 0), 0, 0)
	within(t, "neighbours", on.Neighbor(), 0, 0)
}

// The CPU is slower for candidates whose degrees do not fit its caches, which FastGCN has none of.
func TestCandidatesMissTheCaches(t *testing.T) {
	seconds := func(a app.App, vertices int) float64 {
		return Seconds(a, 512, app.Size{Vertices: vertices, Edges: 38 * vertices})
	}
	sizes := []int{512, 512}
	few, many := seconds(&LADIES{Sizes: sizes}, 1<<24), seconds(&LADIES{Sizes: sizes}, 1<<24+1)
	within(t, "LADIES on a larger graph", many/few, 7.99, 8.01)
	few, many = seconds(&FastGCN{Sizes: sizes}, 1<<24), seconds(&FastGCN{Sizes: sizes}, 1<<24+1)
	within(t, "FastGCN on a larger graph", many/few, 0.99, 1.01)
}
