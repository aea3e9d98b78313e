package pagerank

import (
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/engine/cpu/stage"
)

// trails stores the vertices that the walks of a piece visit. Steps are stored in chunks of stage.TraceWidth steps: each walk
// that reaches a chunk gets a row for it, and each row is linked to the walk's row in the next chunk. It serves one thread.
type trails struct {
	steps   []uint32 // rows of TraceWidth vertices, chunk by chunk, and one spare row
	next    []uint32 // by row: the row of the same walk in the next chunk
	walks   []uint32 // by row: its walk
	lengths []uint32 // of the walks, in vertices
	chunk   int      // first row of the current chunk
	step    int      // steps taken

	first    []uint64 // keys of the walks
	keys     []uint64 // of the walkers that have not ended
	vertices []uint32 // of the walkers
	rows     []uint32 // of the walkers, in the chunk
	ended    []uint32 // rows of the walkers that end at a step

	flat   []uint32 // scratch memory of count: the vertices of all walks, walk by walk
	starts []uint8  // scratch memory of count: 1 at the first vertex of each walk
}

// newTrails returns trails for pieces of up to piece walks.
func newTrails(piece int) *trails {
	n := piece + stage.Slack
	return &trails{
		first: make([]uint64, piece), keys: make([]uint64, n), vertices: make([]uint32, n), rows: make([]uint32, n),
		ended: make([]uint32, n), lengths: make([]uint32, piece), steps: make([]uint32, (piece+1)*stage.TraceWidth),
		next: make([]uint32, piece), walks: make([]uint32, piece),
	}
}

// begin empties the trails for n walks.
func (t *trails) begin(n int) {
	t.chunk, t.step = 0, 0
	t.next, t.walks = t.next[:n], t.walks[:n]
	for i := range n {
		t.walks[i] = uint32(i)
	}
}

// nextChunk starts a chunk, with a new row for each of the n walkers that have not ended.
func (t *trails) nextChunk(n int) {
	chunk := len(t.walks)
	for i, row := range t.rows[:n] {
		at := t.chunk + int(row)
		t.next[at] = uint32(chunk + i)
		t.walks = append(t.walks, t.walks[at])
		t.rows[i] = uint32(i)
	}
	t.chunk = chunk
	for len(t.next) < len(t.walks) {
		t.next = append(t.next, 0)
	}
	if size := (len(t.walks) + 1) * stage.TraceWidth; size > len(t.steps) {
		t.steps = append(t.steps, make([]uint32, size-len(t.steps))...)
		t.steps = t.steps[:cap(t.steps)]
	}
}

// place returns the index in steps of the current step of row 0 of the chunk.
func (t *trails) place() int { return t.chunk*stage.TraceWidth + t.step%stage.TraceWidth }

// batch returns the batch of walkers that take the next step.
func (t *trails) batch(threshold uint64) stage.WalkerBatch {
	c := stage.WalkerBatch{
		Key: buffer.Pointer(t.keys), Vertex: buffer.Pointer(t.vertices), Row: buffer.Pointer(t.rows), Ended: buffer.Pointer(t.ended),
		Trace: buffer.Pointer(t.steps[t.place():]), Rows: uint64(len(t.walks) - t.chunk), Threshold: threshold,
	}
	c.KeptKey, c.KeptVertex, c.KeptRow = c.Key, c.Vertex, c.Row
	return c
}

// endAll records the lengths of the n walks that end at this step, and returns the rows of those that end at a sink.
func (t *trails) endAll(n int) (atSink []uint32) {
	walks, length, sinks := t.walks[t.chunk:], uint32(t.step)+1, 0
	for _, at := range t.ended[:n] {
		nowhere := at / stage.Nowhere
		at %= stage.Nowhere
		t.lengths[walks[at]] = length - nowhere
		t.ended[sinks] = at // reuses the array, which the next step overwrites
		sinks += int(nowhere)
	}
	return t.ended[:sinks]
}

// count adds the visits of the n walks to c. It first concatenates the walks. It copies complete rows, and the next walk
// overwrites the excess: a loop over the length of a walk would mispredict a branch per walk.
func (t *trails) count(c *visitCounts, n int) {
	const width = stage.TraceWidth
	at := 0
	for w, left := range t.lengths[:n] {
		if at+int(left)+width > len(t.flat) {
			size := 2 * (at + int(left) + width)
			t.flat = append(t.flat, make([]uint32, size-len(t.flat))...)
			t.starts = append(t.starts, make([]uint8, size-len(t.starts))...)
		}
		row := uint32(w)
		t.starts[at] = 1
		for ; left > width; left -= width {
			copyRow(t.flat[at:], t.steps[row*width:])
			row = t.next[row]
			at += width
		}
		copyRow(t.flat[at:], t.steps[row*width:])
		at += int(left)
	}
	c.add(t.flat[:at], t.starts)
	clear(t.starts[:at])
}

// copyRow copies a row of TraceWidth elements in 8-byte words, which is faster than a call of copy.
func copyRow(to, from []uint32) {
	t, f := (*[stage.TraceWidth / 2]uint64)(buffer.Pointer(to[:stage.TraceWidth])), (*[stage.TraceWidth / 2]uint64)(buffer.Pointer(from[:stage.TraceWidth]))
	t[0], t[1], t[2], t[3] = f[0], f[1], f[2], f[3]
	t[4], t[5], t[6], t[7] = f[4], f[5], f[6], f[7]
}
