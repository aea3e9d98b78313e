package launch

import (
	"math"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/plan"
)

// stepChunk is the trace of a range of steps of the rows that had not ended before, one column per step.
type stepChunk struct {
	begin, end int    // steps
	rows       int    // length of a column
	list       uint64 // address of the rows' numbers; 0: all rows, in order
	vertices   cuda.Memory
	edges      cuda.Memory
}

// raggedRun makes samples that differ in length: chunk by chunk until all rows have ended, then it compacts the chunks.
//
// The kernels have these duties. Step s of the row at place i is written to element (s-begin)*stride + i of the chunk; the
// kernel receives the address of slot 0. The number of steps of each row is written to Lengths. For a row that has not ended
// after the chunk's last step, the vertex is written to Ends, the vertex before it to Previous, and the row is appended to
// the list Alive, whose length is AliveCount. Most, unless 0, is the step at which all rows end. Interleaved chunks have
// another layout, see kernels/driver/interleaved.cuh.
type raggedRun struct {
	*Run
	chunks   []stepChunk
	counters *[counters]uint64 // in pinned host memory
	compact  Compaction
}

// makeRagged makes samples that differ in length.
func makeRagged(r *Run) (*Result, error) {
	// 1. Allocate the rows' lengths and states, and the compaction's arrays.
	state, err := r.Take(3 * 4 * int64(max(1, r.Rows)))
	if err != nil {
		return nil, err
	}
	at := uint64(state.Address)
	r.Args.T.Lengths, r.Args.T.Ends, r.Args.T.Previous = at, at+4*uint64(r.Rows), at+8*uint64(r.Rows)
	if r.Pinned, err = r.Device.Pin(8 * counters); err != nil {
		return nil, err
	}
	rr := &raggedRun{Run: r, counters: (*[counters]uint64)(r.Pinned.Pointer)}
	if err := rr.compact.begin(r); err != nil {
		return nil, err
	}
	// 2. Start the first chunk, which usually is the only one.
	if r.Rows > 0 {
		if err := rr.walk(stepChunk{rows: r.Rows}); err != nil {
			return nil, err
		}
	}
	r.Job.Add(int64(r.Rows))
	// 3. Return now and finish later, or finish.
	if rr.early() {
		r.Result.later, r.Job = rr, nil // the caller's job ends with the call
		return r.Finished()
	}
	if err := rr.finish(); err != nil {
		return nil, err
	}
	return r.Finished()
}

// early reports whether the result may be returned before it is known whether the expected size was right.
func (r *raggedRun) early() bool {
	return r.Engine.Early && r.compact.capacity() > 0 && r.Calls.Check == nil && r.Batch.Roots.OnDevice == 0
}

// walk starts a chunk and, if it is the first, compacts it in the expected size.
func (r *raggedRun) walk(next stepChunk) error {
	if err := r.startChunk(&next); err != nil {
		return err
	}
	r.chunks = append(r.chunks, next)
	if next.begin == 0 {
		if err := r.compactExpected(next); err != nil {
			return err
		}
	}
	return r.compact.CopyCounters(r.Run, &r.counters[0], counters)
}

// compactExpected compacts the first chunk as if it were the last one and the samples had their expected length. That is
// usually so, and then the GPU does not wait for the host.
func (r *raggedRun) compactExpected(chunk stepChunk) error {
	mean := r.Spec.MeanSteps
	if mean == 0 {
		return nil
	}
	rows := float64(r.Rows)
	vertices := rows*(float64(r.Batch.Roots.Width)+mean) + 8*mean*math.Sqrt(rows)
	if err := r.compact.allocate(r.Run, int(vertices)); err != nil {
		return err
	}
	if err := r.compact.AddLengths(r.Run); err != nil {
		return err
	}
	return r.compact.chunks(r.Run, []stepChunk{chunk})
}

// expectedSize reports, once the counters are known, whether compactExpected produced the result.
func (r *raggedRun) expectedSize() bool {
	return len(r.chunks) == 1 && r.counters[rowsLeft] == 0 && r.counters[total] <= r.compact.capacity()
}

// finish waits until the host knows how many rows continue, starts chunks until none does, and compacts them.
func (r *raggedRun) finish() error {
	if r.Rows == 0 {
		return nil
	}
	for {
		if err := r.Stream.Synchronize(); err != nil {
			return err
		}
		if r.counters[rowsLeft] == 0 {
			return r.compactAll()
		}
		last := r.chunks[len(r.chunks)-1]
		if err := r.walk(stepChunk{begin: last.end, rows: int(r.counters[rowsLeft]), list: r.Run.Args.T.Alive}); err != nil {
			return err
		}
	}
}

