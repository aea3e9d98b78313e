package partition

import (
	"maps"
	"math/bits"
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/cpu/neighbor"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// fires grows the samples of ForestFire. A transit burns vertices that no earlier transit of its sample has burned, so its choice
// depends on theirs, which may be in other parts. Its draws do not: they follow from its key and its degree. So the parts return
// the edges that each transit draws, with some to spare for draws that are rejected, and the home part replays the choices in
// their order. If a transit needs further draws, the home part asks again.
type fires struct {
	home    *Part
	app     *apps.ForestFire
	samples []fire
	asked   []fireGroup // the groups of the last call of ask
}

// fireGroup are the transits of which a number of draws is asked for, or the whole row.
type fireGroup struct {
	draws int
	at    []fireAt // of each row
}

// fireAt is a transit of a sample.
type fireAt struct{ sample, transit int }

// fire is a sample while it grows.
type fire struct {
	row      app.Row // Edges are ids
	key      rng.Key
	burned   map[uint32]bool
	step     int
	transits []burning
	next     int // the transit that chooses next
	size     int // vertices before the step
}

// burning is a transit.
type burning struct {
	vertex uint32
	place  int32 // in the sample
	key    rng.Key
	degree uint64
	burns  int // vertices to set fire to, if as many have not burned

	draws int      // draws whose edges are known, or wholeRow
	ends  []uint32 // of the edges of these draws, or of the row
	ids   []uint64
}

// wholeRow is the number of draws of a transit whose complete row is known.
const wholeRow = -1

// newFires begins with the roots.
func newFires(home *Part, a *apps.ForestFire, b plan.Batch) *fires {
	f := &fires{home: home, app: a}
	for i, row := range beginRows(b) {
		s := fire{row: row, key: keyOf(b, i), burned: map[uint32]bool{}}
		for place, v := range row.Vertices {
			s.burned[v] = true
			s.transits = append(s.transits, burning{vertex: v, place: int32(place)})
		}
		f.begin(&s)
		f.samples = append(f.samples, s)
	}
	return f
}

// begin prepares the transits of a step: how many vertices each burns follows from its key and degree.
func (f *fires) begin(s *fire) {
	s.next, s.size = 0, len(s.row.Vertices)
	if f.app.Depth > 0 && s.step == f.app.Depth {
		s.transits = nil
		return
	}
	stream := s.key.Stream(uint64(s.step))
	for t := range s.transits {
		b := &s.transits[t]
		b.key, b.degree = stream.Key(uint64(t)), f.home.Degree(b.vertex)
		b.burns = f.app.Burns(b.key.Word, b.degree)
	}
}

// ask returns the rows whose draws are needed, in a group for each number of draws.
func (f *fires) ask() []*group {
	groups := map[int]*group{}
	at := map[int][]fireAt{}
	for i := range f.samples {
		s := &f.samples[i]
		for t := s.next; t < len(s.transits); t++ {
			b := &s.transits[t]
			draws := b.wanted(t == s.next)
			if draws == 0 {
				continue
			}
			g := groups[draws]
			if g == nil {
				g = &group{RowChoice: neighbor.RowChoice{App: &app.NeighborSampling{Weighted: app.No, Replace: true}, Fanout: draws}}
				groups[draws] = g
			}
			g.vertices, g.Keys = append(g.vertices, b.vertex), append(g.Keys, b.key)
			at[draws] = append(at[draws], fireAt{i, t})
		}
	}
	order := slices.Sorted(maps.Keys(groups))
	all := make([]*group, len(order))
	f.asked = f.asked[:0]
	for i, draws := range order {
		all[i] = groups[draws]
		f.asked = append(f.asked, fireGroup{draws, at[draws]})
	}
	return all
}

// wanted returns the number of draws to ask for: 0 if those that are known may suffice, wholeRow for the row. stalled reports
// whether the known draws did not suffice.
func (b *burning) wanted(stalled bool) int {
	most := selector.AttemptsPerPick * b.burns
	switch {
	case b.burns == 0 || b.draws == wholeRow:
		return 0
	case b.draws == 0 && uint64(b.burns) < b.degree: // twice as many as picks, rounded up so that groups are few
		if draws := 1 << bits.Len(uint(2*b.burns+1)); uint64(draws) < b.degree {
			return draws
		}
		return wholeRow
	case b.draws == 0 || b.draws >= most && stalled:
		return wholeRow
	case stalled:
		return min(8*b.draws, most)
	default:
		return 0
	}
}

// take stores the draws, and replays the choices that they complete.
func (f *fires) take(asked []inquiry) error {
	for i, q := range asked {
		g := &f.asked[i]
		q.eachRow(func(k int, ends []uint32, ids []uint64) {
			at := g.at[k]
			b := &f.samples[at.sample].transits[at.transit]
			b.ends, b.ids, b.draws = slices.Clone(ends), slices.Clone(ids), g.draws // the buffers are the caller's
		})
	}
	for i := range f.samples {
		f.samples[i].replay(f)
	}
	return nil
}

// replay makes choices in order until one needs draws that are not known.
func (s *fire) replay(f *fires) {
	for len(s.transits) > 0 {
		for ; s.next < len(s.transits); s.next++ {
			if !s.burn(&s.transits[s.next]) {
				return
			}
		}
		s.transits = s.transits[:0]
		for place := s.size; place < len(s.row.Vertices); place++ {
			s.transits = append(s.transits, burning{vertex: s.row.Vertices[place], place: int32(place)})
		}
		if len(s.transits) > 0 {
			s.row.Ends = append(s.row.Ends, int32(len(s.row.Vertices)))
		}
		s.step++
		f.begin(s)
		if slices.ContainsFunc(s.transits, func(b burning) bool { return b.burns > 0 }) {
			return // the edges of the new transits are not known
		}
	}
}

// burn makes the choice of a transit. It returns false, without an effect, if it needs draws that are not known.
func (s *fire) burn(b *burning) bool {
	switch {
	case b.burns == 0:
		return true
	case uint64(b.burns) >= b.degree: // the row is known
		for i, v := range b.ends {
			if !s.burned[v] {
				s.add(b, i)
			}
		}
		return true
	}
	// Replay selector.Distinct over uniform draws. A draw is a place among the known edges.
	var picked []uint32 // vertices that this choice has burned so far
	missing, attempt := false, 0
	draw := func(word uint64) int64 {
		attempt++
		switch {
		case b.draws == wholeRow:
			return selector.Uniform(word, b.degree)
		case attempt > b.draws:
			missing = true
			return -1
		}
		return int64(attempt - 1)
	}
	take := func(i uint64) bool {
		v := b.ends[i]
		if s.burned[v] {
			return false
		}
		s.burned[v] = true
		picked = append(picked, v)
		return true
	}
	bias := func(i int) uint64 {
		if b.draws != wholeRow {
			missing = true
			return 0
		}
		if s.burned[b.ends[i]] {
			return 0
		}
		return 1
	}
	picks := selector.Distinct(b.key, uint64(b.burns), int(b.degree), draw, bias, take, nil)
	for _, v := range picked {
		delete(s.burned, v)
	}
	if missing {
		return false
	}
	for _, i := range picks {
		s.add(b, int(i))
	}
	return true
}

// add burns the vertex at the end of a known edge of a transit.
func (s *fire) add(b *burning, i int) {
	s.burned[b.ends[i]] = true
	s.row = s.row.Add(b.ends[i], b.ids[i])
	s.row.Parents = append(s.row.Parents, b.place)
}

// rows returns the samples.
func (f *fires) rows() []app.Row {
	rows := make([]app.Row, len(f.samples))
	for i := range rows {
		rows[i] = f.samples[i].row
	}
	return rows
}
