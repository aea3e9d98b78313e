package enginetest

import "gonextdoor/gonextdoor/app"

// grown has the kinds of step programs that are not walks: several picks, unique vertices, collective choices, random
// fan-outs, recorded edges. Samples that do not end otherwise are kept small by a Stop.
func grown() (entries []entry) {
	one, some := []int{1}, []int{3}
	add := func(name string, widths []int, g app.StepProgram) {
		entries = append(entries, entry{app: &app.Custom{StepProgram: g}, widths: widths, name: "grown: " + name})
	}
	few := []int{3, 2}
	add("several", some, app.StepProgram{Steps: 2, Fanouts: few})
	add("several by a bias", some, app.StepProgram{Steps: 2, Fanouts: few, EdgeBias: returns})
	add("several by a bias, replaced", some, app.StepProgram{Steps: 2, Fanouts: few, Replace: true, EdgeBias: returns, Update: update})
	add("several under a bound", some, app.StepProgram{Steps: 2, Fanouts: few, EdgeBias: returns, Bound: bound, Stop: stop})
	add("several by next", one, app.StepProgram{Steps: 2, Fanouts: few, Next: next, Update: update})
	add("many", one, app.StepProgram{Steps: 1, Fanouts: []int{70}, EdgeBias: returns})
	add("all", some, app.StepProgram{Steps: 2, Fanouts: []int{app.All, 2}, Record: app.Adjacency})
	add("all by a bias", one, app.StepProgram{Steps: 1, Fanouts: []int{app.All}, EdgeBias: returns, Update: update, Record: app.Induced})
	add("unique a step", some, app.StepProgram{Steps: 2, Fanouts: few, Unique: app.PerStep})
	add("unique a sample, weighted", some, app.StepProgram{Steps: 3, Fanouts: few, Unique: app.PerSample, Record: app.Adjacency})
	add("unique a sample, by a bias", some, app.StepProgram{Steps: 2, Fanouts: few, Unique: app.PerSample, EdgeBias: returns})
	add("self-avoiding", some, app.StepProgram{Steps: 6, Unique: app.PerSample, Weighted: app.No})
	add("all, unique a sample, until the end", some, app.StepProgram{Fanouts: []int{app.All}, Unique: app.PerSample, Weighted: app.No, Record: app.Induced, Stop: full})
	add("fire", some, app.StepProgram{Fanout: drawn, Unique: app.PerSample, Weighted: app.No, Stop: full})
	add("drawn", one, app.StepProgram{Steps: 3, Fanout: drawn, EdgeBias: returns, Stop: stop, Update: update})
	add("together", some, app.StepProgram{Scope: app.Collective, Steps: 3, Fanouts: few})
	add("together, replaced", some, app.StepProgram{Scope: app.Collective, Steps: 3, Fanouts: few, Replace: true, Record: app.Adjacency})
	add("together, unique", some, app.StepProgram{Scope: app.Collective, Steps: 3, Fanouts: []int{5}, Unique: app.PerStep, Record: app.Adjacency})
	add("together, by a bias", some, app.StepProgram{Scope: app.Collective, Steps: 3, Fanouts: few, EdgeBias: returns, Update: update})
	add("together, by a bias, unique a sample", some, app.StepProgram{Scope: app.Collective, Fanouts: few, Unique: app.PerSample, EdgeBias: returns,
		Bound: bound, Stop: full})
	add("together, all", one, app.StepProgram{Scope: app.Collective, Fanouts: []int{app.All}, Unique: app.PerSample, Record: app.Adjacency, Stop: full})
	add("together, by next", one, app.StepProgram{Scope: app.Collective, Steps: 2, Fanouts: few, Next: nextOfAll})
	add("pool, induced", some, app.StepProgram{Steps: 6, VertexBias: byDegree, EdgeBias: returns, Record: app.Induced})
	return entries
}

// drawn is a Fanout of up to three by the words of the hook.
func drawn(c *app.Ctx) int { return int(c.Below(5, 4)) * int(c.Below(6, 2)) }

// full is a Stop for samples that would grow to the whole graph.
func full(c *app.Ctx) bool { return c.Size() > 20 }

// nextOfAll is a Next that returns one of the current transits again.
func nextOfAll(c *app.Ctx) uint32 {
	last := c.Last(1)
	return last[c.Below(0, uint64(len(last)))]
}
