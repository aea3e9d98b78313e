package partition

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/neighbor"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// trees grows trees of one width in a matrix.
type trees struct {
	app    app.FanoutTree
	choice *app.NeighborSampling
	batch  plan.Batch
	out    output.Matrix
	step   int
	first  int // of the level: its first slot
	level  int // and its number of slots
	places []int
}

// newTrees begins with the roots.
func newTrees(a app.FanoutTree, b plan.Batch, out output.Matrix) *trees {
	t := &trees{app: a, choice: choiceOf(a), batch: b, out: out, level: out.Roots}
	for i := range out.Vertices {
		out.Vertices[i] = graph.None
	}
	for i := range out.Edges {
		out.Edges[i] = -1
	}
	scratch := make([]uint32, 1)
	for i := range b.Roots.Samples() {
		copy(out.Vertices[i*out.Width:], b.Roots.Of(i, scratch))
	}
	return t
}

// ask returns the transits of the next step.
func (t *trees) ask() []*group {
	fanouts := t.app.TreeFanouts()
	if t.step == len(fanouts) {
		return nil
	}
	g := &group{RowChoice: neighbor.RowChoice{App: t.choice, Fanout: fanouts[t.step]}}
	t.places = t.places[:0]
	choices := rng.NewStream(t.batch.Seed, rng.Choices)
	for i := range t.batch.Roots.Samples() {
		stream, row := choices.Key(t.batch.First+uint64(i)).Stream(uint64(t.step)), i*t.out.Width
		for slot := range t.level {
			if v := t.out.Vertices[row+t.first+slot]; v != graph.None {
				g.vertices, g.Keys = append(g.vertices, v), append(g.Keys, stream.Key(uint64(slot)))
				t.places = append(t.places, row+t.first+t.level+slot*g.Fanout)
			}
		}
	}
	return []*group{g}
}

// take writes the next level.
func (t *trees) take(asked []inquiry) error {
	asked[0].eachRow(func(i int, ends []uint32, ids []uint64) {
		place := t.places[i]
		copy(t.out.Vertices[place:], ends)
		if t.out.Edges == nil {
			return
		}
		row, slot := place/t.out.Width, place%t.out.Width
		for k, id := range ids {
			t.out.Edges[row*(t.out.Width-t.out.Roots)+slot-t.out.Roots+k] = int64(id)
		}
	})
	t.first, t.level = t.first+t.level, t.level*t.app.TreeFanouts()[t.step]
	t.step++
	return nil
}
