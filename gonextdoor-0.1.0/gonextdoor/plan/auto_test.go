package plan

import (
	"encoding/csv"
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
	gridCores  = 16
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

// storedRow is a measured case: the milliseconds of a call on the CPU and on a GPU.
type storedRow struct {
	run, graph, name string
	samples          int
	cpu, gpu         float64
}

// storedRows reads the measured cases of a file.
func storedRows(t *testing.T, path string) (all []storedRow) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		var numbers [3]float64
		for i, text := range row[3:] {
			if numbers[i], err = strconv.ParseFloat(text, 64); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, storedRow{row[0], row[1], row[2], int(numbers[0]), numbers[1], numbers[2]})
	}
	return all
}

// The stored grid is replayed: of the calls that were measured on both devices, device="auto" takes the faster one in 95 %,
// or one that is at most 10 % slower.
func TestAutoTakesTheFasterDeviceOfTheStoredGrid(t *testing.T) {
	sizes := gridSizes(t)
	cases, right := map[string]int{}, map[string]int{}
	for _, row := range storedRows(t, gridRows) {
		run, scale, name := row.run, row.graph, row.name
		c, known := gridCases[name]
		on, there := sizes[scale]
		if !known || !there {
			t.Fatalf("%v: no such case or graph", row)
		}
		if name == "ClusterGCN" { // of clusters of about 1000 vertices
			c.app = &apps.ClusterGCN{Clusters: &app.Clusters{Count: max(1, on.Vertices/1000)}, PerSample: 1}
		}
		call := Call{App: c.app, On: on, Samples: row.samples, RootWidth: c.width, Threads: gridCores}
		taken, other := row.cpu, row.gpu
		choice := call.Estimate().Choose(true, true)
		if choice.GPU {
			taken, other = other, taken
		}
		cases[run]++
		if taken <= 1.1*other {
			right[run]++
		} else {
			t.Logf("run %s, 2^%s, %s, %d roots: CPU %g ms, GPU %g ms; expected %.3f and %.3f", run, scale, name, row.samples,
				row.cpu, row.gpu, 1e3*choice.CPU, 1e3*choice.Warm)
		}
	}
	for run, n := range cases {
		share := float64(right[run]) / float64(n)
		t.Logf("run %s: right in %.1f %% of %d cases", run, 100*share, n)
		least := 350
		if run == "3" { // of the apps that came to the GPU later
			least = 120
		}
		if n < least || share < 0.95 {
			t.Errorf("run %s: right in %d of %d cases, expected 95 %% of %d at least", run, right[run], n, least)
		}
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
	text, err := os.ReadFile(gridGraphs)
	if err == nil {
		sizes = nil
		err = json.Unmarshal(text, &sizes)
	}
	if err != nil {
		t.Fatal(err)
	}
	return sizes
}
