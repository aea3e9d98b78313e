package enginetest

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
)

// grown has the kinds of step programs that are not walks: several picks, unique vertices, collective choices, random
// fan-outs, recorded edges. Samples that do not end otherwise are kept small by a Stop.
func grown() (entries []entry) {
	one, some := []int{1}, []int{3}
	add := func(name string, widths []int, g program.StepProgram) {
		entries = append(entries, entry{app: &program.Custom{StepProgram: g}, widths: widths, name: "grown: " + name})
	}
	few := []int{3, 2}
	add("several", some, program.StepProgram{Steps: 2, Fanouts: few})
	add("several by a bias", some, program.StepProgram{Steps: 2, Fanouts: few, EdgeBias: returns})
	add("several by a bias, replaced", some, program.StepProgram{Steps: 2, Fanouts: few, Replace: true, EdgeBias: returns, Update: update})
	add("several under a bound", some, program.StepProgram{Steps: 2, Fanouts: few, EdgeBias: returns, Bound: bound, Stop: stop})
	add("several by next", one, program.StepProgram{Steps: 2, Fanouts: few, Next: next, Update: update})
	add("many", one, program.StepProgram{Steps: 1, Fanouts: []int{70}, EdgeBias: returns})
	add("all", some, program.StepProgram{Steps: 2, Fanouts: []int{app.All, 2}, Record: program.Adjacency})
	add("all by a bias", one, program.StepProgram{Steps: 1, Fanouts: []int{app.All}, EdgeBias: returns, Update: update, Record: program.Induced})
	add("unique a step", some, program.StepProgram{Steps: 2, Fanouts: few, Unique: program.PerStep})
	add("unique a sample, weighted", some, program.StepProgram{Steps: 3, Fanouts: few, Unique: program.PerSample, Record: program.Adjacency})
	add("unique a sample, by a bias", some, program.StepProgram{Steps: 2, Fanouts: few, Unique: program.PerSample, EdgeBias: returns})
	add("self-avoiding", some, program.StepProgram{Steps: 6, Unique: program.PerSample, Weighted: app.No})
	add("all, unique a sample, until the end", some, program.StepProgram{Fanouts: []int{app.All}, Unique: program.PerSample, Weighted: app.No, Record: program.Induced, Stop: full})
	add("fire", some, program.StepProgram{Fanout: drawn, Unique: program.PerSample, Weighted: app.No, Stop: full})
	add("drawn", one, program.StepProgram{Steps: 3, Fanout: drawn, EdgeBias: returns, Stop: stop, Update: update})
	add("together", some, program.StepProgram{Scope: program.Collective, Steps: 3, Fanouts: few})
	add("together, replaced", some, program.StepProgram{Scope: program.Collective, Steps: 3, Fanouts: few, Replace: true, Record: program.Adjacency})
	add("together, unique", some, program.StepProgram{Scope: program.Collective, Steps: 3, Fanouts: []int{5}, Unique: program.PerStep, Record: program.Adjacency})
	add("together, by a bias", some, program.StepProgram{Scope: program.Collective, Steps: 3, Fanouts: few, EdgeBias: returns, Update: update})
	add("together, by a bias, unique a sample", some, program.StepProgram{Scope: program.Collective, Fanouts: few, Unique: program.PerSample, EdgeBias: returns,
		Bound: bound, Stop: full})
	add("together, all", one, program.StepProgram{Scope: program.Collective, Fanouts: []int{app.All}, Unique: program.PerSample, Record: program.Adjacency, Stop: full})
	add("together, by next", one, program.StepProgram{Scope: program.Collective, Steps: 2, Fanouts: few, Next: nextOfAll})
	add("pool, induced", some, program.StepProgram{Steps: 6, VertexBias: byDegree, EdgeBias: returns, Record: program.Induced})
	return entries
}

// drawn is a Fanout of up to three by the words of the hook.
func drawn(c *program.Ctx) int { return int(c.Below(5, 4)) * int(c.Below(6, 2)) }

// full is a Stop for samples that would grow to the whole graph.
func full(c *program.Ctx) bool { return c.Size() > 20 }

// nextOfAll is a Next that returns one of the current transits again.
func nextOfAll(c *program.Ctx) uint32 {
	last := c.Last(1)
	return last[c.Below(0, uint64(len(last)))]
}
