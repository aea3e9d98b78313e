package gpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/kernels"
)

// Sizes of kernels/driver/sampleoffsets.cuh.
const (
	compactRows = 256
	sumsParts   = 8
	topsThreads = 1024
)

// compaction copies samples that differ in length from step chunks to the result, one after another. The offsets are a
// prefix sum of the lengths, computed in two kernels: sums of groups of rows, then sums of those.
type compaction struct {
	args kernels.StepChunks
	sums cuda.Memory // of the parts, the tops, and the counters
}

// The counters: the words after the tops, and their copies in pinned host memory.
const (
	total    = iota // vertices of all samples
	rowsLeft        // rows that have not ended
	counters        // their number
)

// begin allocates the result's offsets and the partial sums.
func (c *compaction) begin(r *run) (err error) {
	if r.result.Offsets, err = r.device.Alloc(8*int64(r.rows+1), r.stream); err != nil {
		return err
	}
	c.args = kernels.StepChunks{B: r.args.B, Lengths: r.args.T.Lengths, Offsets: uint64(r.result.Offsets.Address)}
	if err := c.takeSums(r); err != nil {
		return err
	}
	if r.rows > 0 {
		return nil
	}
	return r.device.Fill32(r.result.Offsets.Address, 0, 2, r.stream)
}

// takeSums allocates the partial sums and the counters.
func (c *compaction) takeSums(r *run) (err error) {
	c.sums, err = r.take(8 * int64(parts(r.rows)+tops(r.rows)+counters))
	c.args.Sums = uint64(c.sums.Address)
	return err
}

// counter returns the address of a counter in GPU memory.
func (c *compaction) counter(i, rows int) uintptr {
	return c.sums.Address + 8*uintptr(parts(rows)+tops(rows)+i)
}

// parts is the number of groups of compactRows rows, tops that of groups of sumsParts parts.
func parts(rows int) int { return (rows + compactRows - 1) / compactRows }
func tops(rows int) int  { return (parts(rows) + sumsParts - 1) / sumsParts }

// capacity returns the number of vertices for which the result has memory.
func (c *compaction) capacity() uint64 { return c.args.Capacity }

// allocate replaces the result's memory by memory for that many vertices.
func (c *compaction) allocate(r *run, vertices int) (err error) {
	to := r.result
	if err := first(r.device.Free(to.Vertices, r.stream), r.device.Free(to.Edges, r.stream)); err != nil {
		return err
	}
	to.Vertices, to.Edges = cuda.Memory{}, cuda.Memory{}
	if to.Vertices, err = r.device.Alloc(4*int64(vertices), r.stream); err != nil {
		return err
	}
	if r.batch.Edges {
		if to.Edges, err = r.device.Alloc(8*int64(vertices), r.stream); err != nil {
			return err
		}
	}
	c.args.ToVertices, c.args.ToEdges, c.args.Capacity = uint64(to.Vertices.Address), uint64(to.Edges.Address), uint64(vertices)
	return nil
}

// addLengths computes the offsets, and the total number of vertices on the GPU. The copy to the host is submitted after the
// kernels that follow, since those of one stream wait for a copy between them.
func (c *compaction) addLengths(r *run) error {
	a := &c.args
	a.B.Alive, a.B.AliveCount, a.B.From, a.B.Rows = 0, 0, 0, uint64(r.rows)
	if err := c.start(r, "stepchunks_sums", tops(r.rows)*sumsParts*32, sumsParts*32); err != nil {
		return err
	}
	return c.start(r, "stepchunks_tops", topsThreads, topsThreads)
}

// copyCounters copies the first n counters to the host.
func (c *compaction) copyCounters(r *run, to *uint64, n int) error {
	return r.device.CopyOut(unsafe.Pointer(to), c.counter(0, r.rows), 8*int64(n), r.stream)
}

// chunks copies chunks to the result: the first one in the order of the rows, the others into the slots that it leaves empty.
func (c *compaction) chunks(r *run, chunks []stepChunk) error {
	a := &c.args
	for i, chunk := range chunks {
		a.Vertices, a.Edges, a.Stride = uint64(chunk.vertices.Address), uint64(chunk.edges.Address), uint64(stride(chunk.rows))
		a.Begin, a.End = uint64(chunk.begin), uint64(chunk.end)
		a.B.Alive, a.B.Rows = chunk.list, uint64(chunk.rows)
		name := "stepchunks"
		if r.spec.interleaved {
			name = "interleaved"
		}
		if i == 0 {
			name += "_first"
		} else {
			name += "_more"
		}
		if err := c.start(r, name, chunk.rows, compactRows); err != nil {
			return err
		}
	}
	return nil
}

// start starts a kernel of the image "stepchunks" with n threads.
func (c *compaction) start(r *run, name string, n, block int) error {
	args := c.args
	return r.launcher.threads(kernel{image: "stepchunks", name: name, block: block}, int64(n), unsafe.Pointer(&args), unsafe.Sizeof(args))
}
