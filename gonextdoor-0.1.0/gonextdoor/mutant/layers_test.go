package mutant

import (
	"gonextdoor/gonextdoor/engine/serial"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// Layers runs an app whose samples are layered, and applies the fault to the result.
func (f engineFault) Layers(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (output.Layers, error) {
	l, err := serial.Engine{}.Layers(p, g, b, j)
	if err == nil && f.layers != nil {
		f.layers(l)
	}
	return l, err
}

// within calls f for each sample after the first, with the range of its vertices in the arrays and the index of its first end.
func within(l output.Layers, f func(first, end int64, endsFrom, endsEnd int64)) {
	for i := 1; i < len(l.Offsets)-1; i++ {
		f(l.Offsets[i], l.Offsets[i+1], l.EndsFrom[i], l.EndsFrom[i+1])
	}
}

func parentsOfAll(l output.Layers) {
	within(l, func(first, end, _, _ int64) {
		for v := first; v < end; v++ {
			if l.Parents[v] >= 0 {
				l.Parents[v] += int32(first)
			}
		}
	})
}

func endsOfAll(l output.Layers) {
	within(l, func(first, _, endsFrom, endsEnd int64) {
		for e := endsFrom; e < endsEnd; e++ {
			l.Ends[e] += int32(first)
		}
	})
}

func rootsHaveParents(l output.Layers) {
	for v, p := range l.Parents {
		if p < 0 {
			l.Parents[v] = 0
		}
	}
}

func linksTurned(l output.Layers) {
	for k := range l.Sources {
		l.Sources[k], l.Targets[k] = l.Targets[k], l.Sources[k]
	}
}

func linksOfAll(l output.Layers) {
	if l.LinksFrom == nil {
		return
	}
	for i := range len(l.Offsets) - 1 {
		for k := l.LinksFrom[i]; k < l.LinksFrom[i+1]; k++ {
			l.Sources[k], l.Targets[k] = l.Sources[k]+int32(l.Offsets[i]), l.Targets[k]+int32(l.Offsets[i])
		}
	}
}

func valuesOfOne(l output.Layers) {
	for k := range l.Values {
		l.Values[k] = 1
	}
}
