package growth

import (
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/engine/cpu/idmap"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
)

// sampleState is the state of a sample while it grows, in addition to its row.
type sampleState struct {
	key      rng.Key
	transits []transit // of the current step
	next     []transit // of the next step
	excluded idmap.Set // vertices that must not be picked again, if vertices are unique
	done     bool
}

// begin starts a sample at the roots in row.
func (s *sampleState) begin(key rng.Key, row *app.Row, unique program.Unique) {
	s.key, s.done = key, false
	s.transits, s.next = s.transits[:0], s.next[:0]
	s.excluded.Reset()
	row.Ends = append(row.Ends, int32(len(row.Vertices)))
	for k, v := range row.Vertices {
		s.transits = append(s.transits, transit{v, graph.None, int32(k), graph.NoEdge})
		if unique == program.PerSample {
			s.excluded.Add(uint64(v))
		}
	}
}

// record appends a pick to the row and to the next transits.
func (s *sampleState) record(row *app.Row, p *pick) {
	place := int32(len(row.Vertices))
	*row = row.Add(p.to, p.edge)
	row.Parents = append(row.Parents, p.from.place)
	s.next = append(s.next, transit{p.next, p.from.vertex, place, p.edge})
}

// leaveEmpty appends n empty slots.
func (s *sampleState) leaveEmpty(row *app.Row, n int) {
	for range n {
		*row = row.Add(graph.None, graph.NoEdge)
		row.Parents = append(row.Parents, -1)
		s.next = append(s.next, noTransit)
	}
}

// advance ends a step. A sample is done once no transit is left. If its width is fixed, it is not: its remaining steps are
// filled with empty slots.
func (s *sampleState) advance(row *app.Row, fixedWidth bool) {
	s.transits, s.next = s.next, s.transits[:0]
	if len(s.transits) > 0 {
		row.Ends = append(row.Ends, int32(len(row.Vertices)))
	}
	s.done = !fixedWidth && !slices.ContainsFunc(s.transits, func(t transit) bool { return t.vertex != graph.None })
}
