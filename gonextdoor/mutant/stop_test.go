package mutant

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
)

// stopFault selects a fault of walks that stop; the zero value has none.
type stopFault struct {
	before   bool // the walk stops before it moves
	extra    int  // steps beyond max_length
	aliasBit bool // the stop uses the fraction that the alias decision used
	never    bool // it continues with probability stop
}

func stopBy(f stopFault) func(app.App) apptest.Sampler {
	return func(a app.App) apptest.Sampler {
		p, ok := a.(*apps.PPR)
		if !ok {
			return nil
		}
		return func(g *graph.Graph, key rng.Key, roots []uint32, out app.Row) app.Row {
			v, e := roots[0], graph.NoEdge
			out.Vertices = append(out.Vertices, v)
			for s := 0; p.MaxLength == 0 || s < p.MaxLength+f.extra; s++ {
				word := key.Word(rng.Slot(uint64(s), 0))
				_, fraction := rng.Below(word, g.Degree(v))
				if p.Weighted != app.No && !f.aliasBit {
					fraction = rng.Second(word)
				}
				stop := (uint64(fraction) < p.Threshold()) != f.never
				if f.before && stop {
					break
				}
				if v, e = stepBy(right, g, v, word, p.Weighted); v == graph.None {
					break
				}
				out = out.Add(v, e)
				if stop || f.never && s > 1000 {
					break
				}
			}
			return out
		}
	}
}

var stopMutants = []mutant{
	{"PPR: stop decided before the step instead of after", likely, stopBy(stopFault{before: true})},
	{"PPR: max_length exceeded by one", likely, stopBy(stopFault{extra: 1})},
	{"PPR: max_length too short by one", likely, stopBy(stopFault{extra: -1})},
	{"PPR: stop decided by the alias fraction", likely, stopBy(stopFault{aliasBit: true})},
	{"PPR: continues with probability stop", likely, stopBy(stopFault{never: true})},
}
