package launch

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/kernels"
)

// Compaction copies samples that differ in length from step chunks to the result, one after another. The offsets are a
// prefix sum of the lengths, computed in two kernels: sums of groups of rows, then sums of those.
type Compaction struct {
	Args kernels.StepChunks
	sums cuda.Memory // of the parts, the tops, and the counters
}

// The counters: the words after the tops, and their copies in pinned host memory.
const (
	total    = iota // vertices of all samples
	rowsLeft        // rows that have not ended
	counters        // their number
)

// begin allocates the result's offsets and the partial sums.
func (c *Compaction) begin(r *Run) (err error) {
	if r.Result.Offsets, err = r.Device.Alloc(8*int64(r.Rows+1), r.Stream); err != nil {
		return err
	}
	c.Args = kernels.StepChunks{B: r.Args.B, Lengths: r.Args.T.Lengths, Offsets: uint64(r.Result.Offsets.Address)}
	if err := c.TakeSums(r); err != nil {
		return err
	}
	if r.Rows > 0 {
		return nil
	}
	return r.Device.Fill32(r.Result.Offsets.Address, 0, 2, r.Stream)
}

// TakeSums allocates the partial sums and the counters.
func (c *Compaction) TakeSums(r *Run) (err error) {
	c.sums, err = r.Take(8 * int64(parts(r.Rows)+tops(r.Rows)+counters))
	c.Args.Sums = uint64(c.sums.Address)
	return err
}

// counter returns the address of a counter in GPU memory.
func (c *Compaction) counter(i, rows int) uintptr {
	return c.sums.Address + 8*uintptr(parts(rows)+tops(rows)+i)
}

// parts is the number of groups of kernels.OffsetRows rows, tops that of groups of kernels.SumsParts parts.
func parts(rows int) int { return (rows + kernels.OffsetRows - 1) / kernels.OffsetRows }
func tops(rows int) int  { return (parts(rows) + kernels.SumsParts - 1) / kernels.SumsParts }

// capacity returns the number of vertices for which the result has memory.
func (c *Compaction) capacity() uint64 { return c.Args.Capacity }

// allocate replaces the result's memory by memory for that many vertices.
func (c *Compaction) allocate(r *Run, vertices int) (err error) {
	to := r.Result
	if err := First(r.Device.Free(to.Vertices, r.Stream), r.Device.Free(to.Edges, r.Stream)); err != nil {
		return err
	}
	to.Vertices, to.Edges = cuda.Memory{}, cuda.Memory{}
	if to.Vertices, err = r.Device.Alloc(4*int64(vertices), r.Stream); err != nil {
		return err
	}
	if r.Batch.Edges {
		if to.Edges, err = r.Device.Alloc(8*int64(vertices), r.Stream); err != nil {
			return err
		}
	}
	c.Args.ToVertices, c.Args.ToEdges, c.Args.Capacity = uint64(to.Vertices.Address), uint64(to.Edges.Address), uint64(vertices)
	return nil
}

// AddLengths computes the offsets, and the total number of vertices on the GPU. The copy to the host is submitted after the
// kernels that follow, since those of one stream wait for a copy between them.
func (c *Compaction) AddLengths(r *Run) error {
	a := &c.Args
	a.B.Alive, a.B.AliveCount, a.B.From, a.B.Rows = 0, 0, 0, uint64(r.Rows)
	if err := c.start(r, "stepchunks_sums", tops(r.Rows)*kernels.SumsParts*32); err != nil {
		return err
	}
	return c.start(r, "stepchunks_tops", kernels.TopsThreads)
}

// CopyCounters copies the first n counters to the host.
func (c *Compaction) CopyCounters(r *Run, to *uint64, n int) error {
	return r.Device.CopyOut(unsafe.Pointer(to), c.counter(0, r.Rows), 8*int64(n), r.Stream)
}

// chunks copies chunks to the result: the first one in the order of the rows, the others into the slots that it leaves empty.
func (c *Compaction) chunks(r *Run, chunks []stepChunk) error {
	a := &c.Args
	for i, chunk := range chunks {
		a.Vertices, a.Edges, a.Stride = uint64(chunk.vertices.Address), uint64(chunk.edges.Address), uint64(Stride(chunk.rows))
		a.Begin, a.End = uint64(chunk.begin), uint64(chunk.end)
		a.B.Alive, a.B.Rows = chunk.list, uint64(chunk.rows)
		name := "stepchunks"
		if r.Spec.Interleaved {
			name = "interleaved"
		}
		if i == 0 {
			name += "_first"
		} else {
			name += "_more"
		}
		if err := c.start(r, name, chunk.rows); err != nil {
			return err
		}
	}
	return nil
}

// start starts a kernel with n threads.
func (c *Compaction) start(r *Run, name string, n int) error {
	args := c.Args
	return r.Launcher.Threads(Kernel{Name: name}, int64(n), &args)
}
