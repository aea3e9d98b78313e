package app

import "gonextdoor/gonextdoor/graph/index"

// Sequence describes the operations of one sample that wait for one another on a GPU, where a group of threads makes the
// sample. The threads share all other operations.
type Sequence struct {
	Kind    string  // of samples, if the costs of an app depend on its parameters; "": they do not
	Threads int     // of the group; 0: the number follows from that of the operations
	Steps   float64 // steps, layers or hops, each of which needs the vertices of the one before
	Choices float64 // choices that are made one after another
}

// Grouped is an app of whose samples a group of threads makes each on a GPU.
type Grouped interface {
	App
	// Sequence describes one sample. It is false if a thread makes each sample, or several of its walks.
	Sequence(roots int, on Size) (Sequence, bool)
}

// uniqueTransits is the number of transits whose rows a group of threads searches for the vertex of a choice, to exclude it,
// in the time of the choice.
const uniqueTransits = 1000

// Sequence counts the picks of biased choices: each depends on those before.
func (a *Layer) Sequence(int, Size) (Sequence, bool) {
	s := Sequence{Steps: float64((a.MaxSize + a.StepSize - 1) / a.StepSize)}
	if a.Bias != Uniform {
		s.Kind, s.Choices = "biased", float64(a.MaxSize)
		if a.Unique {
			s.Choices *= 1 + float64(min(a.StepSize, a.MaxSize))/uniqueTransits
		}
	}
	return s, true
}

// Sequence counts the layers.
func (a *FastGCN) Sequence(int, Size) (Sequence, bool) {
	return Sequence{Steps: float64(len(a.Sizes))}, true
}

// Sequence counts the layers, and the picks without replacement: each depends on those before.
func (a *LADIES) Sequence(roots int, on Size) (Sequence, bool) {
	s, rows := Sequence{Steps: float64(len(a.Sizes))}, float64(roots)
	if a.Normalization == index.RowNorm { // layers have hubs, which many rows share
		s.Kind = "by rows"
	}
	for _, size := range a.Sizes {
		candidates := min(rows*(1+on.Degree()), float64(on.Vertices))
		if !a.Replace && candidates > float64(size) {
			s.Choices += float64(size)
		}
		rows = float64(size)
	}
	return s, true
}

// Sequence counts the batch and the hops.
func (a *MVS) Sequence(int, Size) (Sequence, bool) {
	s := Sequence{Steps: float64(1 + len(a.Fanouts))}
	if a.Scores != nil {
		s.Kind = "scored"
	}
	return s, true
}

// Sequence counts the choices, which are made one after another, and the picks of each that depend on those before. A pool
// has one thread, and so have walks, unless each choice reads a row.
func (a *Custom) Sequence(roots int, on Size) (s Sequence, ok bool) {
	b := a.with(nil)
	switch {
	case b.Steps == 0 || b.StepProgram.Fanout != nil:
		return Sequence{}, false
	case b.VertexBias != nil:
		return Sequence{Kind: "pool", Threads: 1, Choices: float64(b.Steps)}, true
	case !b.grows(roots):
		return Sequence{Kind: "computed", Threads: 32, Choices: float64(b.Steps)}, b.EdgeBias != nil && roots == 1
	}
	s.Kind, s.Threads = "picks", 32
	dependent := b.EdgeBias != nil && b.Bound == nil && !b.Replace
	switch {
	case b.Scope == Collective:
		s.Kind, s.Threads = "collective", 256
	case b.Record != Nothing:
		s.Kind = "recorded"
	case b.EdgeBias != nil:
		s.Kind = "weighed picks"
	}
	for step, level := range b.levels(roots, on) {
		s.Steps++
		if b.Scope == Individual {
			s.Choices += level.transits
		}
		if dependent && b.FanoutAt(step) != All {
			s.Choices += level.vertices
		}
	}
	return s, true
}
