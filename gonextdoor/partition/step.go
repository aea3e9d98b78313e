package partition

import (
	"math"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// stepper makes a step of a walk from the row of its vertex alone. next is graph.None if the walk has ended; position is
// graph.NoEdge if no edge led to next. last reports whether the walk ends at next.
type stepper interface {
	step(r *rows, row uint32, w *walker) (next uint32, position uint64, last bool)
}

// firstOrder makes steps by stored biases, after which a walk may stop (apps.DeepWalk, apps.PPR).
type firstOrder struct {
	threshold uint64 // of stopping, in units of 2^-32
}

func (f *firstOrder) step(r *rows, row uint32, w *walker) (next uint32, position uint64, last bool) {
	position, fraction, ok := r.choose(row, w.key.Word(uint64(w.slot)))
	if !ok {
		return graph.None, graph.NoEdge, true
	}
	return r.indices[position], position, uint64(fraction) < f.threshold
}

// teleport makes steps by stored biases, or jumps (apps.Jump, apps.Restart).
type teleport struct {
	threshold uint64 // of a jump, in units of 2^-32
	home      bool   // jumps lead to the root, which is walker.prev
	vertices  uint64 // of the whole graph
}

func (t *teleport) step(r *rows, row uint32, w *walker) (next uint32, position uint64, last bool) {
	position, fraction, ok := r.choose(row, w.key.Word(uint64(w.slot)))
	switch {
	case ok && uint64(fraction) >= t.threshold:
		return r.indices[position], position, false
	case t.home:
		return w.prev, graph.NoEdge, false
	default:
		v, _ := rng.Below(w.key.Word(rng.Slot(w.step(), 1)), t.vertices)
		return uint32(v), graph.NoEdge, false
	}
}

// severalRoots makes the steps of independent walks from the roots of a sample (apps.MultiIndependent).
type severalRoots struct{ roots uint32 }

func (s *severalRoots) step(r *rows, row uint32, w *walker) (next uint32, position uint64, last bool) {
	key := w.key.Stream(w.step()).Key(uint64(w.number % s.roots))
	position, _, ok := r.choose(row, key.Word(0))
	if !ok {
		return graph.None, graph.NoEdge, true
	}
	return r.indices[position], position, false
}

// metropolis accepts a uniform proposal by the degrees of both vertices, or stays (apps.MetropolisHastings).
type metropolis struct{ part *Part }

func (m *metropolis) step(r *rows, row uint32, w *walker) (next uint32, position uint64, last bool) {
	position, _, ok := r.choose(row, w.key.Word(uint64(w.slot)))
	if !ok {
		return graph.None, graph.NoEdge, true
	}
	next = r.indices[position]
	here := r.indptr[row+1] - r.indptr[row]
	if level, _ := rng.Below(w.key.Word(rng.Slot(w.step(), program.HookTry)), m.part.Degree(next)); level >= here {
		next = w.at
	}
	if next != r.indices[position] {
		position = graph.NoEdge
	}
	return next, position, false
}

// labelled makes uniform steps along edges of given labels (apps.MetaPath).
type labelled struct {
	path      []int32
	threshold uint64 // of stopping after a step, in units of 2^-32
}

func (l *labelled) step(r *rows, row uint32, w *walker) (next uint32, position uint64, last bool) {
	s := w.step()
	label := l.path[s%uint64(len(l.path))]
	first, end := r.indptr[row], r.indptr[row+1]
	from, to := first, first
	if kind := r.labels.Kind(label); r.labels.Starts == nil {
		from, to = r.labels.Search(first, end, label)
	} else if kind >= 0 {
		from, to = r.labels.OfKind(row, kind)
	}
	i := selector.Uniform(w.key.Word(uint64(w.slot)), to-from)
	if i < 0 {
		return graph.None, graph.NoEdge, true
	}
	at := from + uint64(i)
	return r.labels.Indices[at], first + uint64(r.labels.Places[at]), stops(w.key, s+1, l.threshold)
}

// stops reports whether a walk of computed choices stops before step s, by a threshold in units of 2^-32.
func stops(key rng.Key, s, threshold uint64) bool {
	return threshold > 0 && key.Word(rng.Slot(s, program.HookTry))>>32 < threshold
}

// nonBacktracking makes steps that do not lead to the previous vertex (apps.NonBacktracking).
type nonBacktracking struct{ app app.SecondOrderer }

func (n *nonBacktracking) step(r *rows, row uint32, w *walker) (next uint32, position uint64, last bool) {
	s := w.step()
	for t := range n.app.Tries() {
		position, _, ok := r.choose(row, w.key.Word(rng.Slot(s, t)))
		if !ok {
			return graph.None, graph.NoEdge, true
		}
		if next = r.indices[position]; next != w.prev {
			return next, position, false
		}
	}
	next, position = n.app.AfterTries(r.g, w.key, s, w.prev, row)
	return next, position, next == graph.None
}

// temporal makes steps in order of time (apps.TemporalWalk).
type temporal struct {
	bias   app.TimeBias
	order  index.TemporalOrder
	limits app.TimeRange
}

func (t *temporal) step(r *rows, row uint32, w *walker) (next uint32, position uint64, last bool) {
	first, end := r.indptr[row], r.indptr[row+1]
	from, until := first, t.limits.FirstEnd
	if w.slot > 0 {
		from, until = r.times.after(first, end, int64(w.extra), t.order.Strict), t.limits.End
	} else if t.limits.Start > math.MinInt64 {
		from = r.times.after(first, end, t.limits.Start, false)
	}
	word, n, i := w.key.Word(uint64(w.slot)), end-from, int64(-1)
	if until < math.MaxInt64 {
		n = r.times.after(from, end, until, true) - from
	}
	switch t.bias {
	case app.UniformInTime:
		i = selector.Uniform(word, n)
	case app.LinearInTime:
		i = selector.Rank(word, n)
	case app.ExponentialInTime:
		i = selector.DecayBefore(word, r.times.sums[from:end], int(n))
	}
	if i < 0 {
		return graph.None, graph.NoEdge, true
	}
	at := from + uint64(i)
	position = first + uint64(r.times.places[at])
	w.extra = uint64(r.times.times[at])
	return r.indices[position], position, false
}

// computed makes steps by biases that are computed when a choice needs them (app.Computing), except those that depend on the
// previous vertex.
type computed struct {
	part  *Part
	bias  app.ComputedBias
	bound uint64
}

func (c *computed) step(r *rows, row uint32, w *walker) (next uint32, position uint64, last bool) {
	first, end := r.indptr[row], r.indptr[row+1]
	s, n := w.step(), end-first
	if n == 0 {
		return graph.None, graph.NoEdge, true
	}
	tries := program.Tries(n)
	if r.tries != nil {
		tries = uint64(r.tries[row])
	}
	found := int64(-1)
	for t := range tries {
		if i, level := selector.Propose(w.key.Word(rng.Slot(s, t)), n, c.bound); c.of(r, s, first+i) > level {
			found = int64(i)
			break
		}
	}
	if found < 0 {
		key := w.key.Stream(rng.Slot(s, selector.MaxTries)).Key(0)
		found = selector.Reservoir(key, int(n), func(i int) uint64 { return c.of(r, s, first+uint64(i)) })
	}
	if found < 0 {
		return graph.None, graph.NoEdge, true
	}
	position = first + uint64(found)
	return r.indices[position], position, stops(w.key, s+1, c.bias.Threshold)
}

// of returns the bias of an edge at a step.
func (c *computed) of(r *rows, s, position uint64) uint64 {
	switch c.bias.Kind {
	case app.BiasDegree:
		return min(c.part.Degree(r.indices[position]), math.MaxUint32)
	case app.BiasLabelled:
		if r.g.Labels[position] != c.bias.Labels[s%uint64(len(c.bias.Labels))] {
			return 0
		}
	}
	return uint64(r.g.Biases[position])
}
