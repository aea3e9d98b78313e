package partition

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/neighbor"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// frontiers grows the samples of Neighbor with a frontier size. Missing vertices are omitted, and a sample ends when a step is
// empty.
type frontiers struct {
	app     app.FrontierTree
	choice  *app.NeighborSampling
	step    int
	samples []frontierSample
	places  []transitPlace // of the present step
}

// frontierSample is a sample while it grows.
type frontierSample struct {
	row   app.Row // Edges are ids
	key   rng.Key
	first int // of the last step in row.Vertices
	ended bool
}

// transitPlace is a transit of a step.
type transitPlace struct{ sample, place int }

// newFrontiers begins with the roots.
func newFrontiers(a app.FrontierTree, b plan.Batch) *frontiers {
	f := &frontiers{app: a, choice: choiceOf(a)}
	for i, row := range beginRows(b) {
		f.samples = append(f.samples, frontierSample{row: row, key: keyOf(b, i)})
	}
	return f
}

// ask returns the frontiers of the next step.
func (f *frontiers) ask() []*group {
	fanouts := f.app.TreeFanouts()
	if f.step == len(fanouts) {
		return nil
	}
	g := &group{RowChoice: neighbor.RowChoice{App: f.choice, Fanout: fanouts[f.step]}}
	f.places = f.places[:0]
	for i := range f.samples {
		s := &f.samples[i]
		if s.ended {
			continue
		}
		stream, n := s.key.Stream(uint64(f.step)), uint64(len(s.row.Vertices)-s.first)
		for _, t := range selector.Permute(stream.Key(n), uint64(f.app.FrontierLimit()), n, nil) {
			place := s.first + int(t)
			g.vertices, g.Keys = append(g.vertices, s.row.Vertices[place]), append(g.Keys, stream.Key(t))
			f.places = append(f.places, transitPlace{i, place})
		}
	}
	if len(g.vertices) == 0 {
		return nil
	}
	return []*group{g}
}

// take appends the edges of a step.
func (f *frontiers) take(asked []inquiry) error {
	ends := make([]int, len(f.samples))
	for i := range f.samples {
		ends[i] = len(f.samples[i].row.Vertices)
	}
	asked[0].eachRow(func(i int, vertices []uint32, ids []uint64) {
		of := f.places[i]
		row := &f.samples[of.sample].row
		for k, v := range vertices {
			*row = row.Add(v, ids[k])
			row.Parents = append(row.Parents, int32(of.place))
		}
	})
	for i := range f.samples {
		s := &f.samples[i]
		if s.ended = s.ended || len(s.row.Vertices) == ends[i]; !s.ended {
			s.row.Ends = append(s.row.Ends, int32(len(s.row.Vertices)))
			s.first = ends[i]
		}
	}
	f.step++
	return nil
}

// rows returns the samples.
func (f *frontiers) rows() []app.Row {
	rows := make([]app.Row, len(f.samples))
	for i := range rows {
		rows[i] = f.samples[i].row
	}
	return rows
}
