package program

import (
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/rng"
)

func anyEdge(*Ctx, uint64, uint32) uint64 { return 1 }

func anyVertex(*Ctx, uint32) uint64 { return 1 }

func stay(c *Ctx) uint32 { return c.Transit }

func one(*Ctx) uint64 { return 1 }

func two(*Ctx) int { return 2 }

func TestGrowthRefusesWhatContradictsItself(t *testing.T) {
	for _, c := range []struct {
		app  Custom
		text string
	}{
		{Custom{StepProgram: StepProgram{Steps: -1}}, "steps = -1: expected a number of steps from 0 to 16777216"},
		{Custom{StepProgram: StepProgram{Steps: 1 << 25}}, "steps = 33554432: expected a number of steps from 0 to 16777216"},
		{Custom{StepProgram: StepProgram{Steps: 2, Fanouts: []int{2, 0}}}, "fanouts[1] = 0: expected from 1 to 2^28, or -1 for all"},
		{Custom{StepProgram: StepProgram{Steps: 2, Fanouts: []int{-2}}}, "fanouts[0] = -2: expected from 1 to 2^28, or -1 for all"},
		{Custom{StepProgram: StepProgram{Fanouts: []int{1 << 40}}}, "fanouts[0] = 1099511627776: expected from 1 to 2^28, or -1 for all"},
		{Custom{StepProgram: StepProgram{Steps: 1, Fanouts: []int{2, 3}}}, "fanouts = [2 3]: expected one per step, at most 1"},
		{Custom{StepProgram: StepProgram{Steps: 3, Fanouts: []int{1 << 14}}}, "fanouts = [16384], 3 steps: expected at most 2^28 vertices per sample"},
		{Custom{StepProgram: StepProgram{Steps: 1 << 24, Fanouts: []int{1 << 28}}}, "fanouts = [268435456], 16777216 steps: expected at most 2^28 vertices per sample"},
		{Custom{StepProgram: StepProgram{Fanouts: []int{2}, Fanout: two}}, "fanouts = [2]: expected none, since the hook returns them"},
		{Custom{StepProgram: StepProgram{Bound: one}}, "bound applies only to edge_bias: pass edge_bias too"},
		{Custom{StepProgram: StepProgram{Next: stay, EdgeBias: anyEdge}}, "next and edge_bias: pass only one of them"},
		{Custom{StepProgram: StepProgram{Next: stay, Unique: PerStep}}, "next: it chooses the vertices itself, so they cannot be unique"},
		{Custom{StepProgram: StepProgram{Next: stay, Fanouts: []int{app.All}}}, "fanouts[0] = -1: next needs the number of picks; expected at least 1"},
		{Custom{StepProgram: StepProgram{VertexBias: anyVertex, Fanouts: []int{2}}}, "vertex_bias: expected one pick per step, from one transit, and no unique vertices"},
		{Custom{StepProgram: StepProgram{VertexBias: anyVertex, Scope: Collective}}, "vertex_bias: expected one pick per step, from one transit, and no unique vertices"},
		{Custom{StepProgram: StepProgram{VertexBias: anyVertex, Record: Adjacency}}, "vertex_bias: a pool's transits are not the vertices of the previous step; record no adjacency"},
		{Custom{StepProgram: StepProgram{Scope: Collective, Weighted: app.Yes}}, "weighted = True: weights of different rows have different units; a collective choice needs edge_bias"},
		{Custom{StepProgram: StepProgram{EdgeBias: anyEdge, Weighted: app.Yes}}, `weighted = True: edge_bias and next compute their own biases; expected "auto" or False`},
	} {
		if err := c.app.Check(); err == nil || err.Error() != c.text {
			t.Errorf("%q in place of %q", err, c.text)
		}
	}
	for _, a := range []Custom{
		{}, {StepProgram: StepProgram{Fanouts: []int{app.All}, Record: Induced}}, {StepProgram: StepProgram{Steps: 2, Fanouts: []int{3}, Unique: PerSample, EdgeBias: anyEdge, Bound: one}},
		{StepProgram: StepProgram{VertexBias: anyVertex, Record: Induced}}, {StepProgram: StepProgram{Steps: 3, Scope: Collective, Fanout: two}},
	} {
		if err := a.Check(); err != nil {
			t.Error(err)
		}
	}
}

// noted records faults in the order of the calls of Note.
type noted []uint64

func (n *noted) Note(sample uint64, step int, kind hook.Kind) {
	*n = append(*n, hook.Code(sample, step, kind))
}

func TestGrowthTellsFaults(t *testing.T) {
	g := graphtest.Circle(false)
	for _, c := range []struct {
		name  string
		grows StepProgram
		first uint64
		size  int // of the sample, or -1
	}{
		{"never ends", StepProgram{Stop: func(*Ctx) bool { return false }}, hook.Code(7, maxSteps, hook.NeverEnds), maxSteps + 1},
		{"a negative fan-out", StepProgram{Steps: 3, Fanout: func(c *Ctx) int { return 1 - 2*c.Step }}, hook.Code(7, 1, hook.BadFanout), 2},
		{"a large fan-out", StepProgram{Steps: 1, Replace: true, Fanout: func(*Ctx) int { return maxPicks + 1 }}, hook.Code(7, 0, hook.BadFanout), 1},
		{"the largest fan-out", StepProgram{Steps: 1, Replace: true, Fanout: func(*Ctx) int { return maxPicks }}, 0, maxPicks + 1},
		{"above the bound", StepProgram{Steps: 2, Bound: one, EdgeBias: func(c *Ctx, e uint64, _ uint32) uint64 { return 1 + uint64(c.Step) }},
			hook.Code(7, 1, hook.AboveBound), 3},
	} {
		var faults noted
		c.grows.Faults = &faults
		row := c.grows.Sample(g, rng.Key(5), []uint32{0}, app.Row{ID: 7})
		switch {
		case c.first == 0 && len(faults) > 0, c.first != 0 && (len(faults) == 0 || slices.Min(faults) != c.first):
			t.Errorf("%s: faults %v, expected %v", c.name, faults, c.first)
		case len(row.Vertices) != c.size:
			t.Errorf("%s: %d vertices, expected %d", c.name, len(row.Vertices), c.size)
		}
	}
}
