package enginetest

import (
	"fmt"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// Scorer is an engine that counts the visits of personalised PageRank.
type Scorer interface {
	Scores(s plan.Scores, j *job.Job) (output.Scores, error)
}

// ScoreRequests calls f with requests for awkward graphs and seeds.
func ScoreRequests(t *testing.T, f func(t *testing.T, s plan.Scores)) {
	for _, weighted := range []bool{false, true} {
		for name, g := range scoreGraphs(t, weighted) {
			for _, stop := range []float64{0.02, 0.15, 1} {
				for _, sinks := range []app.Sinks{app.SinkRestarts, app.SinkStops} {
					for i, kind := range []string{"single", "sets", "weighted"} {
						t.Run(fmt.Sprintf("%v/%s/%v/%s/%s", weighted, name, stop, sinks, kind), func(t *testing.T) {
							a, err := (&app.PageRank{Stop: stop, Sinks: sinks}).Bind(g)
							if err == nil && a.Weighs(g) {
								err = index.BuildAlias(g, graph.Options{})
							}
							if err != nil {
								t.Fatal(err)
							}
							s := plan.Scores{App: a, Graph: g, From: ScoreStarts(g, 9, kind), Seed: 11, First: 5, TopK: i * 3}
							for row := range s.From.Rows {
								s.Walks = append(s.Walks, int64(row%4*60))
							}
							f(t, s)
						})
					}
				}
			}
		}
	}
}

// Scored fails t unless an engine counts what the serial definition does.
func Scored(t *testing.T, e Scorer, s plan.Scores) {
	t.Helper()
	got, err := e.Scores(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	equalsRanked(t, s, got)
	got.Return()
}

// scoreGraphs returns graphs with sinks, hubs, parallel edges, edges without a bias and vertices without an edge.
func scoreGraphs(t testing.TB, weighted bool) map[string]*graph.Graph {
	spec := build.RMAT{Scale: 9, EdgeFactor: 3, Seed: 5}
	if weighted {
		spec.Low, spec.High = 1, 9
	}
	rmat, err := spec.Graph()
	if err != nil || !rmat.HasSinks() {
		t.Fatal(err)
	}
	doubled := []graphtest.Edge{
		{From: 0, To: 1, Bias: 3}, {From: 0, To: 1, Bias: 1}, {From: 0, To: 0, Bias: 2}, {From: 1, To: 2, Bias: 1}, {From: 3, To: 0, Bias: 5},
		{From: 2, To: 3, Bias: 0}, {From: 4, To: 3, Bias: 0}, {From: 4, To: 1, Bias: 7},
	}
	graphs := map[string]*graph.Graph{
		"rmat": rmat, "doubled": graphtest.Make(6, weighted, doubled), "thicket": graphtest.Thicket(weighted),
		"one way": graphtest.OneWay(weighted), "lonely": graphtest.Lonely(weighted), "star": graphtest.Star(300, weighted),
	}
	return graphs
}

// ScoreStarts returns seed nodes: single vertices, and sets of some of them with weights or without.
func ScoreStarts(g *graph.Graph, rows int, kind string) app.Personalization {
	n := uint32(g.NumVertices())
	p := app.Personalization{Rows: rows, Weighted: app.No}
	if kind == "single" {
		for r := range uint32(rows) {
			p.Vertices = append(p.Vertices, r*7%n)
		}
		return p
	}
	var edges []graphtest.Edge
	for r := range uint32(rows) {
		for k := range 1 + r%4 {
			edges = append(edges, graphtest.Edge{From: r, To: uint32(len(p.Vertices)), Bias: 1 + k*k})
			p.Vertices = append(p.Vertices, (r*5+k*11)%n)
		}
	}
	p.Sets = graphtest.Make(max(rows, len(p.Vertices)), kind == "weighted", edges)
	if kind == "weighted" {
		p.Weighted = app.Yes
		if err := index.BuildAlias(p.Sets, graph.Options{}); err != nil {
			panic(err)
		}
	}
	return p
}

// ranked is a row as the serial definition counts it.
func ranked(s plan.Scores, row int) (vertices []uint32, counts map[uint32]app.Visits, total int64) {
	counts = s.App.Row(s.Graph, s.From, row, app.RowWalks(s.Seed, s.First+uint64(row)), uint64(s.Walks[row]))
	for v, c := range counts {
		vertices, total = append(vertices, v), total+int64(c.All)
	}
	slices.Sort(vertices)
	if s.TopK > 0 {
		slices.SortStableFunc(vertices, func(a, b uint32) int {
			score := func(v uint32) int64 { return int64(uint64(counts[v].All) * s.App.Unit(s.Graph, v)) }
			return int(max(-1, min(1, score(b)-score(a))))
		})
		vertices = vertices[:min(s.TopK, len(vertices))]
	}
	return vertices, counts, total
}

func equalsRanked(t *testing.T, s plan.Scores, got output.Scores) {
	t.Helper()
	at := int64(0)
	for row := range s.From.Rows {
		vertices, counts, total := ranked(s, row)
		if got.Offsets[row] != at || got.Offsets[row+1] != at+int64(len(vertices)) || got.Total[row] != total {
			t.Fatalf("row %d: entries %d to %d, %d visits; expected %d from %d, %d visits",
				row, got.Offsets[row], got.Offsets[row+1], got.Total[row], len(vertices), at, total)
		}
		for i, v := range vertices {
			k := int(at) + i
			if c := counts[v]; got.Vertices[k] != v || got.Visits[k] != c.All || got.Walks[k] != c.Walks {
				t.Fatalf("row %d, entry %d: vertex %d, %d visits of %d walks; expected %d, %v",
					row, i, got.Vertices[k], got.Visits[k], got.Walks[k], v, c)
			}
		}
		at += int64(len(vertices))
	}
}
