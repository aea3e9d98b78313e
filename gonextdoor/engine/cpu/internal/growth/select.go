package growth

import (
	"sort"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/engine/cpu/idmap"
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/engine/cpu/internal/rowaccess"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// selection makes the picks of choices with several picks, one choice after another. It belongs to one worker.
type selection struct {
	run     *programRun
	hooks   *hookCaller
	columns *columns // of the choices; read only
	scratch *columns
	spans   *spanBuffer
	picks   *pickList
	weigher weigher
	repeats bool // a choice may pick a candidate several times
	unique  bool // a vertex may be picked only once per step or per sample

	ofRow    rowaccess.Choices // manyOfRow
	chosen   []uint64          // picks of one choice
	picked   idmap.Set         // candidates that one choice has picked
	left     remaining         // candidates that one choice may still pick
	proposed []int64           // manyDistinct: candidates, or -1 if rejected
	levels   []uint64          // manyDistinct: a proposal is accepted if its bias is above this
	biases   []uint64          // manyDistinct: of the proposals
	memory   selector.Scratch  // of PermuteAt
}

// newSelection returns a selection for the choices in c. It overwrites scratch, which has capacity for n choices.
func newSelection(r *programRun, hooks *hookCaller, c, scratch *columns, spans *spanBuffer, picks *pickList, n int) *selection {
	p := r.program
	s := &selection{
		run: r, hooks: hooks, columns: c, scratch: scratch, spans: spans, picks: picks,
		weigher: newWeigher(r, hooks, c, scratch),
		repeats: p.Replace && p.Unique == program.Repeats,
		unique:  p.Unique != program.Repeats,
	}
	switch r.method {
	case manyOfRow:
		s.ofRow.Set(r.graph, p.Replace, p.Weighted)
	case manyDistinct:
		s.levels, s.biases = make([]uint64, n), make([]uint64, n)
	}
	return s
}

// pickAll makes the picks of the active choices. Choice active[i] is column i.
func (s *selection) pickAll(choices []choice, active []int) error {
	for lo := 0; lo < len(active); {
		// 1. Weigh the candidates of several choices together, if all of them are needed.
		hi, total := s.weighedTogether(choices, active, lo)
		s.weigher.weighChoices(choices, active[lo:hi], lo, total)
		if err := s.run.job.Err(); err != nil {
			return err
		}
		// 2. Make the picks of these choices.
		for ; lo < hi; lo++ {
			c := &choices[active[lo]]
			s.picks.begin(c)
			s.pick(lo, c)
			s.picks.end(c)
		}
	}
	return nil
}

// weighedTogether finds the candidates of the choices active[lo:hi]. The biases of total candidates are computed in one call:
// at most plan.HookedRows, unless a single choice has more.
func (s *selection) weighedTogether(choices []choice, active []int, lo int) (hi, total int) {
	for hi = lo; hi < len(active); hi++ {
		c := &choices[active[hi]]
		if len(c.among.spans) == 0 {
			c.among = s.spans.candidatesOf([]transit{c.from})
		}
		if c.weighed = s.run.method == manyScanned || s.takesAll(c); !c.weighed {
			continue
		}
		if hi > lo && total+int(c.among.n) > plan.HookedRows {
			break
		}
		total += int(c.among.n)
	}
	return hi, total
}

// takesAll reports whether a choice takes all candidates that have a bias.
func (s *selection) takesAll(c *choice) bool {
	return c.k == app.All || c.among.n <= uint64(c.k) && !s.repeats
}

// pick makes the picks of the choice in column at. It is the fast form of program.StepProgram's pick.
func (s *selection) pick(at int, c *choice) {
	key, k := rng.Key(s.columns.key[at]), uint64(c.k)
	switch {
	case c.among.n == 0:
		return
	case s.takesAll(c):
		s.pickEvery(at, c)
		return
	}
	switch s.run.method {
	case manyDistinct:
		s.pickDistinct(at, c)
	case manyScanned:
		s.picked.Reset()
		s.pickRemaining(at, c, 0, k)
	case manyOfRow:
		chosen, first := s.chosenBuffer(c), c.among.spans[0].first
		for _, edge := range chosen[:s.ofRow.Take(key, k, first, c.among.n, chosen)] {
			s.picks.add(at, c, edge-first)
		}
	case manyUniform:
		for j := range k {
			i, _ := rng.Below(key.Word(j), c.among.n)
			s.picks.add(at, c, i)
		}
	case manyPermuted:
		chosen := s.chosenBuffer(c)
		for _, i := range chosen[:selector.PermuteAt(key, k, c.among.n, 0, chosen, &s.memory)] {
			s.picks.add(at, c, i)
		}
	}
}

// chosenBuffer returns a buffer for the picks of a choice. It panics with a refusal if they do not fit in memory.
func (s *selection) chosenBuffer(c *choice) []uint64 {
	if len(s.chosen) < c.k {
		n := max(c.k, 2*len(s.chosen))
		s.chosen = buffer.Grow(s.chosen[:0], n)[:n]
		buffer.MustFit(buffer.ScratchBytes * int64(n))
	}
	return s.chosen
}

// pickEvery picks all candidates that have a bias and whose vertex is not excluded.
func (s *selection) pickEvery(at int, c *choice) {
	for i, bias := range c.biases {
		if bias > 0 && (!s.unique || c.excluded.Add(uint64(s.vertex(c, uint64(i))))) {
			s.picks.add(at, c, uint64(i))
		}
	}
}

// pickDistinct is selector.Distinct: proposals, then draws among the remaining candidates if those do not suffice.
func (s *selection) pickDistinct(at int, c *choice) {
	// 1. Propose until k candidates are accepted or the attempts are used up.
	s.picked.Reset()
	k, limit := uint64(c.k), selector.AttemptsPerPick*uint64(c.k)
	from := s.proposalsOf(at, c)
	got, attempt := uint64(0), uint64(0)
	for attempt < limit && got < k {
		n := min(k-got, limit-attempt, uint64(s.scratch.capacity()))
		for _, i := range s.propose(at, c, from, attempt, int(n)) {
			if i >= 0 && s.accept(c, uint64(i)) {
				s.picks.add(at, c, uint64(i))
				got++
			}
		}
		attempt += n
	}
	// 2. Compute all biases, and draw the missing picks.
	if got < k {
		s.weigher.weighOne(at, c)
		s.pickRemaining(at, c, attempt, k-got)
	}
}

// pickRemaining makes up to k picks among the weighed candidates that have not been picked, with the words from first on. A
// pick takes O(log n) for n candidates.
func (s *selection) pickRemaining(at int, c *choice, first, k uint64) {
	for i := range c.biases {
		if s.unique && c.excluded.Has(uint64(s.vertex(c, uint64(i)))) || s.picked.Has(uint64(i)) {
			c.biases[i] = 0
		}
	}
	s.left.fill(c.biases)
	key := rng.Key(s.columns.key[at])
	for j := range k {
		i := s.left.draw(key.Word(first + j))
		if i < 0 {
			break
		}
		s.picks.add(at, c, uint64(i))
		s.remove(c, uint64(i))
	}
}

// accept reports whether candidate i may be picked, and records the pick.
func (s *selection) accept(c *choice, i uint64) bool {
	switch {
	case s.unique:
		return c.excluded.Add(uint64(s.vertex(c, i)))
	case s.repeats:
		return true
	default:
		return s.picked.Add(i)
	}
}

// remove removes a picked candidate from those that remain, and all others that lead to its vertex if vertices are unique.
func (s *selection) remove(c *choice, i uint64) {
	switch {
	case s.repeats:
	case !s.unique:
		s.left.remove(i)
	default:
		v := s.vertex(c, i)
		c.excluded.Add(uint64(v))
		for _, span := range c.among.spans {
			row := s.run.graph.Indices[span.first:span.end]
			first := sort.Search(len(row), func(k int) bool { return row[k] >= v })
			for k := first; k < len(row) && row[k] == v; k++ {
				s.left.remove(span.offset + uint64(k))
			}
		}
	}
}

// vertex returns the end point of candidate i.
func (s *selection) vertex(c *choice, i uint64) uint32 {
	_, edge := c.among.at(i)
	return s.run.graph.Indices[edge]
}
