package cpu

import (
	"gonextdoor/gonextdoor/engine/cpu/stage"
)

// trails holds the vertices that a piece of one row's walks visit, walk by walk. As in traces, a leg is TraceWidth
// steps, and each walk that begins one has a row for it; here a row is linked to the walk's row of the next leg.
type trails struct {
	steps   []uint32 // rows of TraceWidth, leg after leg, and one to spare
	next    []uint32 // of each row: the same walk's in the next leg
	walks   []uint32 // of each row: its walk
	lengths []uint32 // of the walks, in vertices
	leg     int      // the first row of this leg
	step    int      // steps taken

	keys     []uint64 // of the walkers that have not ended
	vertices []uint32 // where they are
	rows     []uint32 // their rows in the leg
	ended    []uint32 // the rows that end at a step
}

func newTrails(piece int) *trails {
	n := piece + stage.Slack
	return &trails{
		keys: make([]uint64, n), vertices: make([]uint32, n), rows: make([]uint32, n), ended: make([]uint32, n),
		lengths: make([]uint32, piece), steps: make([]uint32, (piece+1)*stage.TraceWidth),
		next: make([]uint32, piece), walks: make([]uint32, piece),
	}
}

// begin empties the trails for n walks.
func (t *trails) begin(n int) {
	t.leg, t.step = 0, 0
	t.next, t.walks = t.next[:n], t.walks[:n]
	for i := range n {
		t.walks[i] = uint32(i)
	}
}

// nextLeg begins a leg of the n walkers that have not ended.
func (t *trails) nextLeg(n int) {
	leg := len(t.walks)
	for i, row := range t.rows[:n] {
		at := t.leg + int(row)
		t.next[at] = uint32(leg + i)
		t.walks = append(t.walks, t.walks[at])
		t.rows[i] = uint32(i)
	}
	t.leg = leg
	for len(t.next) < len(t.walks) {
		t.next = append(t.next, 0)
	}
	if size := (len(t.walks) + 1) * stage.TraceWidth; size > len(t.steps) {
		t.steps = append(t.steps, make([]uint32, size-len(t.steps))...)
		t.steps = t.steps[:cap(t.steps)]
	}
}

// place returns where the present step of the leg's row 0 is written.
func (t *trails) place() int { return t.leg*stage.TraceWidth + t.step%stage.TraceWidth }

// crowd returns the walkers that begin a step.
func (t *trails) crowd(threshold uint64) stage.Crowd {
	c := stage.Crowd{
		Key: pointer(t.keys), Vertex: pointer(t.vertices), Row: pointer(t.rows), Ended: pointer(t.ended),
		Trace: pointer(t.steps[t.place():]), Rows: uint64(len(t.walks) - t.leg), Threshold: threshold,
	}
	c.KeptKey, c.KeptVertex, c.KeptRow = c.Key, c.Vertex, c.Row
	return c
}

// end notes that the walk of a row of this leg has so many vertices.
func (t *trails) end(row uint32, length int) { t.lengths[t.walks[t.leg+int(row)]] = uint32(length) }

// count adds the visits of the n walks, of which the first has the number first.
func (t *trails) count(c *visitCounts, n int, first uint32) {
	const width = stage.TraceWidth
	for w, left := range t.lengths[:n] {
		row := uint32(w)
		for ; left > width; left -= width {
			c.add(t.steps[row*width:][:width], first+uint32(w))
			row = t.next[row]
		}
		c.add(t.steps[row*width:][:left], first+uint32(w))
	}
}