// compactAll compacts all chunks, unless compactExpected has done so.
func (r *raggedRun) compactAll() error {
	if len(r.chunks) > 1 || r.compact.capacity() == 0 {
		if err := r.compact.AddLengths(r.Run); err != nil {
			return err
		}
		if err := r.compact.CopyCounters(r.Run, &r.counters[0], counters); err != nil {
			return err
		}
		if err := r.Stream.Synchronize(); err != nil {
			return err
		}
	} else if r.expectedSize() {
		r.Result.Total = int(r.counters[total])
		return nil
	}
	r.Result.Total = int(r.counters[total])
	if err := r.compact.allocate(r.Run, r.Result.Total); err != nil {
		return err
	}
	return r.compact.chunks(r.Run, r.chunks)
}

// startChunk starts a chunk, which counts the rows that continue after it.
func (r *raggedRun) startChunk(c *stepChunk) error {
	a := &r.Run.Args
	// 1. Allocate the chunk and the list of the rows that continue.
	c.end = c.begin + r.chunkSteps(*c)
	columns := Stride(c.rows)
	list, err := r.Take(4 * int64(c.rows))
	if err != nil {
		return err
	}
	count := r.compact.counter(0, r.Rows)
	if err := r.Device.Fill32(count, 0, 2*counters, r.Stream); err != nil {
		return err
	}
	count += 8 * rowsLeft
	if c.vertices, err = r.Take(4 * int64(columns) * int64(c.end-c.begin)); err != nil {
		return err
	}
	if r.Batch.Edges {
		if c.edges, err = r.Take(8 * int64(columns) * int64(c.end-c.begin)); err != nil {
			return err
		}
	}
	// 2. Pass the addresses, those of slot 0 unless the chunk is interleaved.
	a.B.Alive, a.B.From, a.B.Rows = c.list, 0, uint64(c.rows)
	a.T.Stride, a.T.Alive, a.T.AliveCount = uint64(columns), uint64(list.Address), uint64(count)
	a.T.Vertices, a.T.Edges = uint64(c.vertices.Address), uint64(c.edges.Address)
	if !r.Spec.Interleaved {
		a.T.Vertices -= 4 * uint64(columns) * uint64(r.Batch.Roots.Width+c.begin)
		a.T.Edges -= 8 * uint64(columns) * uint64(c.begin)
	}
	if !r.Batch.Edges {
		a.T.Edges = 0
	}
	return r.launchChunk(*c)
}

// launchChunk cuts the rows of a chunk into launches. A launch makes all steps of the chunk, since it does not know which
// rows have ended within it.
func (r *raggedRun) launchChunk(c stepChunk) error {
	mean := min(float64(c.end-c.begin), max(1, r.Spec.MeanSteps))
	each := Stride(max(int(float64(r.LaunchSteps())/mean), r.LaunchRows())) // whole warps
	r.Launcher.Limited = each < c.rows
	for lo := 0; lo < c.rows; lo += each {
		a := r.Run.Args
		a.B.From, a.B.Rows = uint64(lo), uint64(min(lo+each, c.rows))
		a.T.Begin, a.T.End = uint64(c.begin), uint64(c.end)
		if err := r.launch(&a); err != nil {
			return err
		}
	}
	return nil
}

// chunkSteps returns the number of steps of a chunk: enough for almost all rows to end within it, if memory allows. Steps
// that no row makes cost memory, but no time.
func (r *raggedRun) chunkSteps(c stepChunk) int {
	steps := float64(max(plan.StepChunkMin, c.begin))
	if mean := r.Spec.MeanSteps; mean > 0 {
		steps = mean*(math.Log(float64(c.rows)+1)+plan.StepChunkMeans) + plan.StepChunkMin
	}
	each := int64(4)
	if r.Batch.Edges {
		each = 12
	}
	n := max(1, min(int(steps), int(min(plan.StepChunkBytes, r.Device.Total/8)/(each*int64(Stride(c.rows))))))
	if t := r.Engine.Tuning.ChunkSteps; t > 0 {
		n = min(n, t)
	}
	if most := r.Spec.MaxSteps; most > 0 {
		n = min(n, most-c.begin)
	}
	return n
}
