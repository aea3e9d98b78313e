package walk

import (
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/engine/cpu/internal/run"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/output"
)

// traces stores the steps of a piece of samples whose lengths are unknown until they end. Steps are stored in chunks of
// stage.TraceWidth steps: each walker that reaches a chunk gets a row of TraceWidth elements for it. Memory is thus
// proportional to the lengths of the samples. In the first chunk, the row of a sample has the sample's number.
//
// Traces serve one thread at a time, and are reused for further pieces.
type traces struct {
	steps  []uint32 // rows, chunk by chunk, and one spare row; lent from offheap.Results, as is edges
	edges  []uint64 // positions of the edges that were followed; nil: not recorded
	owners []uint32 // sample of each row after the first chunk
	chunks []int    // first row of each chunk

	lo, samples int      // the piece: its first sample and the number of samples
	roots       []uint32 // of the samples
	keys        []uint64 // of the walkers
	vertices    []uint32 // of the walkers
	rows        []uint32 // of the walkers, in the current chunk
	ended       []uint32 // rows of the walkers that end at a step
	lengths     []uint32 // of the samples, in steps
	step        int      // steps taken
	totalSteps  int      // sum over all samples
	base        int      // index of the piece's first vertex in the result
}

// newTraces returns traces for pieces of up to chunk samples.
func newTraces(chunk int, edges bool) *traces {
	n := chunk + stage.Slack
	t := &traces{
		keys: make([]uint64, n), vertices: make([]uint32, n), rows: make([]uint32, n), ended: make([]uint32, n),
		lengths: make([]uint32, chunk),
	}
	if edges {
		t.edges = []uint64{}
	}
	return t
}

// begin empties the traces for the piece [lo, hi).
func (t *traces) begin(lo, hi int) error {
	t.lo, t.samples, t.step, t.totalSteps = lo, hi-lo, 0, 0
	t.owners, t.chunks = t.owners[:0], t.chunks[:0]
	for i := range t.samples {
		t.rows[i] = uint32(i)
	}
	return t.nextChunk(t.samples)
}

// nextChunk starts a chunk, with a new row for each of the n walkers that continue.
func (t *traces) nextChunk(n int) error {
	first := t.samples + len(t.owners)
	if len(t.chunks) == 0 {
		first = 0
	} else {
		for i, row := range t.rows[:n] {
			t.owners = append(t.owners, t.owner(row))
			t.rows[i] = uint32(i)
		}
	}
	t.chunks = append(t.chunks, first)
	size := (t.samples + len(t.owners) + 1) * stage.TraceWidth
	if size <= len(t.steps) {
		return nil
	}
	size = max(size+size/8, 2*len(t.steps)) // short walks rarely need a second chunk
	if err := buffer.GrowLent(&t.steps, size, nil); err != nil || t.edges == nil {
		return err
	}
	return buffer.GrowLent(&t.edges, size, nil)
}

// owner returns the sample of a row of the last chunk.
func (t *traces) owner(row uint32) uint32 {
	if len(t.chunks) == 1 {
		return row
	}
	return t.owners[t.chunks[len(t.chunks)-1]-t.samples+int(row)]
}

// place returns the index in steps of the next step of row 0 of the chunk.
func (t *traces) place() int {
	return t.chunks[len(t.chunks)-1]*stage.TraceWidth + t.step%stage.TraceWidth
}

// walkers returns the batch of walkers that take the next step.
func (t *traces) walkers() stage.WalkerBatch {
	c := stage.WalkerBatch{
		Key: buffer.Pointer(t.keys), Vertex: buffer.Pointer(t.vertices), Row: buffer.Pointer(t.rows), Ended: buffer.Pointer(t.ended),
		Trace: buffer.Pointer(t.steps[t.place():]), Rows: uint64(t.samples + len(t.owners) - t.chunks[len(t.chunks)-1]),
	}
	c.KeptKey, c.KeptVertex, c.KeptRow = c.Key, c.Vertex, c.Row
	return c
}

// stepped records a step of n walkers, of which kept continue, and the lengths of the others.
func (t *traces) stepped(n, kept int) {
	t.step++
	t.totalSteps += n
	var none uint32 // walkers at a sink, whose step is not counted
	for _, row := range t.ended[:n-kept] {
		nowhere := row / stage.Nowhere
		none += nowhere
		row %= stage.Nowhere
		if len(t.chunks) > 1 {
			row = t.owner(row)
		}
		t.lengths[row] = uint32(t.step) - nowhere
	}
	t.totalSteps -= int(none)
}

// cut ends the n samples that have reached the length limit.
func (t *traces) cut(n int) {
	for _, row := range t.rows[:n] {
		t.lengths[t.owner(row)] = uint32(t.step)
	}
}

// total returns the number of vertices of the piece, roots included.
func (t *traces) total() int { return t.samples + t.totalSteps }

// write copies the samples to the result and sets their offsets.
func (t *traces) write(out output.Ragged, r *run.Run) {
	// 1. Roots, offsets and first chunks.
	offsets := out.Offsets[t.lo : t.lo+t.samples]
	most := max(0, t.samples-stage.TraceWidth) // the last TraceWidth samples are the slack that Compact needs
	base := r.Tables.Compact(out.Vertices, offsets, t.roots[:most], t.lengths, t.steps, t.base)
	for i := most; i < t.samples; i++ {
		offsets[i], out.Vertices[base] = int64(base), t.roots[i]
		copy(out.Vertices[base+1:], t.steps[i*stage.TraceWidth:][:min(t.lengths[i], stage.TraceWidth)])
		base += 1 + int(t.lengths[i])
	}
	// 2. Further chunks.
	for chunk := 1; chunk < len(t.chunks); chunk++ {
		t.writeChunk(out, chunk, func(at, from, n int) { copy(out.Vertices[at:at+n], t.steps[from:]) })
	}
	// 3. Edge ids. A root has none.
	if t.edges == nil {
		return
	}
	for _, at := range out.Offsets[t.lo : t.lo+t.samples] {
		out.Edges[at] = -1
	}
	for chunk := range t.chunks {
		t.writeChunk(out, chunk, func(at, from, n int) {
			for k, position := range t.edges[from : from+n] {
				out.Edges[at+k] = r.Tables.ID(position)
			}
		})
	}
}

// writeChunk calls f for each row of a chunk: with the index of its steps in the result, their index in steps, and their number.
func (t *traces) writeChunk(out output.Ragged, chunk int, f func(at, from, n int)) {
	first, end, before := t.chunks[chunk], t.samples+len(t.owners), chunk*stage.TraceWidth
	if chunk+1 < len(t.chunks) {
		end = t.chunks[chunk+1]
	}
	for row := first; row < end; row++ {
		sample := row
		if chunk > 0 {
			sample = int(t.owners[row-t.samples])
		}
		n := min(int(t.lengths[sample])-before, stage.TraceWidth)
		f(int(out.Offsets[t.lo+sample])+1+before, row*stage.TraceWidth, n)
	}
}

// free returns the lent arrays.
func (t *traces) free() {
	buffer.Return(t.steps)
	buffer.Return(t.edges)
}
