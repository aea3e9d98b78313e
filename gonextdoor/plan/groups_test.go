package plan

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/apps"
	graphs "gonextdoor/gonextdoor/graph/build"
)

// The files of benchmarks/gpu/autosamples.py: the measured cases, the apps, and the sizes of the graphs, which -write makes
// again.
const (
	groupRows   = "../../benchmarks/gpu/autosamples.csv"
	groupApps   = "../../benchmarks/gpu/autosamples_apps.json"
	groupGraphs = "../../benchmarks/gpu/autosamples_graphs.json"
)

var fit = flag.Bool("fit", false, "print the constants that fit the measured cases")

// groupGraph is an R-MAT graph of autosamples.py.
var groupGraph = map[string]graphs.RMAT{
	"R12": {Scale: 12, EdgeFactor: 8}, "R16": {Scale: 16, EdgeFactor: 8}, "R18": {Scale: 18, EdgeFactor: 16},
	"R20": {Scale: 20, EdgeFactor: 8}, "U14": uniformGraph(14, 4), "U17": uniformGraph(17, 16), "U20": uniformGraph(20, 3),
}

func uniformGraph(scale, factor int) graphs.RMAT {
	return graphs.RMAT{Scale: scale, EdgeFactor: factor, A: 0.25, B: 0.25, C: 0.25}
}

// groupCalls returns the stored cases.
func groupCalls(t *testing.T) (calls []measuredCall) {
	t.Helper()
	sizes, measured := map[string]app.Size{}, map[string]struct {
		App        string
		Roots      int
		Scored     bool
		Parameters json.RawMessage
	}{}
	if *write {
		writeGroupGraphs(t)
	}
	readJSON(t, groupGraphs, &sizes)
	readJSON(t, groupApps, &measured)
	for _, m := range storedRows(t, groupRows) {
		of, known := measured[m.name]
		on, there := sizes[m.graph]
		if !known || !there {
			t.Fatalf("%v: no such case or graph", m)
		}
		a := apps.Specs[of.App].New()
		if err := json.Unmarshal(of.Parameters, a); err != nil {
			t.Fatal(err)
		}
		if mvs, ok := a.(*apps.MVS); ok && of.Scored {
			mvs.Scores = &app.Scores{}
		}
		m.Call = Call{App: a, On: on, Samples: m.Samples, RootWidth: of.Roots, Threads: storedCores}
		calls = append(calls, m)
	}
	return calls
}

