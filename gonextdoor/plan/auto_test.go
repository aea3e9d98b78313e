package plan

import (
	"encoding/json"
	"flag"
	"os"
	"strconv"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/apps"
	graphs "gonextdoor/gonextdoor/graph/build"
)

// The files of the stored grid: its rows, and the sizes of its graphs, which -write makes again.
const (
	gridRows   = "../../benchmarks/gpu/auto.csv"
	gridGraphs = "../../benchmarks/gpu/auto_graphs.json"
)

var write = flag.Bool("write", false, "write the sizes of the grid's graphs")

// gridCases are the cases of python/gonextdoor/cli/costs.py that a GPU runs, with the roots of a sample.
var gridCases = map[string]struct {
	app   app.App
	width int
}{
	"DeepWalk":                     {&apps.DeepWalk{Length: 80, Weighted: app.No}, 1},
	"DeepWalk, weighted":           {&apps.DeepWalk{Length: 80}, 1},
	"DeepWalk, computed":           {&apps.DeepWalk{Length: 80, Weighted: app.Computed}, 1},
	"PPR":                          {&apps.PPR{Stop: 0.15, Weighted: app.No}, 1},
	"PPR, weighted":                {&apps.PPR{Stop: 0.15}, 1},
	"PPR, computed":                {&apps.PPR{Stop: 0.15, Weighted: app.Computed}, 1},
	"Node2Vec":                     {&apps.Node2Vec{P: 2, Q: 0.5, Length: 80, Weighted: app.No}, 1},
	"Node2Vec, weighted":           {&apps.Node2Vec{P: 2, Q: 0.5, Length: 80}, 1},
	"Node2Vec, computed":           {&apps.Node2Vec{P: 2, Q: 0.5, Length: 80, Weighted: app.Computed}, 1},
	"NonBacktracking":              {&apps.NonBacktracking{Length: 80, Weighted: app.No}, 1},
	"NonBacktracking, weighted":    {&apps.NonBacktracking{Length: 80}, 1},
	"Walk, by degree":              {&apps.Walk{Bias: app.ByDegree, Length: 80}, 1},
	"Walk, by degree, computed":    {&apps.Walk{Bias: app.ByDegree, Length: 80, Computed: true}, 1},
	"MetropolisHastings":           {&apps.MetropolisHastings{Length: 80}, 1},
	"Jump":                         {&apps.Jump{Teleport: apps.Teleport{Length: 80, Probability: 0.15, Weighted: app.No}}, 1},
	"Restart":                      {&apps.Restart{Teleport: apps.Teleport{Length: 80, Probability: 0.15, Weighted: app.No}}, 1},
	"MultiIndependent":             {&apps.MultiIndependent{Length: 80, Weighted: app.No}, 4},
	"MultiDimensionalWalk":         {&apps.MultiDimensionalWalk{Length: 80, Dimension: 100}, 100},
	"MetaPath":                     {&apps.MetaPath{Labels: []int32{0, 1, 2}, Length: 80, Weighted: app.No}, 1},
	"MetaPath, weighted":           {&apps.MetaPath{Labels: []int32{0, 1, 2}, Length: 80}, 1},
	"TemporalWalk":                 {&apps.TemporalWalk{Length: 80}, 1},
	"TemporalWalk, linear":         {&apps.TemporalWalk{Length: 80, Bias: app.LinearInTime, Strict: true}, 1},
	"TemporalWalk, exponential":    {&apps.TemporalWalk{Length: 80, Bias: app.ExponentialInTime, Strict: true}, 1},
	"KHop":                         {&apps.KHop{Fanouts: []int{15, 10}}, 1},
	"KHop, weighted":               {&apps.KHop{Fanouts: []int{15, 10}, Weighted: app.Yes}, 1},
	"Snowball, fan-out 5":          {&apps.Snowball{Depth: 3, Fanout: 5}, 1},
	"Snowball":                     {&apps.Snowball{Depth: 2, Fanout: app.All}, 1},
	"ForestFire":                   {&apps.ForestFire{Probability: 0.4}, 1},
	"RandomNode":                   {&apps.RandomNode{N: 1000, Induced: true}, 0},
	"RandomEdge":                   {&apps.RandomEdge{N: 1000}, 0},
	"ClusterGCN":                   {nil, 0},
	"GraphSAINT, node":             {&apps.GraphSAINT{Method: app.NodeMethod, Budget: 1000}, 0},
	"GraphSAINT, edge":             {&apps.GraphSAINT{Method: app.EdgeMethod, Budget: 1000}, 0},
	"GraphSAINT, walk":             {&apps.GraphSAINT{Method: app.WalkMethod, Roots: 250, Length: 3}, 0},
	"GraphSAINT, multidimensional": {&apps.GraphSAINT{Method: app.MultidimensionalMethod, Roots: 100, Budget: 1000}, 0},
	"App, next":                    {hooked(program.StepProgram{Next: func(*program.Ctx) uint32 { return 0 }}), 1},
	"App, edge_bias":               {hooked(program.StepProgram{EdgeBias: noBias}), 1},
	"App, edge_bias and bound":     {hooked(program.StepProgram{EdgeBias: noBias, Bound: func(*program.Ctx) uint64 { return 1 }}), 1},
}

func noBias(*program.Ctx, uint64, uint32) uint64 { return 0 }

// hooked is an app with hooks that are not called.
func hooked(p program.StepProgram) app.App {
	p.Steps = 20
	return &program.Custom{StepProgram: p}
}

// The stored grid is replayed: of the calls that were measured on both devices, device="auto" takes the faster one in 95 %,
// or one that is at most 10 % slower.
func TestAutoTakesTheFasterDeviceOfTheStoredGrid(t *testing.T) {
	sizes, runs := gridSizes(t), map[string][]measuredCall{}
	for _, row := range storedRows(t, gridRows) {
		c, known := gridCases[row.name]
		on, there := sizes[row.graph]
		if !known || !there {
			t.Fatalf("%v: no such case or graph", row)
		}
		if row.name == "ClusterGCN" { // of clusters of about 1000 vertices
			c.app = &apps.ClusterGCN{Clusters: &app.Clusters{Count: max(1, on.Vertices/1000)}, PerSample: 1}
		}
		row.Call = Call{App: c.app, On: on, Samples: row.Samples, RootWidth: c.width, Threads: storedCores}
		runs[row.run] = append(runs[row.run], row)
	}
	for run, calls := range runs {
		least := 350
		if run == "3" { // of the apps that came to the GPU later
			least = 120
		}
		replayed(t, "run "+run, calls, least, 0.95)
	}
}

// gridSizes returns the sizes of the grid's graphs by scale.
func gridSizes(t *testing.T) (sizes map[string]app.Size) {
	t.Helper()
	if *write {
		sizes = map[string]app.Size{}
		for _, scale := range []int{12, 16, 20, 22} {
			r := graphs.RMAT{Scale: scale, EdgeFactor: 8, Symmetric: true, Seed: 1}
			g, err := r.Graph()
			if err != nil {
				t.Fatal(err)
			}
			on := app.SizeOf(g).WithProfile()
			on.Weighted, on.Profile.Labels = true, map[int32]float64{0: 1.0 / 3, 1: 1.0 / 3, 2: 1.0 / 3} // as the grid's graphs are
			sizes[strconv.Itoa(scale)] = on
			g.Close()
		}
		text, err := json.MarshalIndent(sizes, "", " ")
		if err == nil {
			err = os.WriteFile(gridGraphs, append(text, '\n'), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	sizes = nil
	readJSON(t, gridGraphs, &sizes)
	return sizes
}