// writeGroupGraphs stores the sizes of the graphs.
func writeGroupGraphs(t *testing.T) {
	t.Helper()
	sizes := map[string]app.Size{}
	for name, r := range groupGraph {
		r.Symmetric, r.Seed, r.Low, r.High = true, 1, 1, 5
		g, err := r.Graph()
		if err != nil {
			t.Fatal(err)
		}
		sizes[name] = app.SizeOf(g).WithProfile()
		g.Close()
	}
	text, err := json.MarshalIndent(sizes, "", " ")
	if err == nil {
		err = os.WriteFile(groupGraphs, append(text, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The stored cases of samples that groups of threads make are replayed: device="auto" takes the faster device in 92 %.
func TestAutoTakesTheFasterDeviceForGroupedSamples(t *testing.T) {
	calls := groupCalls(t)
	if *fit {
		maps.Copy(groupCosts, fitted(calls))
		for _, class := range slices.Sorted(maps.Keys(groupCosts)) {
			c := groupCosts[class]
			fmt.Printf("\t%q: {Step: %.3g, Choice: %.3g, Round: %.3g, Blocks: %.3g},\n", class, c.Step, c.Choice, c.Round, c.Blocks)
		}
	}
	replayed(t, "samples", calls, 500, 0.92)
}

// Constants that are fitted to one half of the cases decide nearly as well in the other half: by graph, and at random.
func TestGroupCostsGeneralise(t *testing.T) {
	calls, stored := groupCalls(t), maps.Clone(groupCosts)
	defer func() { groupCosts = stored }()
	random := rand.New(rand.NewPCG(1, 2))
	first := map[string]bool{"R12": true, "R18": true, "U14": true, "U20": true}
	for name, in := range map[string]func(m measuredCall) bool{
		"graphs R12, R18, U14 and U20": func(m measuredCall) bool { return first[m.graph] },
		"graphs R16, R20 and U17":      func(m measuredCall) bool { return !first[m.graph] },
		"a random half":                func(measuredCall) bool { return random.IntN(2) == 0 },
	} {
		var train, test []measuredCall
		for _, m := range calls {
			if in(m) {
				train = append(train, m)
			} else {
				test = append(test, m)
			}
		}
		groupCosts = maps.Clone(stored)
		maps.Copy(groupCosts, fitted(train))
		got, _ := replay(test, nil)
		t.Logf("fitted to %s: right in %.1f %% of the other %d cases", name, 100*got, len(test))
		if got < 0.9 {
			t.Errorf("fitted to %s: right in %.1f %% of the other cases, expected 90 %%", name, 100*got)
		}
	}
}

// fitted returns the constants that make the errors of the GPU's times least, by class.
func fitted(calls []measuredCall) map[string]groupCost {
	by := map[string][]measuredCall{}
	for _, m := range calls {
		if _, ok := grouped(m.App, m.RootWidth, m.On); ok {
			class := CostClass(m.App, m.RootWidth, m.On)
			by[class] = append(by[class], m)
		}
	}
	costs := map[string]groupCost{}
	for class, of := range by {
		costs[class] = fittedClass(of)
	}
	return costs
}

// fittedClass tries numbers of blocks and fits the rest to each by least squares of relative errors. Cases in which the
// devices take about equally long weigh most.
func fittedClass(calls []measuredCall) (best groupCost) {
	stored := groupCosts
	defer func() { groupCosts = stored }()
	least := math.Inf(1)
	for blocks := 20.0; blocks < 5000; blocks *= 1.15 {
		// 1. The terms of each case, relative to its time.
		rows, targets, weights := [][]float64{}, []float64{}, []float64{}
		for _, m := range calls {
			groupCosts = map[string]groupCost{CostClass(m.App, m.RootWidth, m.On): {Blocks: 1}}
			rest := m.Estimate().GPU
			s, _ := grouped(m.App, m.RootWidth, m.On)
			terms := termsOf(s, app.Expect(m.App, m.RootWidth, m.On).Operations)
			scale := 1e-9 * (1 + float64(m.Samples)/(blocks*terms.groups)) / m.gpu
			weight := 1 / math.Sqrt(0.3+math.Abs(math.Log(m.cpu/m.gpu)))
			rows = append(rows, []float64{weight * scale * terms.steps, weight * scale * terms.choices, weight * scale * terms.rounds})
			targets = append(targets, weight*max(1-rest/m.gpu, 0.15))
			weights = append(weights, weight)
		}
		// 2. The fit, and its error.
		x, sum := leastSquares(rows, targets), 0.0
		for i, row := range rows {
			ratio := (row[0]*x[0] + row[1]*x[1] + row[2]*x[2] - targets[i]) / weights[i]
			e := weights[i] * min(1, math.Abs(math.Log(max(0.1, 1+ratio))))
			sum += e * e
		}
		if sum < least {
			for k := range x { // remains of the descent
				if x[k] < 1 {
					x[k] = 0
				}
			}
			least, best = sum, groupCost{x[0], x[1], x[2], blocks}
		}
	}
	return best
}

// leastSquares returns the x without a negative entry that makes |rows x - targets| least, by coordinate descent.
func leastSquares(rows [][]float64, targets []float64) []float64 {
	n := len(rows[0])
	x, left := make([]float64, n), slices.Clone(targets)
	for range 300 {
		for k := range n {
			sum, square := 0.0, 0.0
			for i, row := range rows {
				sum, square = sum+row[k]*left[i], square+row[k]*row[k]
			}
			if square == 0 {
				continue
			}
			step := max(-x[k], sum/square)
			x[k] += step
			for i, row := range rows {
				left[i] -= step * row[k]
			}
		}
	}
	return x
}

// Every class of samples that groups of threads make has costs, and no call takes no time or an unknown one.
func TestGroupedSamplesTakeTime(t *testing.T) {
	on := app.Size{Vertices: 1 << 16, Edges: 1 << 20}
	bias := program.StepProgram{Steps: 3, EdgeBias: noBias}
	pool := program.StepProgram{Steps: 3, VertexBias: func(*program.Ctx, uint32) uint64 { return 1 }}
	for _, c := range []struct {
		app   app.App
		roots int
	}{
		{&apps.Layer{StepSize: 9, MaxSize: 30}, 1}, {&apps.Layer{StepSize: 9, MaxSize: 30, Bias: app.ByDegree, Unique: true}, 1},
		{&apps.FastGCN{Sizes: []int{5, 6}}, 2}, {&apps.LADIES{Sizes: []int{5, 6}}, 2}, {&apps.MVS{Batch: 3, Fanouts: []int{2}}, 0},
		{&program.Custom{StepProgram: bias}, 1}, {&program.Custom{StepProgram: bias}, 2}, {&program.Custom{StepProgram: pool}, 4},
		{&program.Custom{StepProgram: program.StepProgram{Steps: 2, Fanouts: []int{3}}}, 1},
		{&program.Custom{StepProgram: program.StepProgram{Steps: 2, Fanouts: []int{3}, Scope: program.Collective}}, 1},
		{&program.Custom{StepProgram: program.StepProgram{Steps: 2, Fanouts: []int{3}, Record: program.Induced}}, 1},
	} {
		last := GPUCall
		if app.ShapeOf(c.app, c.roots).Layered {
			last += GPULayers
		}
		class := CostClass(c.app, c.roots, on)
		for _, samples := range []int{1, 100, 100000} {
			got := Call{App: c.app, On: on, Samples: samples, RootWidth: c.roots, Threads: 1}.Estimate().GPU
			if !(got > last) || math.IsInf(got, 1) {
				t.Errorf("%s: %d samples are expected to take %g s, fewer %g s", class, samples, got, last)
			}
			last = got
		}
	}
}
